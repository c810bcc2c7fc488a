// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/tracer.h"

#include <elf.h>
#include <grp.h>
#include <pwd.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "probe/probe.h"
#include "target.h"
#include "unit.h"

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
static void a_signal_before_the_stop_is_delivered_later(void **state UNUSED)
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

static void stopping_during_many_signals_loses_none(void **state UNUSED)
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

static void another_user_cannot_stop_a_thread(void **state UNUSED)
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

static void a_thread_killed_while_stopped_is_reaped(void **state UNUSED)
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

static void the_machine_is_that_of_this_program(void **state UNUSED)
{
	Elf64_Ehdr header;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(read(fd, &header, sizeof(header)), sizeof(header));
	close(fd);
	assert_int_equal(PROBE_ARCH_MACHINE, header.e_machine);
	assert_true(strlen(PROBE_ARCH_NAME) > 0);
	assert_true(strlen(PROBE_ARCH_REGSET) > 0);
}

static void a_stopped_thread_has_the_pointer_it_says(void **state UNUSED)
{
	struct target target = target_start("KTSTR_TARGET");
	struct target_thread main_thread = target_thread_of(target_ask(&target, "hello"));
	uint64_t pointer = 0;
	int status;

	assert_int_equal(ptrace(PTRACE_SEIZE, target.pid, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, target.pid, NULL, NULL), 0);
	assert_int_equal(waitpid(target.pid, &status, __WALL), target.pid);
	assert_int_equal(probe_arch_thread_pointer(target.pid, &pointer), 0);
	assert_int_equal(pointer, main_thread.pointer);
	ptrace(PTRACE_DETACH, target.pid, NULL, NULL);
	target_end(&target);
}

static void a_thread_that_is_not_ours_is_refused(void **state UNUSED)
{
	struct target target = target_start("KTSTR_TARGET");
	uint64_t pointer = 77;

	assert_int_equal(probe_arch_thread_pointer(target.pid, &pointer), ESRCH);
	assert_int_equal(pointer, 77);
	target_end(&target);
}

/* What an image with this segment would say, rounded by hand. */
static struct elf_tls segment(uint64_t aligned_memsz, uint64_t align)
{
	return (struct elf_tls){ .memsz = aligned_memsz,
				 .align = align,
				 .aligned_memsz = aligned_memsz };
}

/* Block, then the variable's place in it, then the member's in the variable. */
static bool address_of(enum probe_tls_variant variant, uint64_t thread_pointer, struct elf_tls tls,
		       uint64_t symbol, uint64_t member, uint64_t *ret)
{
	uint64_t block;

	return probe_tls_block_of_executable(variant, thread_pointer, &tls, &block) &&
	       add_fits_u64(block, symbol, &block) && add_fits_u64(block, member, ret);
}

static void assert_address(enum probe_tls_variant variant, uint64_t thread_pointer,
			   struct elf_tls tls, uint64_t symbol, uint64_t member, uint64_t expected)
{
	uint64_t got = 0;

	assert_true(address_of(variant, thread_pointer, tls, symbol, member, &got));
	assert_int_equal(got, expected);
}

static void variant_two_ends_at_the_thread_pointer(void **state UNUSED)
{
	assert_address(PROBE_TLS_VARIANT_II, 0x10000, segment(0x100, 1), 0x10, 8, 0xff18);
	assert_address(PROBE_TLS_VARIANT_II, 0x7f1234567000, segment(512, 64), 0x100, 264,
		       0x7f1234567008);
}

static void variant_two_may_begin_at_address_zero(void **state UNUSED)
{
	assert_address(PROBE_TLS_VARIANT_II, 4096, segment(4096, 16), 0, 0, 0);
}

static void variant_two_refuses_a_block_larger_than_the_thread_pointer(void **state UNUSED)
{
	struct elf_tls tls = segment(0x200, 1);
	uint64_t got = 77;

	assert_false(probe_tls_block_of_executable(PROBE_TLS_VARIANT_II, 0x100, &tls, &got));
	assert_false(probe_tls_block_of_executable(PROBE_TLS_VARIANT_II, 0x1ff, &tls, &got));
	assert_int_equal(got, 77);
}

/* The size in the file is not what counts: the block begins at an aligned address. */
static void variant_two_uses_the_rounded_size(void **state UNUSED)
{
	struct elf_tls tls = { .memsz = 0xa41, .align = 64, .aligned_memsz = 0xa80 };

	assert_address(PROBE_TLS_VARIANT_II, 0x100000, tls, 0, 0, 0xff580);
}

static void variant_one_begins_behind_the_control_block(void **state UNUSED)
{
	assert_address(PROBE_TLS_VARIANT_I, 0x7f1234567000, segment(512, 16), 0x100, 264,
		       0x7f1234567218);
}

static void variant_one_rounds_the_control_block_to_the_alignment(void **state UNUSED)
{
	assert_address(PROBE_TLS_VARIANT_I, 0x1000, segment(512, 64), 0, 0, 0x1040);
	assert_address(PROBE_TLS_VARIANT_I, 0x1000, segment(512, 16), 0, 0, 0x1010);
	assert_address(PROBE_TLS_VARIANT_I, 0x1000, segment(512, 8), 0, 0, 0x1010);
	assert_address(PROBE_TLS_VARIANT_I, 0x1000, segment(512, 1), 0, 0, 0x1010);
	assert_address(PROBE_TLS_VARIANT_I, 0x1000, segment(512, 0), 0, 0, 0x1010);
}

