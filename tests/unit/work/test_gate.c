// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/work.h"

#include <pthread.h>

#include "base/clock.h"
#include "fixture.h"

struct waiter {
	struct work_gate *gate;
	_Atomic uint32_t stop;
	_Atomic int passed; /* -1: not yet */
	pthread_t thread;
};

static void *wait_there(void *arg)
{
	struct waiter *w = arg;

	atomic_store(&w->passed, work_gate_wait(w->gate, &w->stop));
	return NULL;
}

static void put(struct waiter *w, struct work_gate *gate)
{
	w->gate = gate;
	atomic_store(&w->stop, 0);
	atomic_store(&w->passed, -1);
	assert_int_equal(pthread_create(&w->thread, NULL, wait_there, w), 0);
}

static void open_gate_lets_every_waiter_pass(void **state UNUSED)
{
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct waiter waiters[4];
	uint64_t before_ns, at_ns;

	assert_success(work_gate_new(&gate));
	assert_true(work_gate_opened_at_ns(gate) == 0);
	for (size_t i = 0; i < ARRAY_SIZE(waiters); i++)
		put(&waiters[i], gate);
	sleep_ms(20);
	for (size_t i = 0; i < ARRAY_SIZE(waiters); i++)
		assert_int_equal(atomic_load(&waiters[i].passed), -1);
	before_ns = clock_monotonic_ns();
	work_gate_open(gate);
	at_ns = work_gate_opened_at_ns(gate);
	assert_true(before_ns <= at_ns && at_ns <= clock_monotonic_ns());
	for (size_t i = 0; i < ARRAY_SIZE(waiters); i++) {
		pthread_join(waiters[i].thread, NULL);
		assert_int_equal(atomic_load(&waiters[i].passed), 1);
	}
}

static void opening_a_gate_twice_keeps_its_first_time(void **state UNUSED)
{
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_Atomic uint32_t stop = 0;
	uint64_t at_ns;

	assert_success(work_gate_new(&gate));
	work_gate_open(gate);
	at_ns = work_gate_opened_at_ns(gate);
	sleep_ms(1);
	work_gate_open(gate);
	assert_true(work_gate_opened_at_ns(gate) == at_ns);
	assert_true(work_gate_wait(gate, &stop));
}

static void a_nudge_turns_away_only_stopped_waiters(void **state UNUSED)
{
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct waiter leaves, stays;

	assert_success(work_gate_new(&gate));
	put(&leaves, gate);
	put(&stays, gate);
	sleep_ms(20);
	atomic_store(&leaves.stop, 1);
	work_gate_nudge(gate);
	pthread_join(leaves.thread, NULL);
	assert_int_equal(atomic_load(&leaves.passed), 0);
	assert_true(work_gate_opened_at_ns(gate) == 0);
	sleep_ms(5);
	assert_int_equal(atomic_load(&stays.passed), -1);
	work_gate_open(gate);
	pthread_join(stays.thread, NULL);
	assert_int_equal(atomic_load(&stays.passed), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_gate_lets_every_waiter_pass),
		cmocka_unit_test(opening_a_gate_twice_keeps_its_first_time),
		cmocka_unit_test(a_nudge_turns_away_only_stopped_waiters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
