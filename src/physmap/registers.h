/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registers of one CPU of a guest at the moment its memory is from; from QEMU or a core file. */
#ifndef KTSTR_PHYSMAP_REGISTERS_H
#define KTSTR_PHYSMAP_REGISTERS_H

#include "base/macros.h"

/* Those that Linux's struct user_regs_struct has under the same name. */
#define PHYSMAP_GENERAL_REGISTERS(X) \
	X(rax)                       \
	X(rbx)                       \
	X(rcx)                       \
	X(rdx)                       \
	X(rsi)                       \
	X(rdi)                       \
	X(rbp)                       \
	X(rsp)                       \
	X(r8)                        \
	X(r9)                        \
	X(r10)                       \
	X(r11)                       \
	X(r12)                       \
	X(r13)                       \
	X(r14)                       \
	X(r15)                       \
	X(rip)                       \
	X(fs_base)                   \
	X(gs_base)

struct physmap_registers {
#define PHYSMAP_REGISTER_(member) uint64_t member;
	PHYSMAP_GENERAL_REGISTERS(PHYSMAP_REGISTER_)
#undef PHYSMAP_REGISTER_
	uint64_t rflags, cr0, cr2, cr3, cr4, efer;
	bool user; /* it runs a process, not the kernel */
	bool halted;
	bool unknown; /* nothing else here means anything */
};

#endif
