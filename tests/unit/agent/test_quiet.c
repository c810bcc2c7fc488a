// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/quiet.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "heard.h"
#include "staged_root.h"

enum { WINDOW_MS = 20, LIMIT_MS = 1000, PERMILLE = 100 };

static const struct wire_settle request = { LIMIT_MS, WINDOW_MS, PERMILLE };

/* Two CPUs; `busy_ms` is the time in tasks of CPU 1 so far. */
static struct agent_quiet_sample sample_at(uint64_t at_ms, uint64_t busy_ms, uint64_t running)
{
	struct agent_quiet_sample s = { .at_ns = at_ms * NS_PER_MS, .running = running };

	vec_push(&s.cpus, (struct agent_quiet_cpu){ 0, 0 });
	vec_push(&s.cpus, (struct agent_quiet_cpu){ 1, busy_ms * NS_PER_MS });
	return s;
}

static struct agent_quiet *begin_at(uint64_t at_ms, uint64_t busy_ms)
{
	struct agent_quiet_sample first = sample_at(at_ms, busy_ms, 1);

	return agent_quiet_begin(5, &request, &first);
}

static enum agent_quiet_verdict look(struct agent_quiet *q, uint64_t at_ms, uint64_t busy_ms,
				     uint64_t running)
{
	struct agent_quiet_sample s = sample_at(at_ms, busy_ms, running);

	return agent_quiet_judge(q, &s);
}

static void three_quiet_windows_in_a_row_are_enough(void **state UNUSED)
{
	/* What was before the first look does not count. */
	struct agent_quiet *q = begin_at(1000, 900);
	struct wire_settled settled;

	assert_int_equal(look(q, 1020, 902, 1), AGENT_QUIET_WAIT);
	assert_int_equal(look(q, 1040, 902, 1), AGENT_QUIET_WAIT);
	assert_int_equal(look(q, 1060, 903, 1), AGENT_QUIET_DONE);
	settled = agent_quiet_result(q);
	assert_int_equal(settled.waited_ns, 60 * NS_PER_MS);
	assert_int_equal(settled.quiet_ns, 60 * NS_PER_MS);
	assert_int_equal(settled.cpu, 1);
	assert_int_equal(settled.permille, 100);
	agent_quiet_free(q);
}

static void a_busy_window_begins_the_count_again(void **state UNUSED)
{
	struct agent_quiet *q = begin_at(1000, 0);

	assert_int_equal(look(q, 1020, 0, 1), AGENT_QUIET_WAIT);
	assert_int_equal(look(q, 1040, 0, 1), AGENT_QUIET_WAIT);
	/* More than a tenth of the window. */
	assert_int_equal(look(q, 1060, 3, 1), AGENT_QUIET_WAIT);
	assert_int_equal(look(q, 1080, 3, 1), AGENT_QUIET_WAIT);
	assert_int_equal(look(q, 1100, 3, 1), AGENT_QUIET_WAIT);
	assert_int_equal(look(q, 1120, 3, 1), AGENT_QUIET_DONE);
	assert_int_equal(agent_quiet_result(q).waited_ns, 120 * NS_PER_MS);
	assert_int_equal(agent_quiet_result(q).quiet_ns, 60 * NS_PER_MS);
	assert_int_equal(agent_quiet_result(q).permille, 0);
	agent_quiet_free(q);
}

static void a_task_that_runs_without_leaving_its_cpu_is_seen(void **state UNUSED)
{
	struct agent_quiet *q = begin_at(1000, 0);

	/* The counters stand still, but somebody runs beside the agent. */
	for (uint64_t at = 1020; at < 1000 + LIMIT_MS; at += 20)
		assert_int_equal(look(q, at, 0, 2), AGENT_QUIET_WAIT);
	assert_int_equal(look(q, 1000 + LIMIT_MS, 0, 2), AGENT_QUIET_NAME);
	agent_quiet_free(q);
}

static void cpus_that_come_and_go_are_not_quiet(void **state UNUSED)
{
	struct agent_quiet *q = begin_at(1000, 0);
	struct agent_quiet_sample other;

	assert_int_equal(look(q, 1020, 0, 1), AGENT_QUIET_WAIT);
	assert_int_equal(look(q, 1040, 0, 1), AGENT_QUIET_WAIT);
	other = sample_at(1060, 0, 1);
	other.cpus.n = 1;
	assert_int_equal(agent_quiet_judge(q, &other), AGENT_QUIET_WAIT);
	agent_quiet_free(q);
}

