// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/arch.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#if defined(__x86_64__)

uint16_t probe_arch_elf_machine(void)
{
	return EM_X86_64;
}

const char *probe_arch_name(void)
{
	return "x86_64";
}

const char *probe_arch_regset_name(void)
{
	return "NT_PRSTATUS";
}

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

uint16_t probe_arch_elf_machine(void)
{
	return EM_AARCH64;
}

const char *probe_arch_name(void)
{
	return "aarch64";
}

const char *probe_arch_regset_name(void)
{
	return "NT_ARM_TLS";
}

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
