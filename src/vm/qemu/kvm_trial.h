/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One small guest through KVM: 64-bit, ring 0, with what a kernel needs in its first
 * microseconds. A guest in real mode proves nothing: there are hosts where KVM emulates that
 * much and fails at the first SSE instruction.
 */
#ifndef KTSTR_VM_QEMU_KVM_TRIAL_H
#define KTSTR_VM_QEMU_KVM_TRIAL_H

#include "base/macros.h"

/* How far it came; the step that failed, or VM_KVM_TRIAL_RAN. */
#define VM_KVM_TRIAL_STEPS(X)                                \
	X(VM_KVM_TRIAL_ARCH, "this architecture")            \
	X(VM_KVM_TRIAL_OPEN, "open")                         \
	X(VM_KVM_TRIAL_API, "KVM_GET_API_VERSION")           \
	X(VM_KVM_TRIAL_VM, "KVM_CREATE_VM")                  \
	X(VM_KVM_TRIAL_MEMORY, "KVM_SET_USER_MEMORY_REGION") \
	X(VM_KVM_TRIAL_VCPU, "KVM_CREATE_VCPU")              \
	X(VM_KVM_TRIAL_CPUID, "KVM_SET_CPUID2")              \
	X(VM_KVM_TRIAL_REGISTERS, "KVM_SET_SREGS")           \
	X(VM_KVM_TRIAL_RUN, "KVM_RUN")                       \
	X(VM_KVM_TRIAL_RAN, "the guest")

enum vm_kvm_trial_step {
#define KVM_TRIAL_STEP_(id, words) id,
	VM_KVM_TRIAL_STEPS(KVM_TRIAL_STEP_)
#undef KVM_TRIAL_STEP_
		VM_KVM_TRIAL_N_STEPS
};

enum {
	/* What the guest must say: computed by SSE2, changed by its int3 handler. */
	VM_KVM_TRIAL_ANSWER = 0x02469ace,
};

/* Crosses a pipe between two copies of one program. */
struct vm_kvm_trial {
	uint32_t step; /* enum vm_kvm_trial_step */
	int32_t errnum;
	/* Only for VM_KVM_TRIAL_RAN: why KVM_RUN came back, with its detail, and what was said. */
	uint32_t exit_reason;
	uint32_t detail;
	uint32_t answer;
};

/*
 * Runs it in this process, which may take for ever; system calls only, so that it may be
 * called between fork() and exec().
 */
void vm_kvm_trial_run(const char *device, struct vm_kvm_trial *ret);

#endif