static void stage_proc(const char *root, const char *running)
{
	static const char schedstat[] = "version 17\ncpu0 0 0 0 0 0 0 1 2 3\n";
	_cleanup_free_ char *stat = xasprintf("cpu0 1 2 3 4 5\nprocs_running %s\n", running);

	staged_file(root, "/schedstat", schedstat, strlen(schedstat));
	staged_file(root, "/stat", stat, strlen(stat));
}

/* Steps until it is answered. */
static void settle(const char *root, uint32_t limit_ms, struct heard *h)
{
	struct wire_settle message = { limit_ms, 5, PERMILLE };
	struct agent_quiet *q;

	heard_begin(h);
	assert_success(agent_quiet_new(5, &message, root, &q));
	assert_int_equal(agent_quiet_channel(q), 5);
	while (!agent_quiet_step(q, &h->out))
		assert_true(agent_quiet_due_ns(q) <=
			    clock_monotonic_ns() + 2 * AGENT_QUIET_TASKS_MS * NS_PER_MS);
	heard_listen(h);
	assert_int_equal(h->n, 1);
	assert_int_equal(h->channels[0], 5);
	agent_quiet_free(q);
}

static void a_quiet_proc_is_answered_by_settled(void **state UNUSED)
{
	char *root = staged_root_new();
	struct heard h;

	stage_proc(root, "1");
	settle(root, 60000, &h);
	assert_int_equal(h.types[0], WIRE_SETTLED);
	assert_true(h.settled.waited_ns >= 15 * NS_PER_MS);
	assert_int_equal(h.settled.permille, 0);
	heard_end(&h);
	staged_root_free(root);
}

static void who_keeps_a_cpu_busy_is_named(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_free_ char *name = NULL, *real = NULL, *expected = NULL;
	struct heard h;
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			;
	name = xasprintf("/%d", (int)pid);
	real = xasprintf("/proc/%d", (int)pid);
	expected = xasprintf("(pid %d) used ", (int)pid);
	stage_proc(root, "2");
	staged_link(root, name, real);
	settle(root, 20, &h);
	assert_int_equal(h.types[0], WIRE_FAILED);
	assert_string_equal(h.failed_tag, "agent-busy");
	assert_contains(h.failed_text, "not idle after 0.");
	assert_contains(h.failed_text, expected);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	heard_end(&h);
	staged_root_free(root);
}

static void a_busy_guest_without_a_culprit_says_so(void **state UNUSED)
{
	char *root = staged_root_new();
	struct heard h;

	stage_proc(root, "2");
	settle(root, 0, &h);
	assert_string_equal(h.failed_tag, "agent-busy");
	assert_contains(h.failed_text, "tasks that have ended");
	heard_end(&h);
	staged_root_free(root);
}

static void requests_that_make_no_sense_are_malformed(void **state UNUSED)
{
	static const struct wire_settle bad[] = {
		{ 1000, 0, 100 },
		{ 1000, AGENT_LIMIT_QUIET_WINDOW_MS + 1, 100 },
		{ 1000, 20, 1001 },
	};
	struct agent_quiet *q = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_error_tag(agent_quiet_new(5, &bad[i], "/proc", &q), "wire-malformed");
	assert_error_tag(agent_quiet_new(5, &request, "/nonexistent", &q), "agent-system");
	assert_null(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_quiet_windows_in_a_row_are_enough),
		cmocka_unit_test(a_busy_window_begins_the_count_again),
		cmocka_unit_test(a_task_that_runs_without_leaving_its_cpu_is_seen),
		cmocka_unit_test(cpus_that_come_and_go_are_not_quiet),
		cmocka_unit_test(a_quiet_proc_is_answered_by_settled),
		cmocka_unit_test(who_keeps_a_cpu_busy_is_named),
		cmocka_unit_test(a_busy_guest_without_a_culprit_says_so),
		cmocka_unit_test(requests_that_make_no_sense_are_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
