// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_engine.h"
#include "unit.h"

static const struct fake_thread threads[] = { { .tid = 1, .allocated_bytes = 10 } };

/* A process to look at; the engine is a fake, but /proc/PID/exe is real. */
static pid_t target;
static struct cancel cancel;

static int start_target(void **state UNUSED)
{
	target = fork();
	if (target == 0) {
		sigset_t wait_for;
		int signum;

		sigemptyset(&wait_for);
		sigaddset(&wait_for, SIGUSR1);
		sigwait(&wait_for, &signum);
		execl("/bin/sleep", "sleep", "60", NULL);
		_exit(1);
	}
	fake_engine = (struct fake_engine){ .threads = threads, .n_threads = 1 };
	cancel = (struct cancel){ 0 };
	return target < 0;
}

static void kill_target(int number UNUSED)
{
	if (target > 0) {
		kill(target, SIGKILL);
		waitpid(target, NULL, 0);
	}
	target = 0;
}

static int stop_target(void **state UNUSED)
{
	kill_target(0);
	return 0;
}

static struct probe_config config_for(uint32_t snapshots)
{
	return (struct probe_config){ .pid = target,
				      .snapshots = snapshots,
				      .interval_ms = snapshots > 1 ? 1 : 0 };
}

static void assert_fatal(const struct probe_config *config, const char *tag, const char *message)
{
	struct probe_report report;
	_cleanup_error_ struct error *err = probe_collect(config, &cancel, NULL, &report);

	assert_non_null(err);
	assert_string_equal(fatal_tag(err), tag);
	assert_contains(error_message(err), message);
	assert_int_equal(fake_engine.n_attached, fake_engine.n_freed);
}

static void collects_as_many_snapshots_as_asked(void **state UNUSED)
{
	struct probe_config config = config_for(3);
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };

	assert_success(probe_collect(&config, &cancel, NULL, &report));
	assert_int_equal(report.snapshots.n, 3);
	assert_int_equal(report.interval_ms, 1);
	assert_int_equal(report.pid, target);
	assert_string_equal(report.evidence, "layout-table");
	assert_int_equal(report.stopped_threads, 3);
	assert_int_equal(report.stopped_ns_total, 4500);
	assert_false(report.interrupted);
	assert_true(report.snapshots.at[0].monotonic_ns >= report.started_ns);
	assert_int_equal(fake_engine.n_freed, 1);
}

static void flags_choose_the_stop_policy(void **state UNUSED)
{
	static const struct {
		bool ptrace, no_ptrace;
		enum probe_stop_policy stop;
	} rows[] = {
		{ false, false, PROBE_STOP_IF_NEEDED },
		{ true, false, PROBE_STOP_ALWAYS },
		{ false, true, PROBE_STOP_NEVER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct probe_config config = config_for(1);
		struct probe_report report;

		config.ptrace = rows[i].ptrace;
		config.no_ptrace = rows[i].no_ptrace;
		assert_success(probe_collect(&config, &cancel, NULL, &report));
		assert_int_equal(fake_engine.stop, rows[i].stop);
		probe_report_deinit(&report);
	}
}

static void probing_the_own_process_is_refused(void **state UNUSED)
{
	struct probe_config config = { .pid = getpid(), .snapshots = 1 };

	assert_fatal(&config, "self-probe-rejected", "refusing to probe self");
	assert_int_equal(fake_engine.n_attached, 0);
}

static void a_pid_without_process_is_missing(void **state UNUSED)
{
	struct probe_config config = config_for(1);

	kill_target(0);
	assert_fatal(&config, "pid-missing", "does not exist");
}

static void a_zombie_exists_but_has_no_executable(void **state UNUSED)
{
	struct probe_config config = config_for(1);
	siginfo_t info;

	kill(target, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)target, &info, WEXITED | WNOWAIT), 0);
	assert_fatal(&config, "readlink-failure", "No such file or directory");
}

static void attach_errors_pass_through(void **state UNUSED)
{
	struct probe_config config = config_for(1);

	fake_engine.attach = FAKE_ATTACH_NOT_FOUND;
	assert_fatal(&config, "jemalloc-not-found", "nothing in pid");
}

