// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/tracer.h"

#include <grp.h>
#include <pwd.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "probe/probe.h"
#include "target.h"

/* A target with one thread of its own, which is the one to be stopped. */
struct scene {
	struct target target;
	struct target_thread thread;
	struct probe_tracer tracer;
};

static struct scene scene_start(void)
{
	struct scene s = { .target = target_start("KTSTR_TARGET") };

	s.thread = target_new_thread(&s.target);
	return s;
}

static void scene_end(struct scene *s)
{
	probe_tracer_deinit(&s->tracer);
	target_end(&s->target);
}

static void assert_tracer(const struct scene *s, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid);
	assert_string_equal(thread_status(s->target.pid, s->thread.tid, "TracerPid"), text);
}

static void signal_thread(const struct scene *s, int sig)
{
	assert_int_equal(syscall(SYS_tgkill, s->target.pid, s->thread.tid, sig), 0);
}

static void wait_for_signals(const struct scene *s, unsigned int expected)
{
	const char *answer = "";

	for (int i = 0; i < 2000; i++) {
		answer = target_ask(&s->target, "signals");
		if (strtoul(answer, NULL, 10) == expected)
			return;
		usleep(1000);
	}
	fail_msg("%s signals arrived, %u were sent", answer, expected);
}

static void a_thread_stands_still_until_released(void **state UNUSED)
{
	struct scene s = scene_start();
	struct probe_stopped_thread stopped;
	uint64_t pointer = 0;

	assert_success(probe_tracer_stop(&s.tracer, s.thread.tid, &stopped));
	assert_string_equal(thread_status(s.target.pid, s.thread.tid, "State"), "t");
	assert_tracer(&s, getpid());
	/* The others go on. */
	assert_string_not_equal(thread_status(s.target.pid, s.target.pid, "State"), "t");
	assert_success(probe_tracer_thread_pointer(&stopped, &pointer));
	assert_int_equal(pointer, s.thread.pointer);
	assert_int_equal(stopped.signal, 0);
	usleep(3000);
	probe_tracer_release(&s.tracer, &stopped);
	assert_tracer(&s, 0);
	target_ask(&s.target, "on 1 count");
	assert_int_equal(s.tracer.stopped_threads, 1);
	assert_true(s.tracer.stopped_ns >= 3 * NS_PER_MS);
	assert_int_equal(s.tracer.unreleased.n, 0);
	scene_end(&s);
}

static void stops_are_counted_one_by_one(void **state UNUSED)
{
	struct scene s = scene_start();

	for (unsigned int i = 1; i <= 50; i++) {
		struct probe_stopped_thread stopped;

		assert_success(probe_tracer_stop(&s.tracer, s.thread.tid, &stopped));
		probe_tracer_release(&s.tracer, &stopped);
		assert_int_equal(s.tracer.stopped_threads, i);
	}
	target_ask(&s.target, "on 1 count");
	scene_end(&s);
}

/* The stop we get is that of a signal on its way: taking it would lose it. */
static void a_signal_that_comes_first_is_handed_back(void **state UNUSED)
{
	struct scene s = scene_start();
	struct probe_stopped_thread stopped;

	assert_int_equal(ptrace(PTRACE_SEIZE, s.thread.tid, NULL, NULL), 0);
	signal_thread(&s, SIGUSR1);
	wait_for_status(s.target.pid, s.thread.tid, "State", "t");
	vec_push(&s.tracer.unreleased, (struct probe_late_thread){ .tid = s.thread.tid });
	assert_success(probe_tracer_stop(&s.tracer, s.thread.tid, &stopped));
	assert_int_equal(stopped.signal, SIGUSR1);
	probe_tracer_release(&s.tracer, &stopped);
	assert_tracer(&s, 0);
	wait_for_signals(&s, 1);
	scene_end(&s);
}

static void a_storm_of_signals_loses_none(void **state UNUSED)
{
	enum { SIGNALS = 3000 };
	struct scene s = scene_start();
	pid_t sender = fork();
	int status;

	if (sender == 0) {
		for (int i = 0; i < SIGNALS; i++)
			/* Queued signals are never merged, but there is a limit of them. */
			while (syscall(SYS_tgkill, s.target.pid, s.thread.tid, SIGRTMIN) != 0)
				usleep(100);
		_exit(0);
	}
	while (waitpid(sender, &status, WNOHANG) == 0) {
		struct probe_stopped_thread stopped;

		assert_success(probe_tracer_stop(&s.tracer, s.thread.tid, &stopped));
		probe_tracer_release(&s.tracer, &stopped);
	}
	wait_for_signals(&s, SIGNALS);
	scene_end(&s);
}

