// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/tracer.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "probe/probe.h"

/* A stop usually lands within microseconds; a thread in uninterruptible sleep may take for ever. */
#define STOP_TIMEOUT_NS	     (250 * NS_PER_MS)
#define LATE_STOP_TIMEOUT_NS (2 * NS_PER_SEC)
/* A thread that stops at once is still let go in good order. */
#define CANCELLED_TIMEOUT_NS (20 * NS_PER_MS)
#define FIRST_POLL_NS	     UINT64_C(20000)
#define LONGEST_POLL_NS	     NS_PER_MS

enum wait_result {
	WAIT_STOPPED,
	WAIT_ENDED, /* the thread is gone: nothing to release */
	WAIT_TIMEOUT,
	WAIT_CANCELLED,
	WAIT_FAILED, /* errno says why */
};

/* The signal a stop holds back, if it is one that delivers a signal. */
static int held_signal(int status)
{
	/* With PTRACE_SEIZE our own stop and group-stops carry PTRACE_EVENT_STOP above the signal.
	 */
	return status >> 16 ? 0 : WSTOPSIG(status);
}

static enum wait_result wait_for_stop(pid_t tid, uint64_t timeout_ns, const struct cancel *cancel,
				      int *ret_signal)
{
	uint64_t end_ns = clock_monotonic_ns() + timeout_ns;
	uint64_t poll_ns = FIRST_POLL_NS;

	for (;;) {
		int status;
		pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
		struct timespec ts = { 0 };

		if (got == tid && WIFSTOPPED(status)) {
			*ret_signal = held_signal(status);
			return WAIT_STOPPED;
		}
		if (got == tid)
			return WAIT_ENDED;
		if (got < 0 && errno != EINTR)
			return errno == ECHILD ? WAIT_ENDED : WAIT_FAILED;
		if (clock_monotonic_ns() >= end_ns)
			return WAIT_TIMEOUT;
		if (cancel_requested(cancel))
			return WAIT_CANCELLED;
		ts.tv_nsec = (long)poll_ns;
		nanosleep(&ts, NULL);
		poll_ns = poll_ns * 2 < LONGEST_POLL_NS ? poll_ns * 2 : LONGEST_POLL_NS;
	}
}

/*
 * Refused only when the thread was killed meanwhile. Its tracer alone can bury
 * it then, and the process's parent would wait for that. False when it has not ended yet.
 */
static bool detach(pid_t tid, int signal)
{
	return ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)signal) == 0 ||
	       wait_for_stop(tid, STOP_TIMEOUT_NS, NULL, &signal) == WAIT_ENDED;
}

/* True when an earlier attempt left the thread seized with a stop on its way, asked for then. */
static bool take_unreleased(struct probe_tracer *tracer, pid_t tid, uint64_t *ret_asked_ns)
{
	for (size_t i = 0; i < tracer->unreleased.n; i++) {
		if (tracer->unreleased.at[i].tid != tid)
			continue;
		*ret_asked_ns = tracer->unreleased.at[i].asked_ns;
		tracer->unreleased.at[i] = tracer->unreleased.at[--tracer->unreleased.n];
		return true;
	}
	return false;
}

static void keep_for_later(struct probe_tracer *tracer, const struct probe_stopped_thread *thread)
{
	vec_push(&tracer->unreleased, (struct probe_late_thread){ thread->tid, thread->asked_ns });
	tracer->finished = false;
}

struct error *probe_tracer_stop(struct probe_tracer *tracer, pid_t tid,
				struct probe_stopped_thread *ret)
{
	struct probe_stopped_thread thread = { .tid = tid };
	bool seized = take_unreleased(tracer, tid, &thread.asked_ns);

	if (!seized && ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0)
		return probe_thread_error(PROBE_THREAD_PTRACE_SEIZE, errno,
					  "PTRACE_SEIZE of thread %d", (int)tid);
	if (!seized)
		thread.asked_ns = clock_monotonic_ns();
	if (!seized && ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0) {
		int errnum = errno;

		keep_for_later(tracer, &thread);
		return probe_thread_error(PROBE_THREAD_PTRACE_INTERRUPT, errnum,
					  "PTRACE_INTERRUPT of thread %d", (int)tid);
	}
	switch (wait_for_stop(tid, STOP_TIMEOUT_NS, tracer->cancel, &thread.signal)) {
	case WAIT_STOPPED:
		*ret = thread;
		return NULL;
	case WAIT_ENDED:
		return probe_thread_error(PROBE_THREAD_WAITPID, ESRCH,
					  "thread %d ended before it stopped", (int)tid);
	case WAIT_FAILED: {
		int errnum = errno;

		keep_for_later(tracer, &thread);
		return probe_thread_error(PROBE_THREAD_WAITPID, errnum, "waitpid for thread %d",
					  (int)tid);
	}
	case WAIT_CANCELLED:
		keep_for_later(tracer, &thread);
		return base_error(BASE_CANCELLED, 0, "waiting for thread %d to stop", (int)tid);
	case WAIT_TIMEOUT:
		break;
	}
	keep_for_later(tracer, &thread);
	return probe_thread_error(
		PROBE_THREAD_WAITPID, 0,
		"thread %d did not stop within %u ms: it sleeps uninterruptibly, or the "
		"machine is overloaded",
		(int)tid, (unsigned int)(STOP_TIMEOUT_NS / NS_PER_MS));
}

