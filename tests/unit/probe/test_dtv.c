// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/dtv.h"

#include "fake_memory.h"
#include "unit.h"

/* As in glibc: the vector's slots are two words, its pointer in the struct at 8. */
enum { DTVP = 8, SLOT = 16, MODULE = 3 };

#define THREAD(i) (UINT64_C(0x7f0000000000) + (uint64_t)(i) * 0x10000)
#define VECTOR(i) (UINT64_C(0x7e0000000100) + (uint64_t)(i) * 0x1000)
#define BLOCK	  UINT64_C(0x7d0000000040)

static const struct glibc_layout glibc = {
	.has_libraries = true,
	.pthread_dtvp = DTVP,
	.dtv_slot_bytes = SLOT,
};
static const struct library_tls library = { .module_id = MODULE, .generation = 5 };

static void put_vector(struct fake_memory *memory, int i, uint64_t length, uint64_t generation,
		       uint64_t value)
{
	fake_put_u64(memory, THREAD(i) + DTVP, VECTOR(i));
	fake_put_u64(memory, VECTOR(i) - SLOT, length);
	fake_put_u64(memory, VECTOR(i), generation);
	fake_put_u64(memory, VECTOR(i) + (uint64_t)MODULE * SLOT, value);
}

static struct dtv_lookup look(struct fake_memory *memory, int i)
{
	struct dtv_lookup lookup = { .thread_pointer = THREAD(i) };

	dtv_find_blocks(&memory->remote, &glibc, &library, &lookup, 1);
	return lookup;
}

static struct dtv_lookup look_at(uint64_t length, uint64_t generation, uint64_t value)
{
	struct fake_memory *memory = fake_memory_new();
	struct dtv_lookup lookup;

	put_vector(memory, 0, length, generation, value);
	lookup = look(memory, 0);
	free(memory);
	return lookup;
}

static void a_block_is_found_in_its_slot(void **state UNUSED)
{
	struct dtv_lookup lookup = look_at(14, 5, BLOCK);

	assert_int_equal(lookup.status, DTV_FOUND);
	assert_int_equal(lookup.block, BLOCK);
	/* The last slot there is, and a vector newer than the module. */
	assert_int_equal(look_at(MODULE, 5, BLOCK).status, DTV_FOUND);
	assert_int_equal(look_at(14, 99, BLOCK).status, DTV_FOUND);
}

static void a_slot_without_a_block_is_untouched(void **state UNUSED)
{
	assert_int_equal(look_at(14, 5, 0).status, DTV_UNTOUCHED);
	assert_int_equal(look_at(14, 5, UINT64_MAX).status, DTV_UNTOUCHED);
}

/* What stands behind the end, or in a slot of an older library, is not ours. */
static void a_vector_too_short_or_too_old_is_untouched(void **state UNUSED)
{
	assert_int_equal(look_at(MODULE - 1, 5, BLOCK).status, DTV_UNTOUCHED);
	assert_int_equal(look_at(0, 5, BLOCK).status, DTV_UNTOUCHED);
	assert_int_equal(look_at(14, 4, BLOCK).status, DTV_UNTOUCHED);
	assert_int_equal(look_at(14, 0, BLOCK).status, DTV_UNTOUCHED);
}

static void a_slot_outside_mapped_memory_matters_only_if_it_counts(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	uint64_t edge = UINT64_C(0x7e0000002000); /* the slot would begin on the next page */

	fake_put_u64(memory, THREAD(0) + DTVP, edge - (uint64_t)MODULE * SLOT);
	fake_put_u64(memory, edge - (uint64_t)MODULE * SLOT - SLOT, 2);
	fake_put_u64(memory, edge - (uint64_t)MODULE * SLOT, 5);
	assert_int_equal(look(memory, 0).status, DTV_UNTOUCHED);
	fake_put_u64(memory, edge - (uint64_t)MODULE * SLOT - SLOT, 14);
	assert_int_equal(look(memory, 0).status, DTV_UNREADABLE);
	assert_int_equal(look(memory, 0).why, REMOTE_FAULT);
	free(memory);
}

static void a_thread_that_cannot_be_read_says_why(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();

	assert_int_equal(look(memory, 0).status, DTV_UNREADABLE);
	assert_int_equal(look(memory, 0).why, REMOTE_FAULT);
	memory->outside = REMOTE_GONE;
	assert_int_equal(look(memory, 0).why, REMOTE_GONE);
	memory->outside = REMOTE_DENIED;
	/* The struct is there, its vector is not. */
	fake_put_u64(memory, THREAD(0) + DTVP, VECTOR(0));
	assert_int_equal(look(memory, 0).status, DTV_UNREADABLE);
	assert_int_equal(look(memory, 0).why, REMOTE_DENIED);
	free(memory);
}

static void many_threads_keep_their_own_answers(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	struct dtv_lookup lookups[12] = { 0 };

	for (int i = 0; i < 12; i++) {
		lookups[i].thread_pointer = THREAD(i);
		if (i % 3 == 0)
			put_vector(memory, i, 14, 5, BLOCK + (uint64_t)i);
		else if (i % 3 == 1)
			put_vector(memory, i, 14, 4, BLOCK);
	}
	dtv_find_blocks(&memory->remote, &glibc, &library, lookups, 12);
	for (int i = 0; i < 12; i++) {
		static const enum dtv_status expected[] = { DTV_FOUND, DTV_UNTOUCHED,
							    DTV_UNREADABLE };

		assert_int_equal(lookups[i].status, expected[i % 3]);
		if (i % 3 == 0)
			assert_int_equal(lookups[i].block, BLOCK + (uint64_t)i);
	}
	free(memory);
}

static void the_value_may_stand_anywhere_in_the_slot(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	struct dtv_lookup lookup = { .thread_pointer = THREAD(0) };
	struct glibc_layout other = glibc;

	other.dtv_slot_bytes = 32;
	other.dtv_pointer_val = 8;
	fake_put_u64(memory, THREAD(0) + DTVP, VECTOR(0));
	fake_put_u64(memory, VECTOR(0) - 32, 14);
	fake_put_u64(memory, VECTOR(0), 5);
	fake_put_u64(memory, VECTOR(0) + (uint64_t)MODULE * 32 + 8, BLOCK);
	dtv_find_blocks(&memory->remote, &other, &library, &lookup, 1);
	assert_int_equal(lookup.status, DTV_FOUND);
	assert_int_equal(lookup.block, BLOCK);
	free(memory);
}

static void no_threads_are_no_work(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();

	dtv_find_blocks(&memory->remote, &glibc, &library, NULL, 0);
	assert_int_equal(memory->n_reads, 0);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_is_found_in_its_slot),
		cmocka_unit_test(a_slot_without_a_block_is_untouched),
		cmocka_unit_test(a_vector_too_short_or_too_old_is_untouched),
		cmocka_unit_test(a_slot_outside_mapped_memory_matters_only_if_it_counts),
		cmocka_unit_test(a_thread_that_cannot_be_read_says_why),
		cmocka_unit_test(many_threads_keep_their_own_answers),
		cmocka_unit_test(the_value_may_stand_anywhere_in_the_slot),
		cmocka_unit_test(no_threads_are_no_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
