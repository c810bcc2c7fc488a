/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What executes a guest: KVM where a trial says that it works, else QEMU's own translator,
 * single-threaded (with several threads guests crash while their kernel patches its text). The
 * reason is kept with the choice.
 *
 * A trial that says yes still may lie about a whole kernel. Who boots the first guest by
 * an automatic choice of KVM (`boot_is_trial`) does so under VM_ACCEL_TRIAL_BOOT_MS and tells us
 * how it went; after a failure everybody on this machine gets TCG for a while.
 */
#ifndef KTSTR_VM_QEMU_ACCEL_H
#define KTSTR_VM_QEMU_ACCEL_H

#include "base/error.h"
#include "vm/qemu/kvm_probe.h"

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

#endif
