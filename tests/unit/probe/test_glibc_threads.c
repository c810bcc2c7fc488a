// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/glibc.h"

#include "fake_memory.h"
#include "target.h"
#include "unit.h"

/* Offsets like those of glibc 2.36, and the place of its self pointer. */
enum { NEXT = 8, LIST = 0x2c0, TID = 0x2d0, SELF = 0x10 };

#define USED   UINT64_C(0x7f0000001000)
#define USER   UINT64_C(0x7f0000001020)
#define STACKS UINT64_C(0x7f1000000000)

static const struct probe_thread_list_layout usual = {
	.heads = { USED, USER },
	.list_next = NEXT,
	.pthread_list = LIST,
	.pthread_tid = TID,
};

static uint64_t pthread_at(int i)
{
	return STACKS + (uint64_t)i * 0x2000;
}

static uint64_t node_of(uint64_t pthread)
{
	return pthread + LIST;
}

static void put_thread(struct fake_memory *memory, uint64_t pthread, int tid, uint64_t next)
{
	fake_put_u64(memory, pthread + SELF, pthread);
	fake_put_u32(memory, pthread + TID, (uint32_t)tid);
	fake_put_u64(memory, node_of(pthread) + NEXT, next);
}

/* Two empty lists: each head points to itself. */
static struct fake_memory *empty_lists(void)
{
	struct fake_memory *memory = fake_memory_new();

	fake_put_u64(memory, USED + NEXT, USED);
	fake_put_u64(memory, USER + NEXT, USER);
	return memory;
}

static void chain(struct fake_memory *memory, uint64_t head, int first, int n)
{
	uint64_t at = head;

	for (int i = first; i < first + n; i++) {
		fake_put_u64(memory, at + NEXT, node_of(pthread_at(i)));
		put_thread(memory, pthread_at(i), 100 + i, head);
		at = node_of(pthread_at(i));
	}
}

static struct probe_thread_list walk(struct fake_memory *memory)
{
	struct probe_thread_list list;

	probe_thread_list_walk(&memory->remote, &usual, 1000, &list);
	return list;
}

static void finish(struct fake_memory *memory, struct probe_thread_list *list)
{
	probe_thread_list_deinit(list);
	free(memory);
}

static void assert_listed(const struct probe_thread_list *list, pid_t tid, uint64_t pointer)
{
	const struct probe_listed_thread *found = probe_thread_list_find(list, tid);

	assert_non_null(found);
	assert_int_equal(found->tid, tid);
	assert_int_equal(found->thread_pointer, pointer);
}

static void empty_lists_have_no_threads(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();
	struct probe_thread_list list = walk(memory);

	assert_int_equal(list.threads.n, 0);
	assert_true(list.complete);
	assert_null(probe_thread_list_find(&list, 100));
	finish(memory, &list);
}

static void both_lists_are_walked_and_sorted_by_tid(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();
	struct probe_thread_list list;

	chain(memory, USED, 3, 4);
	chain(memory, USER, 0, 3);
	list = walk(memory);
	assert_true(list.complete);
	assert_int_equal(list.threads.n, 7);
	for (int i = 0; i < 7; i++) {
		assert_int_equal(list.threads.at[i].tid, 100 + i);
		assert_listed(&list, 100 + i, pthread_at(i));
	}
	assert_null(probe_thread_list_find(&list, 99));
	assert_null(probe_thread_list_find(&list, 107));
	finish(memory, &list);
}

/* One call per thread, one per head: this is what makes it quick. */
static void each_thread_costs_one_read(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();
	struct probe_thread_list list;

	chain(memory, USED, 0, 6);
	list = walk(memory);
	assert_int_equal(memory->n_reads, 6 + 2);
	finish(memory, &list);
}

static void a_struct_without_its_self_pointer_is_not_a_thread(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();
	struct probe_thread_list list;

	chain(memory, USED, 0, 3);
	fake_put_u64(memory, pthread_at(1) + SELF, pthread_at(1) + 1);
	list = walk(memory);
	assert_true(list.complete);
	assert_int_equal(list.threads.n, 2);
	assert_null(probe_thread_list_find(&list, 101));
	assert_listed(&list, 102, pthread_at(2));
	finish(memory, &list);
}

static void a_stack_without_a_tid_is_passed_over(void **state UNUSED)
{
	static const int tids[] = { 0, -1, INT32_MIN };

	for (size_t i = 0; i < ARRAY_SIZE(tids); i++) {
		struct fake_memory *memory = empty_lists();
		struct probe_thread_list list;

		chain(memory, USED, 0, 3);
		fake_put_u32(memory, pthread_at(0) + TID, (uint32_t)tids[i]);
		list = walk(memory);
		assert_true(list.complete);
		assert_int_equal(list.threads.n, 2);
		assert_listed(&list, 101, pthread_at(1));
		finish(memory, &list);
	}
}

