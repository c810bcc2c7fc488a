/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What differs between processors, apart from the arithmetic of tls.h. */
#ifndef KTSTR_PROBE_ARCH_H
#define KTSTR_PROBE_ARCH_H

#include <sys/types.h>

#include "base/macros.h"
#include "elf/image.h"

/* EM_… of the processes this build can read, and its name. */
uint16_t probe_arch_elf_machine(void);
const char *probe_arch_name(void);
/* The register set the thread pointer is in, for messages. */
const char *probe_arch_regset_name(void);
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

#if defined(__x86_64__)
#define PROBE_TLS_VARIANT_HERE PROBE_TLS_VARIANT_II
#elif defined(__aarch64__)
#define PROBE_TLS_VARIANT_HERE PROBE_TLS_VARIANT_I
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
