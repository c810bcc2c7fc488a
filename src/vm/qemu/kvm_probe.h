/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Does KVM work here? A /dev/kvm that exists is no proof, so a guest is run (kvm_trial.h),
 * in a child process: a KVM_RUN that never comes back does not take us with it.
 * "Yes" means worth a boot under a limit, not more.
 */
#ifndef KTSTR_VM_QEMU_KVM_PROBE_H
#define KTSTR_VM_QEMU_KVM_PROBE_H

#include "vm/qemu/kvm_trial.h"

#define KVM_PROBE_DEVICE "/dev/kvm"

enum {
	KVM_PROBE_LIMIT_MS = 2000,
	/* After SIGKILL; a child stuck in the kernel beyond that is left to the system. */
	KVM_PROBE_KILL_MS = 1000,
	KVM_PROBE_REASON_BYTES = 192,
};

struct kvm_probe {
	bool usable;
	/* One clause, no full stop: "a 64-bit guest ran in 30 ms", "there is no /dev/kvm". */
	char reason[KVM_PROBE_REASON_BYTES];
	uint64_t took_ns;
};

typedef void (*kvm_trial_fn)(const char *device, struct kvm_trial *ret);

/* Always answers, within the limits above. */
void kvm_probe_run(struct kvm_probe *ret);
/* The same with another trial, device and limit: for tests. */
void kvm_probe_run_trial(kvm_trial_fn trial, const char *device, uint64_t limit_ms,
			 struct kvm_probe *ret);
/* What a finished trial means. */
void kvm_probe_judge(const struct kvm_trial *trial, const char *device, struct kvm_probe *ret);

#endif
