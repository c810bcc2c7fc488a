// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/counters.h"

#include "fake_memory.h"
#include "unit.h"

enum { ALLOCATED = 0x338, DEALLOCATED = 0x348, DTVP = 8, SLOT = 16, MODULE = 2 };

#define THREAD(i) (UINT64_C(0x7f0000008000) + (uint64_t)(i) * 0x10000)
#define VECTOR(i) (UINT64_C(0x7e0000000100) + (uint64_t)(i) * 0x1000)
#define BLOCK(i)  (UINT64_C(0x7d0000000040) + (uint64_t)(i) * 0x1000)

static const struct probe_glibc_layout glibc = { .pthread_dtvp = DTVP, .dtv_slot_bytes = SLOT };

static const struct probe_counter_place in_executable = {
	.in_executable = true,
	.tls = { .memsz = 0xa41, .align = 64, .aligned_memsz = 0xa80 },
	.allocated = ALLOCATED,
	.deallocated = DEALLOCATED,
};

static const struct probe_counter_place in_static_area = {
	.library = { .module_id = MODULE, .is_static = true, .static_offset = 0x1000 },
	.allocated = ALLOCATED,
	.deallocated = DEALLOCATED,
};

static const struct probe_counter_place in_vector = {
	.library = { .module_id = MODULE, .generation = 1 },
	.allocated = ALLOCATED,
	.deallocated = DEALLOCATED,
};

static void put_counters(struct fake_memory *memory, uint64_t block, uint64_t allocated,
			 uint64_t deallocated)
{
	fake_put_u64(memory, block + ALLOCATED, allocated);
	fake_put_u64(memory, block + ALLOCATED + 8, 0x5555555555555555);
	fake_put_u64(memory, block + DEALLOCATED, deallocated);
}

static struct probe_counter_read read_one(struct fake_memory *memory,
					  const struct probe_counter_place *place,
					  uint64_t thread_pointer)
{
	struct probe_counter_read read = { .thread_pointer = thread_pointer };

	probe_counters_read(&memory->remote, &glibc, place, &read, 1);
	return read;
}

static void assert_counters(struct probe_counter_read read, uint64_t allocated,
			    uint64_t deallocated)
{
	assert_int_equal(read.status, PROBE_COUNTER_OK);
	assert_int_equal(read.allocated_bytes, allocated);
	assert_int_equal(read.deallocated_bytes, deallocated);
}

static void sane(uint64_t allocated, uint64_t deallocated, bool expected)
{
	if (probe_counters_are_sane(allocated, deallocated) != expected)
		fail_msg("%#llx and %#llx", (unsigned long long)allocated,
			 (unsigned long long)deallocated);
}

static void counters_must_be_in_jemallocs_order(void **state UNUSED)
{
	sane(16, 32, true);
	sane(0, 8, true);
	sane(64, 16, false);
	sane(16, 16, false);
}

static void counters_far_apart_are_of_another_struct(void **state UNUSED)
{
	sane(0, PROBE_LIMIT_COUNTER_SPAN_BYTES - 8, true);
	sane(0, PROBE_LIMIT_COUNTER_SPAN_BYTES - 7, false);
	sane(0, UINT64_C(1) << 40, false);
}

/* Sizes come out of a foreign file: the sum of distance and word must not wrap to a small one. */
static void a_distance_that_would_wrap_is_refused(void **state UNUSED)
{
	sane(0, UINT64_MAX, false);
	sane(0, UINT64_MAX - 7, false);
	sane(7, UINT64_MAX, false);
}

static void the_executables_counters_lie_below_the_thread_pointer(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	struct probe_counter_read read;

	put_counters(memory, THREAD(0) - 0xa80, 1809952, 4711);
	read = read_one(memory, &in_executable, THREAD(0));
	assert_counters(read, 1809952, 4711);
	assert_int_equal(read.address, THREAD(0) - 0xa80 + ALLOCATED);
	assert_int_equal(memory->n_reads, 1);
	free(memory);
}

static void a_librarys_counters_lie_at_its_offset(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();

	put_counters(memory, THREAD(0) - 0x1000, UINT64_MAX, 1);
	assert_counters(read_one(memory, &in_static_area, THREAD(0)), UINT64_MAX, 1);
	free(memory);
}

static void put_vector(struct fake_memory *memory, int i, uint64_t block)
{
	fake_put_u64(memory, THREAD(i) + DTVP, VECTOR(i));
	fake_put_u64(memory, VECTOR(i) - SLOT, 14);
	fake_put_u64(memory, VECTOR(i), 1);
	fake_put_u64(memory, VECTOR(i) + (uint64_t)MODULE * SLOT, block);
}

static void a_librarys_counters_may_lie_in_a_block_of_their_own(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	struct probe_counter_read read;

	put_vector(memory, 0, BLOCK(0));
	put_counters(memory, BLOCK(0), 70, 60);
	read = read_one(memory, &in_vector, THREAD(0));
	assert_counters(read, 70, 60);
	assert_int_equal(read.address, BLOCK(0) + ALLOCATED);
	free(memory);
}

