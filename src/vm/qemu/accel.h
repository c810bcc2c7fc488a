/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What executes a guest: KVM where a trial says that it works, else QEMU's own translator,
 * single-threaded (with several threads guests crash while their kernel patches its text). The
 * reason is kept with the choice.
 *
 * A successful trial does not prove that a whole kernel runs. Whoever boots the first guest by
 * an automatic choice of KVM (`boot_is_trial`) does so under VM_ACCEL_TRIAL_BOOT_MS and reports
 * how it went; after a failure everybody on this machine gets TCG for a while.
 */
#ifndef KTSTR_VM_QEMU_ACCEL_H
#define KTSTR_VM_QEMU_ACCEL_H

#include <stdint.h>

#include "base/error.h"
#include "base/macros.h"

/*
 * One small guest through KVM: 64-bit, ring 0, with what a kernel needs in its first
 * microseconds. A guest in real mode proves nothing: there are hosts where KVM emulates that
 * much and fails at the first SSE instruction.
 */

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

/*
 * Does KVM work here? An existing /dev/kvm is not proof, so a guest is run (kvm_trial.h),
 * in a child process: a KVM_RUN that never comes back does not take us with it.
 * "Yes" means worth a boot under a limit, not more.
 */

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

enum vm_accel_wish {
	VM_ACCEL_WISH_AUTO,
	VM_ACCEL_WISH_KVM,
	VM_ACCEL_WISH_TCG,
};

/* In the order of enum vm_accel_wish, NULL at the end: for option rows. */
extern const char *const vm_accel_wish_words[];

enum vm_accel_kind {
	VM_ACCEL_TCG,
	VM_ACCEL_KVM,
};

enum {
	VM_ACCEL_REASON_BYTES = 512,
	VM_ACCEL_TRIAL_BOOT_MS = 10000,
	/* A boot may also fail because the machine is overloaded, so the memory fades. */
	VM_ACCEL_FAILURE_KEPT_SEC = 3600,
	/* The trial costs some 10 ms, a good part of a clone; the device itself is compared. */
	VM_ACCEL_PROBE_KEPT_SEC = 3600,
};

struct vm_accel {
	enum vm_accel_kind kind;
	const char *name;	/* "tcg", "kvm" */
	const char *qemu_accel; /* for -accel */
	/*
	 * For -cpu. The same model under both, so that a guest looks the same everywhere:
	 *
	 * - Nehalem: old enough for every host and for TCG, no 5-level paging.
	 * - vendor=GenuineIntel: guests read their caches from leaf 4, which only Intel's have.
	 *   Under TCG the model says so already; under KVM QEMU takes the host's vendor unless
	 *   told otherwise, and an AMD guest sees an L2 for each thread. An Intel guest on an
	 *   AMD host was run only where QEMU emulates that host: never on hardware.
	 * - level=32: with more than one die QEMU 10.0 aborts below leaf 0x1f, and die_id
	 *   is 0 everywhere.
	 * - no `host` model: it brings what this very host has, so one test would see
	 *   different machines. Its cache leaves follow -smp (host-cache-info is off by default).
	 */
	const char *qemu_cpu;
	bool boot_is_trial;
	char reason[VM_ACCEL_REASON_BYTES];
};

/*
 * The choice. The trial runs at most once in a process, and not at all when another process
 * ran it within the hour. Safe from any thread.
 */
void vm_accel_choose(enum vm_accel_wish wish, struct vm_accel *ret);
/* The answer of that trial; took_ns is 0 when it was another process's. */
void vm_accel_probe(struct vm_kvm_probe *ret);
/* Runs it now, whatever is known, and makes its answer the known one. */
void vm_accel_probe_again(struct vm_kvm_probe *ret);

/*
 * Whether an error of a first boot counts against KVM: a guest that did not come up does, a full
 * disk or a user who lost patience does not.
 */
bool vm_accel_speaks_against_kvm(const struct error *err);
/* How the first boot under an automatic choice of KVM went. */
void vm_accel_kvm_boot_failed(const char *why);
void vm_accel_kvm_boot_worked(void);
/*
 * Why a boot failed; NULL when none did, or it was another boot of this machine, or long
 * ago. The caller owns the string.
 */
char *vm_accel_recall_failure(void) MUST_CHECK;

/* The decision alone. boot_failure is NULL when none is remembered. */
void vm_accel_decide(enum vm_accel_wish wish, const struct vm_kvm_probe *probe,
		     const char *boot_failure, bool boot_worked, struct vm_accel *ret);

/*
 * What one process found out and others need not find out again: an answer and its reason,
 * in the run directory. It is valid until the machine boots again, for a while, and only if
 * the key is the same. A note that cannot be written or read is ignored.
 */

/* The key is a hash of what the answer depends on. */
void vm_boot_note_keep(const char *name, uint64_t key, bool answer, const char *reason);
/* False, and nothing written, when there is none. The caller owns *ret_reason. */
bool vm_boot_note_recall(const char *name, uint64_t key, uint64_t max_age_sec, bool *ret_answer,
			 char **ret_reason);
void vm_boot_note_forget(const char *name);

/*
 * How fast the host's time stamp counter runs. QEMU's translator shows a guest that very counter,
 * and a guest that finds its speed out by itself errs on a busy host, at times by a factor of
 * fifty.
 */

/* Takes some milliseconds. 0: unknown. */
uint64_t vm_host_tsc_khz(void);

#endif
