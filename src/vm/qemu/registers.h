/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registers of a vCPU, as QEMU's monitor prints them. */
#ifndef KTSTR_VM_QEMU_REGISTERS_H
#define KTSTR_VM_QEMU_REGISTERS_H

#include "base/vec.h"
#include "physmap/registers.h"
#include "vm/error.h"

/* One row per register: the member and QEMU's names for it in long and in other modes. */
#define VM_REGISTERS(X)         \
	X(rax, "RAX", "EAX")    \
	X(rbx, "RBX", "EBX")    \
	X(rcx, "RCX", "ECX")    \
	X(rdx, "RDX", "EDX")    \
	X(rsi, "RSI", "ESI")    \
	X(rdi, "RDI", "EDI")    \
	X(rbp, "RBP", "EBP")    \
	X(rsp, "RSP", "ESP")    \
	X(r8, "R8", NULL)       \
	X(r9, "R9", NULL)       \
	X(r10, "R10", NULL)     \
	X(r11, "R11", NULL)     \
	X(r12, "R12", NULL)     \
	X(r13, "R13", NULL)     \
	X(r14, "R14", NULL)     \
	X(r15, "R15", NULL)     \
	X(rip, "RIP", "EIP")    \
	X(rflags, "RFL", "EFL") \
	X(cr0, "CR0", NULL)     \
	X(cr2, "CR2", NULL)     \
	X(cr3, "CR3", NULL)     \
	X(cr4, "CR4", NULL)     \
	X(efer, "EFER", NULL)

struct vm_register_list {
	VEC(struct physmap_registers) cpus; /* by number; without long mode r8 to r15 are 0 */
};
void vm_register_list_deinit(struct vm_register_list *list);
#define _cleanup_vm_register_list_ __attribute__((cleanup(vm_register_list_deinit)))

/* What `info registers -a` printed. A CPU without one of its registers is VM_QMP. */
struct error *vm_registers_parse(const char *text, size_t n,
				 struct vm_register_list *ret) MUST_CHECK;

#endif