/* Zero is the true value here, not an unknown one. */
static void a_thread_that_never_used_the_library_has_zero(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	struct probe_counter_read read = { .thread_pointer = THREAD(0),
					   .allocated_bytes = 99,
					   .deallocated_bytes = 98 };

	put_vector(memory, 0, UINT64_MAX);
	probe_counters_read(&memory->remote, &glibc, &in_vector, &read, 1);
	assert_counters(read, 0, 0);
	assert_int_equal(read.address, 0);
	free(memory);
}

static void an_unreadable_value_carries_its_reason(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	struct probe_counter_read read = read_one(memory, &in_executable, THREAD(0));

	assert_int_equal(read.status, PROBE_COUNTER_UNREADABLE);
	assert_int_equal(read.why, PROBE_REMOTE_FAULT);
	memory->outside = PROBE_REMOTE_GONE;
	read = read_one(memory, &in_executable, THREAD(0));
	assert_int_equal(read.why, PROBE_REMOTE_GONE);
	read = read_one(memory, &in_vector, THREAD(0));
	assert_int_equal(read.status, PROBE_COUNTER_UNREADABLE);
	assert_int_equal(read.why, PROBE_REMOTE_GONE);
	free(memory);
}

static void one_unreadable_counter_makes_the_pair_unreadable(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	uint64_t block = UINT64_C(0x7f0000001000) - DEALLOCATED; /* the second on the next page */

	fake_put_u64(memory, block + ALLOCATED, 5);
	assert_int_equal(read_one(memory, &in_executable, block + 0xa80).status,
			 PROBE_COUNTER_UNREADABLE);
	free(memory);
}

static void a_thread_pointer_without_room_below_it_has_no_address(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();

	assert_int_equal(read_one(memory, &in_executable, 0xa7f).status, PROBE_COUNTER_NO_ADDRESS);
	assert_int_equal(read_one(memory, &in_executable, 0).status, PROBE_COUNTER_NO_ADDRESS);
	assert_int_equal(read_one(memory, &in_static_area, 0xfff).status, PROBE_COUNTER_NO_ADDRESS);
	put_vector(memory, 0, UINT64_MAX - 1);
	assert_int_equal(read_one(memory, &in_vector, THREAD(0)).status, PROBE_COUNTER_NO_ADDRESS);
	assert_int_equal(memory->n_reads, 5); /* those of the vector alone */
	free(memory);
}

/* Good, broken and untouched threads side by side: each keeps its own numbers. */
static void threads_do_not_get_each_others_numbers(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	struct probe_counter_read reads[9] = { 0 };

	for (int i = 0; i < 9; i++) {
		reads[i].thread_pointer = THREAD(i);
		if (i % 3 == 0) {
			put_vector(memory, i, BLOCK(i));
			put_counters(memory, BLOCK(i), 1000 + (uint64_t)i, 2000 + (uint64_t)i);
		} else if (i % 3 == 1) {
			put_vector(memory, i, 0);
		} else {
			put_vector(memory, i, 0xdead0000);
		}
	}
	probe_counters_read(&memory->remote, &glibc, &in_vector, reads, 9);
	for (int i = 0; i < 9; i++) {
		if (i % 3 == 0)
			assert_counters(reads[i], 1000 + (uint64_t)i, 2000 + (uint64_t)i);
		else if (i % 3 == 1)
			assert_counters(reads[i], 0, 0);
		else
			assert_int_equal(reads[i].status, PROBE_COUNTER_UNREADABLE);
	}
	free(memory);
}

static void locating_counters_does_not_read_them(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	struct probe_counter_read read = { .thread_pointer = THREAD(0) };

	probe_counters_locate(&memory->remote, &glibc, &in_executable, 0x20, &read, 1);
	assert_int_equal(read.status, PROBE_COUNTER_OK);
	assert_int_equal(read.address, THREAD(0) - 0xa80 + 0x20);
	assert_int_equal(memory->n_reads, 0);
	free(memory);
}

static void no_threads_cause_no_reads(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();

	probe_counters_read(&memory->remote, &glibc, &in_vector, NULL, 0);
	probe_counters_read(&memory->remote, &glibc, &in_executable, NULL, 0);
	assert_int_equal(memory->n_reads, 0);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_must_be_in_jemallocs_order),
		cmocka_unit_test(counters_far_apart_are_of_another_struct),
		cmocka_unit_test(a_distance_that_would_wrap_is_refused),
		cmocka_unit_test(the_executables_counters_lie_below_the_thread_pointer),
		cmocka_unit_test(a_librarys_counters_lie_at_its_offset),
		cmocka_unit_test(a_librarys_counters_may_lie_in_a_block_of_their_own),
		cmocka_unit_test(a_thread_that_never_used_the_library_has_zero),
		cmocka_unit_test(an_unreadable_value_carries_its_reason),
		cmocka_unit_test(one_unreadable_counter_makes_the_pair_unreadable),
		cmocka_unit_test(a_thread_pointer_without_room_below_it_has_no_address),
		cmocka_unit_test(threads_do_not_get_each_others_numbers),
		cmocka_unit_test(locating_counters_does_not_read_them),
		cmocka_unit_test(no_threads_cause_no_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
