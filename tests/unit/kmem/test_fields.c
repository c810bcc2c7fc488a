// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/fields.h"

#include "../btf/build_btf.h"
#include "build_space.h"
#include "missing_fields.h"
#include "unit.h"

/* Some members of a kernel of long ago and some of tomorrow's. */
static void build_types(struct strbuf *out)
{
	struct build_btf b = { 0 };
	uint32_t integer = build_btf_int(&b, "int", 4, 1);
	uint32_t byte = build_btf_int(&b, "char", 1, 0);
	uint32_t comm = build_btf_array(&b, byte, 16);
	uint32_t pointer = build_btf_type(&b, "", 2, 0, integer);
	uint32_t slots = build_btf_array(&b, pointer, 64);
	uint32_t layout = build_btf_struct(
		&b, 4, "module_layout", 16,
		(struct build_member[]){ { "base", pointer, 0, 0 }, { "size", integer, 64, 0 } },
		2);
	uint32_t module_name = build_btf_array(&b, byte, 56);

	build_btf_struct(&b, 4, "task_struct", 128,
			 (struct build_member[]){ { "state", pointer, 0, 0 },
						  { "pid", integer, 64, 0 },
						  { "comm", comm, 128, 0 },
						  { "on_cpu", byte, 320, 0 },
						  { "policy", integer, 352, 3 },
						  { "prio", integer, 355, 5 } },
			 6);
	build_btf_struct(&b, 4, "module", 512,
			 (struct build_member[]){ { "list", slots, 0, 0 },
						  { "name", module_name, 128, 0 },
						  { "core_layout", layout, 1024, 0 } },
			 3);
	build_btf_struct(&b, 4, "xa_node", 576,
			 (struct build_member[]){ { "shift", byte, 0, 0 },
						  { "offset", byte, 8, 0 },
						  { "parent", pointer, 64, 0 },
						  { "slots", slots, 320, 0 } },
			 4);
	build_btf_finish(&b, out);
}

struct fixture {
	struct strbuf bytes;
	struct btf *btf;
	struct kmem_fields fields;
	struct build_space *s;
};

static int set_up(void **state)
{
	struct fixture *f = xnew(struct fixture);

	build_types(&f->bytes);
	assert_success(btf_parse(build_bytes(&f->bytes), "types", &f->btf));
	kmem_fields_init(&f->fields, f->btf, NULL);
	f->s = build_space_new(8192);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	kmem_fields_deinit(&f->fields);
	btf_free(f->btf);
	strbuf_deinit(&f->bytes);
	build_space_free(f->s);
	free(f);
	return 0;
}

static uint64_t value_of(struct fixture *f, enum kmem_field_id id)
{
	uint64_t value = 0;

	assert_int_equal(kmem_field_read(&f->fields, &f->s->space, id, SPACE_AT, &value),
			 KMEM_READ_OK);
	return value;
}

static void field_offset_and_width_come_from_btf(void **state)
{
	struct fixture *f = *state;
	int64_t number = 0;

	build_word(f->s, SPACE_AT + 8, UINT64_C(0xffffffffffffff85));
	/* Everything around the single byte is set. */
	build_word(f->s, SPACE_AT + 40, UINT64_C(0xffffff9dffffff01));
	assert_int_equal(value_of(f, KMEM_F_TASK_PID), 0xffffff85);
	assert_int_equal(kmem_field_read_signed(&f->fields, &f->s->space, KMEM_F_TASK_PID, SPACE_AT,
						&number),
			 KMEM_READ_OK);
	assert_int_equal(number, -123);
	assert_int_equal(value_of(f, KMEM_F_TASK_ON_CPU), 1);
	/* Bit fields: 0x9d is 10011 101. */
	assert_int_equal(value_of(f, KMEM_F_TASK_POLICY), 5);
	assert_int_equal(value_of(f, KMEM_F_TASK_PRIO), 0x13);
	assert_int_equal(kmem_field_read_signed(&f->fields, &f->s->space, KMEM_F_TASK_PRIO,
						SPACE_AT, &number),
			 KMEM_READ_OK);
	assert_int_equal(number, -13);
}