static void a_list_into_nowhere_keeps_what_was_found(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();
	struct probe_thread_list list;

	chain(memory, USED, 0, 3);
	chain(memory, USER, 3, 1);
	fake_put_u64(memory, node_of(pthread_at(1)) + NEXT, 0xdead0000);
	list = walk(memory);
	assert_false(list.complete);
	assert_int_equal(list.threads.n, 3);
	assert_listed(&list, 101, pthread_at(1));
	assert_listed(&list, 103, pthread_at(3));
	finish(memory, &list);
}

static void a_node_below_the_first_possible_struct_ends_the_walk(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();
	struct probe_thread_list list;

	fake_put_u64(memory, USED + NEXT, LIST - 1);
	list = walk(memory);
	assert_false(list.complete);
	assert_int_equal(list.threads.n, 0);
	finish(memory, &list);
}

static void unreadable_heads_find_nothing(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	struct probe_thread_list list = walk(memory);

	assert_false(list.complete);
	assert_int_equal(list.threads.n, 0);
	finish(memory, &list);
}

/* A thread that ends meanwhile leads into the list of free stacks, which never comes back. */
static void a_cycle_that_misses_the_head_ends(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();
	struct probe_thread_list list;

	chain(memory, USED, 0, 4);
	fake_put_u64(memory, node_of(pthread_at(3)) + NEXT, node_of(pthread_at(1)));
	list = walk(memory);
	assert_false(list.complete);
	assert_int_equal(list.threads.n, 4);
	for (int i = 0; i < 4; i++)
		assert_listed(&list, 100 + i, pthread_at(i));
	finish(memory, &list);
}

/* Whatever the bound is, a circle of a few nodes costs a few reads. */
static void a_circle_costs_no_more_than_its_length(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();
	struct probe_thread_list list;

	chain(memory, USED, 0, 5);
	fake_put_u64(memory, node_of(pthread_at(4)) + NEXT, node_of(pthread_at(2)));
	probe_thread_list_walk(&memory->remote, &usual, PROBE_LIMIT_LIST_STEPS, &list);
	assert_false(list.complete);
	assert_int_equal(list.threads.n, 5);
	assert_true(memory->n_reads < 40);
	finish(memory, &list);
}

static void a_node_that_points_to_itself_ends(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();
	struct probe_thread_list list;

	chain(memory, USED, 0, 2);
	fake_put_u64(memory, node_of(pthread_at(1)) + NEXT, node_of(pthread_at(1)));
	list = walk(memory);
	assert_false(list.complete);
	assert_int_equal(list.threads.n, 2);
	finish(memory, &list);
}

static void a_tid_that_two_structs_claim_belongs_to_neither(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();
	struct probe_thread_list list;

	chain(memory, USED, 0, 4);
	chain(memory, USER, 4, 2);
	fake_put_u32(memory, pthread_at(5) + TID, 101);
	list = walk(memory);
	assert_true(list.complete);
	assert_int_equal(list.threads.n, 4);
	assert_null(probe_thread_list_find(&list, 101));
	assert_listed(&list, 100, pthread_at(0));
	assert_listed(&list, 102, pthread_at(2));
	finish(memory, &list);
}

/* Seen in both lists while it moved from one to the other. */
static void one_struct_met_twice_counts_once(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();
	struct probe_thread_list list;

	chain(memory, USED, 0, 2);
	fake_put_u64(memory, USER + NEXT, node_of(pthread_at(1)));
	list = walk(memory);
	assert_int_equal(list.threads.n, 2);
	assert_listed(&list, 101, pthread_at(1));
	finish(memory, &list);
}

static void the_walk_stops_at_the_bound_it_was_given(void **state UNUSED)
{
	struct fake_memory *memory = empty_lists();

	chain(memory, USED, 0, 6);
	for (size_t max = 0; max <= 8; max++) {
		struct probe_thread_list list;

		probe_thread_list_walk(&memory->remote, &usual, max, &list);
		assert_int_equal(list.threads.n, max < 6 ? max : 6);
		/* The step that sees the head again is one more than there are nodes. */
		assert_int_equal(list.complete, max >= 7);
		probe_thread_list_deinit(&list);
	}
	free(memory);
}

