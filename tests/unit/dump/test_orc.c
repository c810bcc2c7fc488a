// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/code.h"

#include "build_stack.h"

static struct dump_orc_table table_of(struct build_stack *s)
{
	struct dump_orc_table table = { 0 };

	assert_success(dump_orc_kernel_table(s->kmem, &table));
	assert_int_equal(table.n, N_ORC);
	return table;
}

static void entry_holds_from_its_address_to_the_next(void **state)
{
	struct build_stack *s = *state;
	struct dump_orc_table table = table_of(s);
	struct dump_orc orc;

	for (uint64_t i = 0; i < 0x80; i += 0x7f) {
		assert_int_equal(
			dump_orc_find(s->kmem, &table, s->k.image + IN_CODE_MIDDLE + i, &orc),
			DUMP_ORC_FOUND);
		assert_int_equal(orc.type, DUMP_ORC_CALL);
		assert_int_equal(orc.sp_register, DUMP_ORC_REG_BP);
		assert_int_equal(orc.sp_offset, 16);
		assert_int_equal(orc.bp_register, DUMP_ORC_REG_PREV_SP);
		assert_int_equal(orc.bp_offset, -16);
		assert_false(orc.signal);
	}
	assert_int_equal(dump_orc_find(s->kmem, &table, s->k.image + IN_CODE_ENTRY, &orc),
			 DUMP_ORC_FOUND);
	assert_int_equal(orc.type, DUMP_ORC_REGS);
	assert_true(orc.signal);
	/* The last one has no end. */
	assert_int_equal(dump_orc_find(s->kmem, &table, UINT64_MAX, &orc), DUMP_ORC_FOUND);
	assert_int_equal(orc.sp_offset, 8);
}

static void an_address_before_the_first_orc_entry_has_none(void **state)
{
	struct build_stack *s = *state;
	struct dump_orc_table table = table_of(s), none = { 0 };
	struct dump_orc orc;

	assert_int_equal(dump_orc_find(s->kmem, &table, s->k.image + IN_CODE_OUTER - 1, &orc),
			 DUMP_ORC_ABSENT);
	assert_int_equal(dump_orc_find(s->kmem, &none, s->k.image, &orc), DUMP_ORC_ABSENT);
}

/* Two bits for the type and one for the end, as it was before. */
static void the_older_orc_format_is_recognised_by_its_type_width(void **state UNUSED)
{
	_cleanup_free_ struct build_stack *s = xnew(struct build_stack);
	static const struct {
		uint64_t at;
		enum dump_orc_type type;
		bool signal;
	} rows[] = {
		{ IN_CODE_INNER, DUMP_ORC_CALL, false },
		{ IN_CODE_ENTRY, DUMP_ORC_REGS, true },
		{ IN_CODE_FORK, DUMP_ORC_END, false },
	};
	struct dump_orc_table table;
	void *held = s;
	struct dump_orc orc;

	build_stack_init(s, true);
	table = table_of(s);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(dump_orc_find(s->kmem, &table, s->k.image + rows[i].at, &orc),
				 DUMP_ORC_FOUND);
		assert_int_equal(orc.type, rows[i].type);
		assert_int_equal(orc.signal, rows[i].signal);
	}
	s = NULL;
	build_stack_tear_down(&held);
}

/* The numbers of 7.2, written out: SP is 3, the caller's 8. */
static void renumbered_orc_registers_are_recognised_at_a_function_start(void **state)
{
	static const uint8_t later[] = { 0, 8, 2, 0xff, 4, 3, 6, 7, 10, 9 };
	struct build_stack *s = *state;
	uint8_t *at = s->k.memory.at + IMAGE_AT + IN_ORC + 4;
	struct dump_orc_table table;
	struct dump_orc orc;

	for (int i = 0; i < N_ORC; i++, at += ORC_BYTES)
		*at = (uint8_t)(later[*at & 15] | later[*at >> 4] << 4);
	kmem_space_forget(&s->kmem->space);
	table = table_of(s);
	assert_true(table.renumbered);
	assert_int_equal(dump_orc_find(s->kmem, &table, s->k.image + IN_CODE_MIDDLE, &orc),
			 DUMP_ORC_FOUND);
	assert_int_equal(orc.sp_register, DUMP_ORC_REG_BP);
	assert_int_equal(orc.bp_register, DUMP_ORC_REG_PREV_SP);
	assert_int_equal(dump_orc_find(s->kmem, &table, s->k.image + IN_CODE_INNER, &orc),
			 DUMP_ORC_FOUND);
	assert_int_equal(orc.sp_register, DUMP_ORC_REG_SP);
	assert_int_equal(orc.bp_register, DUMP_ORC_REG_UNDEFINED);
}