static void a_cancelled_attach_is_an_empty_interrupted_report(void **state UNUSED)
{
	struct probe_config config = config_for(1);
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };

	fake_engine.attach = FAKE_ATTACH_CANCELLED;
	assert_success(probe_collect(&config, &cancel, NULL, &report));
	assert_true(report.interrupted);
	assert_int_equal(report.snapshots.n, 0);
	assert_null(report.evidence);
}

static void a_deadline_long_past_begins_no_snapshot(void **state UNUSED)
{
	struct probe_config config = config_for(5);
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };

	config.interval_ms = 3600000;
	cancel.deadline_ns = 1; /* long past */
	assert_success(probe_collect(&config, &cancel, NULL, &report));
	assert_true(report.interrupted);
	assert_int_equal(report.snapshots.n, 0);
}

static void request_stop(int number UNUSED)
{
	cancel_request(&cancel);
}

static void a_request_during_the_sleep_ends_it(void **state UNUSED)
{
	struct probe_config config = config_for(5);
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };

	config.interval_ms = 3600000;
	fake_engine.after_snapshot = request_stop;
	assert_success(probe_collect(&config, &cancel, NULL, &report));
	assert_true(report.interrupted);
	assert_int_equal(report.snapshots.n, 1);
}

static void a_request_after_the_last_snapshot_interrupts_nothing(void **state UNUSED)
{
	struct probe_config config = config_for(1);
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };

	fake_engine.after_snapshot = request_stop;
	assert_success(probe_collect(&config, &cancel, NULL, &report));
	assert_false(report.interrupted);
	assert_int_equal(report.snapshots.n, 1);
}

static void an_interrupted_snapshot_is_the_last(void **state UNUSED)
{
	struct probe_config config = config_for(5);
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };

	fake_engine.interrupt_at = 2;
	assert_success(probe_collect(&config, &cancel, NULL, &report));
	assert_true(report.interrupted);
	assert_int_equal(report.snapshots.n, 2);
}

static void a_result_that_would_grow_too_large_ends_early(void **state UNUSED)
{
	struct probe_config config = config_for(100);
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };

	config.threads_max = 3;
	assert_success(probe_collect(&config, &cancel, NULL, &report));
	assert_int_equal(report.snapshots.n, 3);
	assert_true(report.limited);
	assert_true(report.interrupted);
}

static void a_result_of_exactly_the_limit_is_not_limited(void **state UNUSED)
{
	struct probe_config config = config_for(3);
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };

	config.threads_max = 3;
	assert_success(probe_collect(&config, &cancel, NULL, &report));
	assert_int_equal(report.snapshots.n, 3);
	assert_false(report.limited);
	assert_false(report.interrupted);
}

static void threads_that_cannot_be_listed_are_fatal(void **state UNUSED)
{
	struct probe_config config = config_for(3);

	fake_engine.fail_listing_at = 2;
	assert_fatal(&config, "tid-enumeration-failure", "No such process");
}

static void wait_for_exec(int number)
{
	char path[64];
	struct stat before, now;

	if (number > 1)
		return;
	snprintf(path, sizeof(path), "/proc/%d/exe", target);
	assert_int_equal(stat(path, &before), 0);
	kill(target, SIGUSR1);
	do {
		usleep(1000);
		assert_int_equal(stat(path, &now), 0);
	} while (now.st_ino == before.st_ino);
}

static void another_program_between_snapshots_is_fatal(void **state UNUSED)
{
	struct probe_config config = config_for(2);

	fake_engine.after_snapshot = wait_for_exec;
	assert_fatal(&config, "exe-identity-changed", "changed between snapshots");
	assert_int_equal(fake_engine.n_snapshots, 1);
}

static void what_was_read_before_a_death_is_kept(void **state UNUSED)
{
	struct probe_config config = config_for(3);
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };

	fake_engine.after_snapshot = kill_target;
	assert_success(probe_collect(&config, &cancel, NULL, &report));
	assert_int_equal(report.snapshots.n, 1);
	assert_true(report.target_ended && report.interrupted);
}