static void alternatives_are_tried_in_turn(void **state)
{
	struct fixture *f = *state;

	assert_true(f->fields.at[KMEM_F_TASK_STATE].known);
	assert_int_equal(f->fields.at[KMEM_F_TASK_STATE].place.offset, 0);
	assert_int_equal(f->fields.at[KMEM_F_MODULE_BASE].place.offset, 128);
	assert_int_equal(f->fields.at[KMEM_F_MODULE_SIZE].place.offset, 136);
	assert_int_equal(f->fields.at[KMEM_F_MODULE_SIZE].place.size, 4);
	assert_int_equal(f->fields.at[KMEM_F_TASK].place.size, 128);
	assert_int_equal(f->fields.at[KMEM_F_XA_NODE_SLOTS].place.size, 512);
}

static void missing_members_are_unknown_and_named(void **state)
{
	struct fixture *f = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t value = 7;
	struct error *err;

	assert_int_equal(
		kmem_field_read(&f->fields, &f->s->space, KMEM_F_TASK_TGID, SPACE_AT, &value),
		KMEM_READ_UNKNOWN);
	assert_int_equal(
		kmem_field_read(&f->fields, &f->s->space, KMEM_F_RQ_CURR, SPACE_AT, &value),
		KMEM_READ_UNKNOWN);
	/* Too large for a number. */
	assert_int_equal(
		kmem_field_read(&f->fields, &f->s->space, KMEM_F_TASK_COMM, SPACE_AT, &value),
		KMEM_READ_UNKNOWN);
	assert_int_equal(value, 7);
	err = kmem_fields_require(&f->fields, KMEM_VIEW_TASKS);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "no-kernel-field");
	assert_contains(error_message(err), "tasks: the kernel's types lack task_struct.tasks, ");
	assert_contains(error_message(err), "task_struct.tgid");
	assert_contains(error_message(err), "signal_struct.thread_head");
	/* Not needed, not there: no reason to give up. */
	assert_null(strstr(error_message(err), "nvcsw"));
	error_free(err);
	assert_success(kmem_fields_require(&f->fields, KMEM_VIEW_MODULES));
	missing_fields(&f->fields, KMEM_VIEW_MODULES, &text);
	assert_contains(strbuf_str(&text), "module.kallsyms: ");
	assert_contains(strbuf_str(&text),
			"mod_kallsyms.strtab: the kernel has no struct mod_kallsyms\n");
	assert_null(strstr(strbuf_str(&text), "core_layout"));
	/* Each name once. */
	assert_null(strstr(strbuf_str(&text), "module.kallsyms: module.kallsyms"));
}

static void texts_end_with_their_array(void **state)
{
	struct fixture *f = *state;
	char buf[64];

	build_put(&f->s->memory, 16, "exactly-16-bytesOVER", 20);
	kmem_space_forget(&f->s->space);
	assert_int_equal(kmem_field_read_text(&f->fields, &f->s->space, KMEM_F_TASK_COMM, SPACE_AT,
					      buf, sizeof(buf)),
			 KMEM_READ_OK);
	assert_string_equal(buf, "exactly-16-bytes");
	assert_int_equal(
		kmem_field_read_text(&f->fields, &f->s->space, KMEM_F_TASK_COMM, SPACE_AT, buf, 8),
		KMEM_READ_OK);
	assert_string_equal(buf, "exactly");
	assert_int_equal(
		kmem_field_read_text(&f->fields, &f->s->space, KMEM_F_BTF_NAME, SPACE_AT, buf, 8),
		KMEM_READ_UNKNOWN);
	assert_int_equal(
		kmem_field_read_text(&f->fields, &f->s->space, KMEM_F_TASK_COMM, 0, buf, 8),
		KMEM_READ_UNMAPPED);
}

static void without_btf_every_field_is_missing(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct kmem_fields fields;

	kmem_fields_init(&fields, NULL, "the guest has no BTF");
	assert_error_tag(kmem_fields_require(&fields, KMEM_VIEW_RQ), "no-kernel-field");
	missing_fields(&fields, KMEM_VIEW_RQ, &text);
	assert_contains(strbuf_str(&text), "rq.curr: the guest has no BTF\n");
	kmem_fields_deinit(&fields);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(field_offset_and_width_come_from_btf, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(alternatives_are_tried_in_turn, set_up, tear_down),
		cmocka_unit_test_setup_teardown(missing_members_are_unknown_and_named, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(texts_end_with_their_array, set_up, tear_down),
		cmocka_unit_test(without_btf_every_field_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