static void unknown_orc_register_numbers_are_refused(void **state)
{
	struct build_stack *s = *state;
	uint64_t row = IMAGE_AT + IN_ORC + ORC_BYTES * (N_ORC - 2);
	struct dump_orc_table table;

	s->k.memory.at[row + 4] = 7;
	kmem_space_forget(&s->kmem->space);
	assert_error_tag(dump_orc_kernel_table(s->kmem, &table), "no-kallsyms");
	s->k.memory.at[row + 4] = 5;
	s->k.memory.at[row] = 16;
	kmem_space_forget(&s->kmem->space);
	assert_error_tag(dump_orc_kernel_table(s->kmem, &table), "no-kallsyms");
}

static void types_that_no_kernel_has_are_refused(void **state)
{
	struct build_stack *s = *state;
	struct dump_orc_table table = table_of(s);
	struct dump_orc orc;

	s->k.memory.at[IMAGE_AT + IN_ORC + 5] = 7;
	kmem_space_forget(&s->kmem->space);
	assert_int_equal(dump_orc_find(s->kmem, &table, s->k.image + IN_CODE_OUTER, &orc),
			 DUMP_ORC_UNREADABLE);
}

static void unreadable_orc_tables_are_reported(void **state)
{
	struct build_stack *s = *state;
	struct dump_orc_table table = table_of(s);
	struct dump_orc orc;

	table.ips = 0x1000;
	assert_int_equal(dump_orc_find(s->kmem, &table, s->k.image, &orc), DUMP_ORC_UNREADABLE);
	table = table_of(s);
	table.entries = 0x1000;
	assert_int_equal(dump_orc_find(s->kmem, &table, s->k.image + IN_CODE_OUTER, &orc),
			 DUMP_ORC_UNREADABLE);
}

static void a_search_of_an_unsorted_orc_table_ends(void **state)
{
	struct build_stack *s = *state;
	struct dump_orc_table table = table_of(s);
	uint32_t seed = 1;
	struct dump_orc orc;
	unsigned int ends[3] = { 0 };

	for (int round = 0; round < 2000; round++) {
		for (int i = 0; i < 4 * N_ORC; i++) {
			seed = seed * 1664525 + 1013904223;
			s->k.memory.at[IMAGE_AT + IN_ORC_IPS + i] = (uint8_t)(seed >> 24);
		}
		kmem_space_forget(&s->kmem->space);
		ends[dump_orc_find(s->kmem, &table, s->k.image + IN_CODE_MIDDLE, &orc)]++;
	}
	/* The entries are whole, so whichever is found can be read. */
	assert_int_equal(ends[DUMP_ORC_UNREADABLE], 0);
	assert_true(ends[DUMP_ORC_FOUND] > 0 && ends[DUMP_ORC_ABSENT] > 0);
	/* As long as a guest likes: the search halves it, and leaves what there is. */
	table.n = UINT64_C(1) << 24;
	assert_int_equal(dump_orc_find(s->kmem, &table, s->k.image + IN_CODE_MIDDLE, &orc),
			 DUMP_ORC_UNREADABLE);
}

static void kernel_without_such_types_has_no_table(void **state)
{
	struct build_stack *s = *state;
	struct dump_orc_table table;

	s->kmem->fields.at[KMEM_F_ORC_TYPE].known = false;
	assert_error_tag(dump_orc_kernel_table(s->kmem, &table), "no-kernel-field");
	s->kmem->fields.at[KMEM_F_ORC_TYPE].known = true;
	s->kmem->fields.at[KMEM_F_ORC_ENTRY].place.size = 8;
	assert_error_tag(dump_orc_kernel_table(s->kmem, &table), "no-kallsyms");
	s->kmem->fields.at[KMEM_F_ORC_ENTRY].place.size = 0;
	assert_error_tag(dump_orc_kernel_table(s->kmem, &table), "no-kallsyms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		stack_test(entry_holds_from_its_address_to_the_next),
		stack_test(an_address_before_the_first_orc_entry_has_none),
		cmocka_unit_test(the_older_orc_format_is_recognised_by_its_type_width),
		stack_test(renumbered_orc_registers_are_recognised_at_a_function_start),
		stack_test(unknown_orc_register_numbers_are_refused),
		stack_test(types_that_no_kernel_has_are_refused),
		stack_test(unreadable_orc_tables_are_reported),
		stack_test(a_search_of_an_unsorted_orc_table_ends),
		stack_test(kernel_without_such_types_has_no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