static void offsets_of_no_struct_pthread_are_refused(void **state UNUSED)
{
	struct probe_thread_list_layout wrong[] = { usual, usual, usual };
	struct fake_memory *memory = empty_lists();

	wrong[0].list_next = 33;
	wrong[1].pthread_list = PROBE_LIMIT_PTHREAD_OFFSET + 1;
	wrong[2].pthread_tid = UINT32_MAX;
	chain(memory, USED, 0, 2);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct probe_thread_list list;

		probe_thread_list_walk(&memory->remote, &wrong[i], 100, &list);
		assert_int_equal(list.threads.n, 0);
		assert_false(list.complete);
		probe_thread_list_deinit(&list);
	}
	assert_int_equal(memory->n_reads, 0);
	free(memory);
}

/* The largest offsets that pass must still fit the buffer they are read into. */
static void the_largest_pthread_offsets_are_accepted(void **state UNUSED)
{
	const struct probe_thread_list_layout largest = {
		.heads = { USED, USER },
		.list_next = 32,
		.pthread_list = PROBE_LIMIT_PTHREAD_OFFSET,
		.pthread_tid = PROBE_LIMIT_PTHREAD_OFFSET,
	};
	struct fake_memory *memory = fake_memory_new();
	uint64_t pthread = STACKS;
	struct probe_thread_list list;
	uint8_t page[FAKE_PAGE_BYTES] = { 0 };

	for (int i = 0; i < 5; i++)
		fake_put(memory, pthread + (uint64_t)i * sizeof(page), page, sizeof(page));
	fake_put_u64(memory, USED + 32, pthread + PROBE_LIMIT_PTHREAD_OFFSET);
	fake_put_u64(memory, USER + 32, USER);
	fake_put_u64(memory, pthread + SELF, pthread);
	fake_put_u32(memory, pthread + PROBE_LIMIT_PTHREAD_OFFSET, 555);
	fake_put_u64(memory, pthread + PROBE_LIMIT_PTHREAD_OFFSET + 32, USED);
	probe_thread_list_walk(&memory->remote, &largest, 10, &list);
	assert_true(list.complete);
	assert_listed(&list, 555, pthread);
	finish(memory, &list);
}

/* pthread_self() of each thread, said by itself, is the oracle. */
static void a_live_process_lists_exactly_its_threads(void **state UNUSED)
{
	struct target target = target_start("KTSTR_TARGET");
	struct target_thread threads[20];
	struct probe_remote_process process;
	struct probe_glibc_layout glibc;
	struct probe_objects objects;
	struct probe_thread_list list;

	threads[0] = target_thread_of(target_ask(&target, "hello"));
	for (size_t i = 1; i < ARRAY_SIZE(threads); i++)
		threads[i] = target_new_thread(&target);
	assert_success(probe_objects_read("/proc", target.pid, NULL, NULL, &objects));
	assert_success(probe_glibc_layout_read(&objects, &glibc));
	probe_remote_process_init(&process, target.pid);
	probe_thread_list_walk(&process.remote, &glibc.threads, 1000, &list);
	assert_true(list.complete);
	assert_int_equal(list.threads.n, ARRAY_SIZE(threads));
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_listed(&list, threads[i].tid, threads[i].pointer);
	probe_thread_list_deinit(&list);

	/* One ends: its stack stays mapped in glibc's cache, but it is no thread. */
	target_ask(&target, "end 7");
	wait_until_gone(target.pid, threads[7].tid);
	probe_thread_list_walk(&process.remote, &glibc.threads, 1000, &list);
	assert_true(list.complete);
	assert_int_equal(list.threads.n, ARRAY_SIZE(threads) - 1);
	assert_null(probe_thread_list_find(&list, threads[7].tid));
	probe_thread_list_deinit(&list);
	probe_objects_deinit(&objects);
	target_end(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_lists_have_no_threads),
		cmocka_unit_test(both_lists_are_walked_and_sorted_by_tid),
		cmocka_unit_test(each_thread_costs_one_read),
		cmocka_unit_test(a_struct_without_its_self_pointer_is_not_a_thread),
		cmocka_unit_test(a_stack_without_a_tid_is_passed_over),
		cmocka_unit_test(a_list_into_nowhere_keeps_what_was_found),
		cmocka_unit_test(a_node_below_the_first_possible_struct_ends_the_walk),
		cmocka_unit_test(unreadable_heads_find_nothing),
		cmocka_unit_test(a_cycle_that_misses_the_head_ends),
		cmocka_unit_test(a_circle_costs_no_more_than_its_length),
		cmocka_unit_test(a_node_that_points_to_itself_ends),
		cmocka_unit_test(a_tid_that_two_structs_claim_belongs_to_neither),
		cmocka_unit_test(one_struct_met_twice_counts_once),
		cmocka_unit_test(the_walk_stops_at_the_bound_it_was_given),
		cmocka_unit_test(offsets_of_no_struct_pthread_are_refused),
		cmocka_unit_test(the_largest_pthread_offsets_are_accepted),
		cmocka_unit_test(a_live_process_lists_exactly_its_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