struct error *probe_tracer_thread_pointer(const struct probe_stopped_thread *thread, uint64_t *ret)
{
	int errnum = probe_arch_thread_pointer(thread->tid, ret);

	if (errnum)
		return probe_thread_error(PROBE_THREAD_GET_REGSET, errnum,
					  "PTRACE_GETREGSET %s of thread %d", PROBE_ARCH_REGSET,
					  (int)thread->tid);
	return NULL;
}

static void account(struct probe_tracer *tracer, uint64_t asked_ns)
{
	tracer->stopped_threads++;
	tracer->stopped_ns += clock_monotonic_ns() - asked_ns;
}

void probe_tracer_release(struct probe_tracer *tracer, const struct probe_stopped_thread *thread)
{
	if (!detach(thread->tid, thread->signal))
		keep_for_later(tracer, thread);
	account(tracer, thread->asked_ns);
}

bool probe_tracer_release_late(struct probe_tracer *tracer)
{
	size_t kept = 0;

	for (size_t i = 0; i < tracer->unreleased.n; i++) {
		struct probe_late_thread late = tracer->unreleased.at[i];
		int signal = 0;
		enum wait_result result = wait_for_stop(late.tid, 0, NULL, &signal);

		if (result == WAIT_STOPPED && detach(late.tid, signal))
			account(tracer, late.asked_ns);
		else if (result == WAIT_STOPPED || result == WAIT_TIMEOUT)
			tracer->unreleased.at[kept++] = late;
	}
	tracer->unreleased.n = kept;
	return kept == 0;
}

bool probe_tracer_finish(struct probe_tracer *tracer, uint64_t timeout_ns)
{
	uint64_t end_ns = clock_monotonic_ns() + timeout_ns;
	struct timespec pause = { .tv_nsec = LONGEST_POLL_NS };
	bool cancelled = false;

	while (!probe_tracer_release_late(tracer)) {
		uint64_t now_ns = clock_monotonic_ns();

		if (!cancelled && cancel_requested(tracer->cancel)) {
			cancelled = true;
			if (end_ns > now_ns + CANCELLED_TIMEOUT_NS)
				end_ns = now_ns + CANCELLED_TIMEOUT_NS;
		}
		if (now_ns >= end_ns)
			break;
		nanosleep(&pause, NULL);
	}
	tracer->finished = true;
	return !cancelled;
}

void probe_tracer_deinit(struct probe_tracer *tracer)
{
	probe_tracer_finish(tracer, tracer->finished ? 0 : LATE_STOP_TIMEOUT_NS);
	vec_deinit(&tracer->unreleased);
}

#if defined(__x86_64__)

int probe_arch_thread_pointer(pid_t tid, uint64_t *ret)
{
	struct user_regs_struct regs = { 0 };
	struct iovec iov = { &regs, sizeof(regs) };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &iov) < 0)
		return errno;
	/* A 32-bit thread has a shorter set. */
	if (iov.iov_len < sizeof(regs))
		return EIO;
	*ret = regs.fs_base;
	return 0;
}

#elif defined(__aarch64__)

int probe_arch_thread_pointer(pid_t tid, uint64_t *ret)
{
	/* Newer kernels append tpidr2_el0; asking for one word gets tpidr_el0 from all. */
	uint64_t tpidr = 0;
	struct iovec iov = { &tpidr, sizeof(tpidr) };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_ARM_TLS, &iov) < 0)
		return errno;
	if (iov.iov_len < sizeof(tpidr))
		return EIO;
	*ret = tpidr;
	return 0;
}

#endif

bool probe_tls_block_of_executable(enum probe_tls_variant variant, uint64_t thread_pointer,
				   const struct elf_tls *tls, uint64_t *ret)
{
	uint64_t image_offset;

	if (variant == PROBE_TLS_VARIANT_II)
		return sub_fits_u64(thread_pointer, tls->aligned_memsz, ret);
	return round_up_fits_u64(PROBE_TLS_VARIANT_I_TCB_BYTES, tls->align, &image_offset) &&
	       add_fits_u64(thread_pointer, image_offset, ret);
}

bool probe_tls_block_of_library(enum probe_tls_variant variant, uint64_t thread_pointer,
				uint64_t tls_offset, uint64_t *ret)
{
	if (variant == PROBE_TLS_VARIANT_II)
		return sub_fits_u64(thread_pointer, tls_offset, ret);
	return add_fits_u64(thread_pointer, tls_offset, ret);
}