static void a_stopped_process_stays_stopped(void **state UNUSED)
{
	struct scene s = scene_start();
	struct probe_stopped_thread stopped;

	kill(s.target.pid, SIGSTOP);
	wait_for_status(s.target.pid, s.thread.tid, "State", "T");
	assert_success(probe_tracer_stop(&s.tracer, s.thread.tid, &stopped));
	assert_int_equal(stopped.signal, 0);
	probe_tracer_release(&s.tracer, &stopped);
	assert_tracer(&s, 0);
	wait_for_status(s.target.pid, s.thread.tid, "State", "T");
	usleep(20000);
	assert_string_equal(thread_status(s.target.pid, s.thread.tid, "State"), "T");
	kill(s.target.pid, SIGCONT);
	target_ask(&s.target, "on 1 count");
	scene_end(&s);
}

static void assert_stop_fails(struct scene *s, pid_t tid, const char *tag, int errnum)
{
	struct probe_stopped_thread stopped = { .tid = 77 };
	_cleanup_error_ struct error *err = probe_tracer_stop(&s->tracer, tid, &stopped);

	assert_non_null(err);
	assert_string_equal(error_tag(err), tag);
	assert_int_equal(error_errno(err), errnum);
	assert_int_equal(stopped.tid, 77);
}

static void a_thread_that_went_cannot_be_stopped(void **state UNUSED)
{
	struct scene s = scene_start();

	target_ask(&s.target, "end 1");
	wait_until_gone(s.target.pid, s.thread.tid);
	assert_stop_fails(&s, s.thread.tid, "ptrace-seize", ESRCH);
	assert_int_equal(s.tracer.unreleased.n, 0);
	scene_end(&s);
}

static void a_thread_that_ends_before_it_stops_says_so(void **state UNUSED)
{
	struct scene s = scene_start();

	assert_int_equal(ptrace(PTRACE_SEIZE, s.thread.tid, NULL, NULL), 0);
	vec_push(&s.tracer.unreleased, (struct probe_late_thread){ .tid = s.thread.tid });
	target_ask(&s.target, "end 1");
	assert_stop_fails(&s, s.thread.tid, "waitpid", ESRCH);
	assert_int_equal(s.tracer.unreleased.n, 0);
	scene_end(&s);
}

