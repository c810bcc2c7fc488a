/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Does KVM work here? A /dev/kvm that exists is no proof, so a guest is run (kvm_trial.h),
 * in a child process: a KVM_RUN that never comes back does not take us with it.
 * "Yes" means worth a boot under a limit, not more.
 */
#ifndef KTSTR_VM_QEMU_KVM_PROBE_H
#define KTSTR_VM_QEMU_KVM_PROBE_H

#include "vm/qemu/kvm_trial.h"

#define VM_KVM_PROBE_DEVICE "/dev/kvm"

enum {
	VM_LIMIT_KVM_PROBE_MS = 2000,
	/* After SIGKILL; a child stuck in the kernel beyond that is left to the system. */
	VM_KVM_PROBE_KILL_MS = 1000,
	VM_KVM_PROBE_REASON_BYTES = 192,
};

struct vm_kvm_probe {
	bool usable;
	/* One clause, no full stop: "a 64-bit guest ran in 30 ms", "there is no /dev/kvm". */
	char reason[VM_KVM_PROBE_REASON_BYTES];
	uint64_t took_ns;
};

typedef void (*vm_kvm_trial_fn)(const char *device, struct vm_kvm_trial *ret);

/* Always answers, within the limits above. */
void vm_kvm_probe_run(struct vm_kvm_probe *ret);
/* The same with another trial, device and limit: for tests. */
void vm_kvm_probe_run_trial(vm_kvm_trial_fn trial, const char *device, uint64_t limit_ms,
			    struct vm_kvm_probe *ret);
/* What a finished trial means. */
void vm_kvm_probe_judge(const struct vm_kvm_trial *trial, const char *device,
			struct vm_kvm_probe *ret);

#endif
