// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/work.h"

#include "base/clock.h"
#include "fixture.h"

enum { SEEDS = 200, MANY = 16, WORKERS = 8 };

static void without_a_seed_the_order_is_the_declared_one(void **state UNUSED)
{
	size_t order[MANY];

	work_start_order(0, MANY, order);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(order[i], i);
}

static void every_seed_gives_a_permutation(void **state UNUSED)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		for (size_t n = 0; n <= MANY; n++) {
			bool seen[MANY] = { false };
			size_t order[MANY];

			work_start_order(seed, n, order);
			for (size_t i = 0; i < n; i++) {
				assert_true(order[i] < n);
				assert_false(seen[order[i]]);
				seen[order[i]] = true;
			}
		}
}

/* Of three there are six orders: 200 seeds give each of them about 33 times. */
static void seeds_give_all_orders_about_equally_often(void **state UNUSED)
{
	unsigned int counts[27] = { 0 };
	unsigned int orders = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		size_t order[3];

		work_start_order(seed, 3, order);
		counts[order[0] * 9 + order[1] * 3 + order[2]]++;
	}
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		orders += counts[i] > 0;
		assert_true(counts[i] == 0 || (counts[i] > 10 && counts[i] < 70));
	}
	assert_int_equal(orders, 6);
}

static void same_seed_same_order_and_offsets(void **state UNUSED)
{
	size_t first[MANY], again[MANY];

	work_start_order(7, MANY, first);
	work_start_order(7, MANY, again);
	assert_memory_equal(first, again, sizeof(first));
	for (unsigned int i = 0; i < MANY; i++)
		assert_true(work_start_offset_ns(7, i) == work_start_offset_ns(7, i));
}

static void offsets_are_bounded_and_use_the_whole_range(void **state UNUSED)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		for (unsigned int i = 0; i < MANY; i++) {
			uint64_t ns = work_start_offset_ns(seed, i);

			assert_true(ns < WORK_LIMIT_OFFSET_NS);
			least = ns < least ? ns : least;
			most = ns > most ? ns : most;
		}
	assert_true(least < WORK_LIMIT_OFFSET_NS / 100);
	assert_true(most > WORK_LIMIT_OFFSET_NS / 100 * 99);
	for (unsigned int i = 0; i < MANY; i++)
		assert_true(work_start_offset_ns(0, i) == 0);
	assert_true(work_start_offset_ns(UINT64_MAX, 0) < WORK_LIMIT_OFFSET_NS);
}

/* Neighbours in one of the two must not share a sequence, or workers would start in step. */
static void offsets_differ_between_workers_and_seeds(void **state UNUSED)
{
	for (uint64_t seed = 1; seed < SEEDS; seed++)
		for (unsigned int i = 0; i + 1 < MANY; i++) {
			uint64_t ns = work_start_offset_ns(seed, i);

			assert_true(ns != work_start_offset_ns(seed, i + 1));
			assert_true(ns != work_start_offset_ns(seed + 1, i));
			assert_true(ns != work_start_offset_ns(seed + 1, i + 1));
		}
}

static void groups_of_a_gate_number_their_workers_on(void **state UNUSED)
{
	_cleanup_work_gate_ struct work_gate *gate = NULL;

	assert_success(work_gate_new(&gate));
	assert_int_equal(work_gate_enrol(gate, 3), 0);
	assert_int_equal(work_gate_enrol(gate, 2), 3);
	assert_int_equal(work_gate_enrol(gate, 1), 5);
	assert_true(work_gate_offset_ns(gate, 5) == 0);
	work_gate_set_seed(gate, 9);
	assert_true(work_gate_offset_ns(gate, 5) == work_start_offset_ns(9, 5));
}

/* Until each has worked, so that its offset is over. */
static struct work_group *worked(struct work_gate *gate)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = WORKERS };
	struct work_group *group = started(gate, &spec, true);
	struct work_report r;

	for (unsigned int i = 0; i < WORKERS; i++)
		do {
			sleep_ms(1);
			work_sample(group, i, &r);
		} while (r.iterations == 0);
	work_stop(group, PATIENCE_NS);
	return group;
}

static void an_offset_is_sleep_that_was_asked_for(void **state UNUSED)
{
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct work_report r;

	assert_success(work_gate_new(&gate));
	work_gate_set_seed(gate, 3);
	group = worked(gate);
	for (unsigned int i = 0; i < WORKERS; i++) {
		work_sample(group, i, &r);
		assert_true(r.sleep_ns == work_start_offset_ns(3, i));
	}
}

static void workers_of_a_gate_without_seed_do_not_sleep(void **state UNUSED)
{
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct work_report r;

	assert_success(work_gate_new(&gate));
	group = worked(gate);
	for (unsigned int i = 0; i < WORKERS; i++) {
		work_sample(group, i, &r);
		assert_true(r.sleep_ns == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_seed_the_order_is_the_declared_one),
		cmocka_unit_test(every_seed_gives_a_permutation),
		cmocka_unit_test(seeds_give_all_orders_about_equally_often),
		cmocka_unit_test(same_seed_same_order_and_offsets),
		cmocka_unit_test(offsets_are_bounded_and_use_the_whole_range),
		cmocka_unit_test(offsets_differ_between_workers_and_seeds),
		cmocka_unit_test(groups_of_a_gate_number_their_workers_on),
		cmocka_unit_test(an_offset_is_sleep_that_was_asked_for),
		cmocka_unit_test(workers_of_a_gate_without_seed_do_not_sleep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