static void a_thread_traced_by_another_is_refused(void **state UNUSED)
{
	struct scene s = scene_start();
	bool is_traced;
	int ready[2];
	char byte;
	pid_t other;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	other = fork();
	if (other == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (ptrace(PTRACE_SEIZE, s.thread.tid, NULL, NULL) == 0 &&
		    write(ready[1], "x", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	is_traced = read(ready[0], &byte, 1) == 1;
	if (is_traced)
		assert_stop_fails(&s, s.thread.tid, "ptrace-seize", EPERM);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	close(ready[0]);
	scene_end(&s);
	skip_unless(is_traced, "a brother may not trace here: Yama");
}

static void a_stranger_may_not_stop_it(void **state UNUSED)
{
	const struct passwd *nobody = getpwnam("nobody");
	struct scene s;
	pid_t stranger;
	int status;

	skip_unless(geteuid() == 0 && nobody, "needs root, to become somebody else");
	s = scene_start();
	stranger = fork();
	if (stranger == 0) {
		struct probe_stopped_thread stopped;
		struct error *err;

		if (setgroups(0, NULL) < 0 || setgid(nobody->pw_gid) < 0 ||
		    setuid(nobody->pw_uid) < 0)
			_exit(99);
		err = probe_tracer_stop(&s.tracer, s.thread.tid, &stopped);
		_exit(!err || strcmp(error_tag(err), "ptrace-seize") != 0 ? 98 : error_errno(err));
	}
	assert_int_equal(waitpid(stranger, &status, 0), stranger);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EPERM);
	scene_end(&s);
}

/* The parent of a vfork() sleeps in the kernel until the child is gone: no stop can reach it. */
static struct scene scene_with_late_thread(void)
{
	struct scene s = scene_start();
	uint64_t start_ns;

	target_ask(&s.target, "vfork 1");
	wait_for_status(s.target.pid, s.thread.tid, "State", "D");
	start_ns = clock_monotonic_ns();
	assert_stop_fails(&s, s.thread.tid, "waitpid", 0);
	/* The wait has an end, and it was a wait. */
	assert_true(clock_monotonic_ns() - start_ns >= 200 * NS_PER_MS);
	assert_true(clock_monotonic_ns() - start_ns < 5 * NS_PER_SEC);
	assert_int_equal(s.tracer.unreleased.n, 1);
	assert_tracer(&s, getpid());
	return s;
}

static void a_late_stop_is_released_in_the_end(void **state UNUSED)
{
	struct scene s = scene_with_late_thread();

	target_ask(&s.target, "vfork-end");
	probe_tracer_deinit(&s.tracer);
	assert_tracer(&s, 0);
	assert_int_equal(s.tracer.unreleased.n, 0);
	target_ask(&s.target, "on 1 count");
	scene_end(&s);
}

static void a_late_stop_is_released_as_soon_as_it_lands(void **state UNUSED)
{
	struct scene s = scene_with_late_thread();

	assert_false(probe_tracer_release_late(&s.tracer));
	assert_tracer(&s, getpid());
	target_ask(&s.target, "vfork-end");
	while (!probe_tracer_release_late(&s.tracer))
		usleep(100);
	/* It stood still, so it counts, since the moment it was asked to. */
	assert_int_equal(s.tracer.stopped_threads, 1);
	assert_true(s.tracer.stopped_ns >= 200 * NS_PER_MS);
	assert_tracer(&s, 0);
	assert_int_equal(s.tracer.unreleased.n, 0);
	target_ask(&s.target, "on 1 count");
	scene_end(&s);
}

static void a_late_stop_counts_for_the_next_attempt(void **state UNUSED)
{
	struct scene s = scene_with_late_thread();
	struct probe_stopped_thread stopped;

	target_ask(&s.target, "vfork-end");
	assert_success(probe_tracer_stop(&s.tracer, s.thread.tid, &stopped));
	probe_tracer_release(&s.tracer, &stopped);
	assert_tracer(&s, 0);
	assert_int_equal(s.tracer.unreleased.n, 0);
	target_ask(&s.target, "on 1 count");
	scene_end(&s);
}

/* The wait of the end has a bound as well. */
static void a_thread_that_never_stops_does_not_hold_us(void **state UNUSED)
{
	struct scene s = scene_with_late_thread();
	uint64_t start_ns = clock_monotonic_ns();

	probe_tracer_deinit(&s.tracer);
	assert_true(clock_monotonic_ns() - start_ns < 10 * NS_PER_SEC);
	/* Still ours until we exit: this program goes on, so it buries the thread itself. */
	kill(s.target.pid, SIGKILL);
	while (waitpid(s.thread.tid, NULL, __WALL) == s.thread.tid)
		;
	target_end(&s.target);
}

/*
 * A traced thread that was killed is buried by its tracer alone, and a process is
 * not over before its last thread is: its parent would wait for us.
 */
/* Asked to end, nobody waits for what may take for ever, and whoever asks is told. */
static void a_cancel_ends_every_wait(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	struct probe_stopped_thread stopped;
	struct scene s = scene_with_late_thread();

	s.tracer.cancel = &cancel;
	cancel_request(&cancel);
	assert_error_tag(probe_tracer_stop(&s.tracer, s.thread.tid, &stopped), "cancelled");
	assert_int_equal(s.tracer.unreleased.n, 1);
	assert_false(probe_tracer_finish(&s.tracer, 3600 * NS_PER_SEC));
	assert_int_equal(s.tracer.unreleased.n, 1);
	/* It lands after all: then nothing was left behind. */
	target_ask(&s.target, "vfork-end");
	while (!probe_tracer_release_late(&s.tracer))
		usleep(1000);
	assert_true(probe_tracer_finish(&s.tracer, 0));
	scene_end(&s);
}

static void a_thread_killed_while_it_stood_does_not_haunt(void **state UNUSED)
{
	struct scene s = scene_start();
	struct probe_stopped_thread stopped;
	pid_t got = 0;

	assert_success(probe_tracer_stop(&s.tracer, s.thread.tid, &stopped));
	kill(s.target.pid, SIGKILL);
	usleep(20000);
	probe_tracer_release(&s.tracer, &stopped);
	for (int i = 0; i < 2000 && got == 0; i++) {
		got = waitpid(s.target.pid, NULL, WNOHANG);
		usleep(1000);
	}
	probe_tracer_deinit(&s.tracer);
	close(s.target.to);
	close(s.target.from);
	if (got != s.target.pid) {
		waitpid(s.thread.tid, NULL, __WALL);
		waitpid(s.target.pid, NULL, 0);
		fail_msg("the process could not be waited for");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_stands_still_until_released),
		cmocka_unit_test(stops_are_counted_one_by_one),
		cmocka_unit_test(a_signal_that_comes_first_is_handed_back),
		cmocka_unit_test(a_storm_of_signals_loses_none),
		cmocka_unit_test(a_stopped_process_stays_stopped),
		cmocka_unit_test(a_thread_that_went_cannot_be_stopped),
		cmocka_unit_test(a_thread_that_ends_before_it_stops_says_so),
		cmocka_unit_test(a_thread_traced_by_another_is_refused),
		cmocka_unit_test(a_stranger_may_not_stop_it),
		cmocka_unit_test(a_late_stop_is_released_in_the_end),
		cmocka_unit_test(a_late_stop_is_released_as_soon_as_it_lands),
		cmocka_unit_test(a_late_stop_counts_for_the_next_attempt),
		cmocka_unit_test(a_cancel_ends_every_wait),
		cmocka_unit_test(a_thread_that_never_stops_does_not_hold_us),
		cmocka_unit_test(a_thread_killed_while_it_stood_does_not_haunt),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
