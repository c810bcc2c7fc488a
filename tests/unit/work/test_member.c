// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/group.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "fixture.h"

static void a_workers_end_follows_from_status_stage_and_killer(void **state UNUSED)
{
	static const struct {
		uint64_t killed_at_ns;
		enum work_slot_stage stage;
		int how, status;
		enum work_end end;
		int code;
	} rows[] = {
		{ 0, WORK_SLOT_DONE, CLD_EXITED, 0, WORK_END_FINISHED, 0 },
		{ 0, WORK_SLOT_TURNED_AWAY, CLD_EXITED, 0, WORK_END_NEVER_STARTED, 0 },
		/* It left without a word: not the same as finished. */
		{ 0, WORK_SLOT_WORKING, CLD_EXITED, 0, WORK_END_EXITED, 0 },
		{ 0, WORK_SLOT_WAITING, CLD_EXITED, 0, WORK_END_EXITED, 0 },
		{ 0, WORK_SLOT_WORKING, CLD_EXITED, 7, WORK_END_EXITED, 7 },
		{ 0, WORK_SLOT_DONE, CLD_EXITED, 7, WORK_END_EXITED, 7 },
		{ 0, WORK_SLOT_WORKING, CLD_KILLED, SIGKILL, WORK_END_SIGNALLED, SIGKILL },
		{ 0, WORK_SLOT_WORKING, CLD_DUMPED, SIGSEGV, WORK_END_SIGNALLED, SIGSEGV },
		{ 9, WORK_SLOT_WORKING, CLD_KILLED, SIGKILL, WORK_END_KILLED, 0 },
		/* Our kill came too late. */
		{ 9, WORK_SLOT_WORKING, CLD_KILLED, SIGTERM, WORK_END_SIGNALLED, SIGTERM },
		{ 9, WORK_SLOT_DONE, CLD_EXITED, 0, WORK_END_FINISHED, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct work_member m = { .killed_at_ns = rows[i].killed_at_ns };
		int code = -1;

		assert_int_equal(
			work_member_end(&m, rows[i].stage, rows[i].how, rows[i].status, &code),
			rows[i].end);
		assert_int_equal(code, rows[i].code);
	}
}

static void waiting_for_a_running_worker_times_out(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SLEEP, .workers = 1 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct work_group *group;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, true);
	assert_false(work_member_settle(group, 0));
	assert_false(work_member_wait(group, 0, clock_monotonic_ns() + 5 * NS_PER_MS));
	assert_int_equal(kill(group->members[0].pid, SIGTERM), 0);
	assert_true(work_member_wait(group, 0, UINT64_MAX));
	/* Seen, yet still a zombie of ours. */
	assert_int_equal(kill(group->members[0].pid, 0), 0);
	assert_int_equal(group->members[0].end, WORK_END_SIGNALLED);
	work_free(group);
	assert_true(no_children_left());
}

static void the_end_of_a_worker_reaped_by_others_is_lost(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 2 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct work_group *group;
	struct work_report report;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, true);
	work_sample(group, 0, &report);
	kill(report.pid, SIGKILL);
	assert_int_equal(waitpid(report.pid, NULL, 0), report.pid);
	work_sample(group, 0, &report);
	assert_int_equal(report.end, WORK_END_LOST);
	work_stop(group, PATIENCE_NS);
	work_sample(group, 1, &report);
	assert_int_equal(report.end, WORK_END_FINISHED);
	work_free(group);
	assert_true(no_children_left());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_workers_end_follows_from_status_stage_and_killer),
		cmocka_unit_test(waiting_for_a_running_worker_times_out),
		cmocka_unit_test(the_end_of_a_worker_reaped_by_others_is_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