static void variant_one_refuses_what_does_not_fit(void **state UNUSED)
{
	struct elf_tls usual = segment(512, 16), huge = segment(512, UINT64_MAX);
	uint64_t got = 77;

	assert_false(
		probe_tls_block_of_executable(PROBE_TLS_VARIANT_I, UINT64_MAX - 10, &usual, &got));
	assert_false(probe_tls_block_of_executable(PROBE_TLS_VARIANT_I, 0x1000, &huge, &got));
	assert_int_equal(got, 77);
	assert_true(
		probe_tls_block_of_executable(PROBE_TLS_VARIANT_I, UINT64_MAX - 16, &usual, &got));
	assert_int_equal(got, UINT64_MAX);
}

/* Every operand another prime: two of them swapped give another sum. */
static void tls_address_uses_each_operand_once(void **state UNUSED)
{
	assert_address(PROBE_TLS_VARIANT_II, 13000009, segment(1009, 64), 307, 83, 12999390);
	assert_address(PROBE_TLS_VARIANT_I, 13000009, segment(1009, 64), 307, 83, 13000463);
}

static void the_tls_variant_is_that_of_this_architecture(void **state UNUSED)
{
#if defined(__x86_64__)
	assert_address(PROBE_TLS_VARIANT_HERE, 4096, segment(4096, 16), 0, 0, 0);
#else
	assert_address(PROBE_TLS_VARIANT_HERE, 4096, segment(4096, 16), 0, 0, 4112);
#endif
}

static void a_library_lies_at_its_offset_on_the_same_side(void **state UNUSED)
{
	uint64_t got = 0;

	assert_true(probe_tls_block_of_library(PROBE_TLS_VARIANT_II, 0x7f0000001000, 0xa80, &got));
	assert_int_equal(got, 0x7f0000000580);
	assert_true(probe_tls_block_of_library(PROBE_TLS_VARIANT_I, 0x7f0000001000, 0xa80, &got));
	assert_int_equal(got, 0x7f0000001a80);
	assert_true(probe_tls_block_of_library(PROBE_TLS_VARIANT_II, 0xa80, 0xa80, &got));
	assert_int_equal(got, 0);
}

static void a_library_offset_that_does_not_fit_is_refused(void **state UNUSED)
{
	uint64_t got = 77;

	assert_false(probe_tls_block_of_library(PROBE_TLS_VARIANT_II, 0x100, 0x101, &got));
	assert_false(probe_tls_block_of_library(PROBE_TLS_VARIANT_I, UINT64_MAX, 1, &got));
	assert_int_equal(got, 77);
}

static _Thread_local uint8_t mine[40] __attribute__((aligned(32)));

/* The compiler and the loader of this very process are the oracle. */
static void the_block_of_this_process_holds_its_variables(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *image = NULL;
	struct elf_tls tls;
	uint64_t thread_pointer, block = 0;

	assert_success(elf_image_open("/proc/self/exe", &image));
	assert_success(elf_image_tls(image, &tls));
	thread_pointer = (uint64_t)(uintptr_t)__builtin_thread_pointer();
	assert_true(probe_tls_block_of_executable(PROBE_TLS_VARIANT_HERE, thread_pointer, &tls,
						  &block));
	assert_true((uintptr_t)mine >= block);
	assert_true((uintptr_t)mine + sizeof(mine) <= block + tls.memsz);
	assert_int_equal(block % tls.align, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_stands_still_until_released),
		cmocka_unit_test(stops_are_counted_one_by_one),
		cmocka_unit_test(a_signal_before_the_stop_is_delivered_later),
		cmocka_unit_test(stopping_during_many_signals_loses_none),
		cmocka_unit_test(a_stopped_process_stays_stopped),
		cmocka_unit_test(a_thread_that_went_cannot_be_stopped),
		cmocka_unit_test(a_thread_that_ends_before_it_stops_says_so),
		cmocka_unit_test(a_thread_traced_by_another_is_refused),
		cmocka_unit_test(another_user_cannot_stop_a_thread),
		cmocka_unit_test(a_late_stop_is_released_in_the_end),
		cmocka_unit_test(a_late_stop_is_released_as_soon_as_it_lands),
		cmocka_unit_test(a_late_stop_counts_for_the_next_attempt),
		cmocka_unit_test(a_cancel_ends_every_wait),
		cmocka_unit_test(a_thread_that_never_stops_does_not_hold_us),
		cmocka_unit_test(a_thread_killed_while_stopped_is_reaped),
		cmocka_unit_test(the_machine_is_that_of_this_program),
		cmocka_unit_test(a_stopped_thread_has_the_pointer_it_says),
		cmocka_unit_test(a_thread_that_is_not_ours_is_refused),
		cmocka_unit_test(variant_two_ends_at_the_thread_pointer),
		cmocka_unit_test(variant_two_may_begin_at_address_zero),
		cmocka_unit_test(variant_two_refuses_a_block_larger_than_the_thread_pointer),
		cmocka_unit_test(variant_two_uses_the_rounded_size),
		cmocka_unit_test(variant_one_begins_behind_the_control_block),
		cmocka_unit_test(variant_one_rounds_the_control_block_to_the_alignment),
		cmocka_unit_test(variant_one_refuses_what_does_not_fit),
		cmocka_unit_test(tls_address_uses_each_operand_once),
		cmocka_unit_test(the_tls_variant_is_that_of_this_architecture),
		cmocka_unit_test(a_library_lies_at_its_offset_on_the_same_side),
		cmocka_unit_test(a_library_offset_that_does_not_fit_is_refused),
		cmocka_unit_test(the_block_of_this_process_holds_its_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
