/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stopping one thread at a time with PTRACE_SEIZE, and letting it go exactly as
 * it was: a signal that arrived instead of our stop is handed back, a group-stop stays
 * one, and a thread that would not stop in time is waited for and released before
 * the tracer ends.
 */
#ifndef KTSTR_PROBE_TRACER_H
#define KTSTR_PROBE_TRACER_H

#include <elf.h>
#include <sys/types.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/vec.h"
#include "elf/image.h"

/* Seized, but no stop was seen in time. */
struct probe_late_thread {
	pid_t tid;
	uint64_t asked_ns;
};

struct probe_tracer {
	const struct cancel *cancel; /* ends every wait; may be NULL */
	uint64_t stopped_threads;
	/* From the request to stop until the release: an upper bound of the time stood still. */
	uint64_t stopped_ns;
	VEC(struct probe_late_thread) unreleased;
	bool finished; /* the late ones of now were waited for already */
};

struct probe_stopped_thread {
	pid_t tid;
	int signal; /* to hand back on release; 0 for none */
	uint64_t asked_ns;
};

/*
 * Errors of the thread domain, and BASE_CANCELLED. A thread that did not stop in time will stop
 * later: probe_tracer_release_late() lets it go on.
 */
struct error *probe_tracer_stop(struct probe_tracer *tracer, pid_t tid,
				struct probe_stopped_thread *ret) MUST_CHECK;
struct error *probe_tracer_thread_pointer(const struct probe_stopped_thread *thread,
					  uint64_t *ret) MUST_CHECK;
void probe_tracer_release(struct probe_tracer *tracer, const struct probe_stopped_thread *thread);
/* Releases those of the late threads that have stopped by now; does not wait. False: some have not.
 */
bool probe_tracer_release_late(struct probe_tracer *tracer);
/*
 * Waits for all threads that were late, together no longer than this, and
 * releases each as soon as it stops. Those that never do are released by the kernel when we exit.
 * False when the cancel ended the wait before its time.
 */
bool probe_tracer_finish(struct probe_tracer *tracer, uint64_t timeout_ns);
void probe_tracer_deinit(struct probe_tracer *tracer);

/* What differs between processors, apart from the arithmetic of tls.h. */

/* The thread must be stopped by us. 0, or an errno. */
int probe_arch_thread_pointer(pid_t tid, uint64_t *ret) MUST_CHECK;

/*
 * Where thread-local storage lies relative to the thread pointer. Both ABI
 * variants are compiled everywhere so that both are tested everywhere.
 */
enum probe_tls_variant {
	/* aarch64: the blocks follow a control block of two words at the thread pointer. */
	PROBE_TLS_VARIANT_I,
	/* x86-64: the blocks end at the thread pointer. */
	PROBE_TLS_VARIANT_II,
};

enum { PROBE_TLS_VARIANT_I_TCB_BYTES = 16 };

/* Also EM_… of the processes this build can read, and its name; where the thread pointer is. */
#if defined(__x86_64__)
#define PROBE_TLS_VARIANT_HERE PROBE_TLS_VARIANT_II
#define PROBE_ARCH_MACHINE     EM_X86_64
#define PROBE_ARCH_NAME	       "x86_64"
#define PROBE_ARCH_REGSET      "NT_PRSTATUS"
#elif defined(__aarch64__)
#define PROBE_TLS_VARIANT_HERE PROBE_TLS_VARIANT_I
#define PROBE_ARCH_MACHINE     EM_AARCH64
#define PROBE_ARCH_NAME	       "aarch64"
#define PROBE_ARCH_REGSET      "NT_ARM_TLS"
#else
#error "the thread pointer's meaning is known for x86-64 and aarch64 only"
#endif

/* The main executable's block. False when the address does not fit. */
bool probe_tls_block_of_executable(enum probe_tls_variant variant, uint64_t thread_pointer,
				   const struct elf_tls *tls, uint64_t *ret) MUST_CHECK;
/* A library's block in the static area; tls_offset is glibc's l_tls_offset. */
bool probe_tls_block_of_library(enum probe_tls_variant variant, uint64_t thread_pointer,
				uint64_t tls_offset, uint64_t *ret) MUST_CHECK;

#endif