/* The numbers are whole, but the deadline did pass before the run was over. */
static void a_thread_that_could_not_be_released_marks_an_interruption(void **state UNUSED)
{
	struct probe_config config = config_for(1);
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };

	fake_engine.finish_cancelled = true;
	assert_success(probe_collect(&config, &cancel, NULL, &report));
	assert_int_equal(report.snapshots.n, 1);
	assert_true(report.interrupted);
	assert_false(report.target_ended);
}

static void the_report_names_what_was_read_and_what_was_not(void **state UNUSED)
{
	const struct probe_other others[] = {
		{ .path = (char *)"/lib/a.so", .use = PROBE_USE_SOME },
		{ .path = (char *)"/lib/b.so", .unread = (char *)"no layout" },
	};
	struct probe_config config = config_for(1);
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };

	fake_engine.others = others;
	fake_engine.n_others = ARRAY_SIZE(others);
	assert_success(probe_collect(&config, &cancel, NULL, &report));
	assert_string_equal(report.object, "/usr/bin/program");
	assert_string_equal(report.offsets_from, "layout table, 5.3.0: a test");
	assert_int_equal(report.others.n, 2);
	assert_string_equal(report.others.at[0].path, "/lib/a.so");
	assert_string_equal(report.others.at[1].unread, "no layout");
}

static void the_same_program_again_is_fatal(void **state UNUSED)
{
	struct probe_config config = config_for(3);

	fake_engine.replaced_at = 2;
	assert_fatal(&config, "exe-identity-changed", "ran exec while it was read");
	assert_int_equal(fake_engine.n_snapshots, 2);
}

static void *wait_in_thread(void *tid)
{
	atomic_store((atomic_int *)tid, (int)syscall(SYS_gettid));
	for (;;)
		pause();
	return NULL;
}

/* Under its own number a thread looks like a process, with all threads of the real one. */
static void the_number_of_a_thread_is_refused(void **state UNUSED)
{
	struct probe_config config = config_for(1);
	atomic_int *tid = mmap(NULL, sizeof(*tid), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();
	char wanted[64];

	if (child == 0) {
		pthread_t thread;

		pthread_create(&thread, NULL, wait_in_thread, tid);
		pause();
		_exit(0);
	}
	while (!atomic_load(tid))
		usleep(100);
	config.pid = atomic_load(tid);
	snprintf(wanted, sizeof(wanted), "use --pid %d", (int)child);
	assert_fatal(&config, "other", wanted);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap(tid, sizeof(*tid));
}

#define with_target(test) cmocka_unit_test_setup_teardown(test, start_target, stop_target)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_target(collects_as_many_snapshots_as_asked),
		with_target(flags_choose_the_stop_policy),
		with_target(probing_the_own_process_is_refused),
		with_target(a_pid_without_process_is_missing),
		with_target(a_zombie_exists_but_has_no_executable),
		with_target(attach_errors_pass_through),
		with_target(a_cancelled_attach_is_an_empty_interrupted_report),
		with_target(a_deadline_long_past_begins_no_snapshot),
		with_target(a_request_during_the_sleep_ends_it),
		with_target(a_request_after_the_last_snapshot_interrupts_nothing),
		with_target(an_interrupted_snapshot_is_the_last),
		with_target(a_result_that_would_grow_too_large_ends_early),
		with_target(a_result_of_exactly_the_limit_is_not_limited),
		with_target(the_same_program_again_is_fatal),
		with_target(the_number_of_a_thread_is_refused),
		with_target(threads_that_cannot_be_listed_are_fatal),
		with_target(another_program_between_snapshots_is_fatal),
		with_target(what_was_read_before_a_death_is_kept),
		with_target(a_thread_that_could_not_be_released_marks_an_interruption),
		with_target(the_report_names_what_was_read_and_what_was_not),
	};
	sigset_t blocked;

	/* The target takes this signal with sigwait(), however early it comes. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
