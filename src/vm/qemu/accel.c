// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/accel.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "vm/error.h"

#define BOOT_NOTE  "kvm-boot"
#define PROBE_NOTE "kvm-trial"

const char *const vm_accel_wish_words[] = {
	[VM_ACCEL_WISH_AUTO] = "auto",
	[VM_ACCEL_WISH_KVM] = "kvm",
	[VM_ACCEL_WISH_TCG] = "tcg",
	NULL,
};

static const struct vm_accel kvm = {
	.kind = VM_ACCEL_KVM,
	.name = "kvm",
	.qemu_accel = "kvm",
	.qemu_cpu = "Nehalem,vendor=GenuineIntel,level=32",
};

/*
 * tb-size: MiB for translated code. Without it QEMU takes an eighth of the host's memory, 1 GiB at
 * most; and where it is full, the turn of a CPU ends. It is address space, of which QEMU touches
 * what it translates: it had at most 98 MiB of private memory in all for guests of 1, 2 and 4 CPUs
 * and 118 for 16 (QEMU 10.0, kernel 6.18; booted and cloned), whatever their number, since all CPUs
 * share the code. Less room would save nothing and could become full.
 */
static const struct vm_accel tcg = {
	.kind = VM_ACCEL_TCG,
	.name = "tcg",
	.qemu_accel = "tcg,thread=single,tb-size=1024",
	.qemu_cpu = "Nehalem,level=32",
};

static struct {
	pthread_mutex_t lock;
	bool has_probed;
	struct vm_kvm_probe probe;
	bool boot_worked;
	char *failure; /* of a boot of this process */
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

#define SAY(accel, ...) snprintf((accel)->reason, sizeof((accel)->reason), __VA_ARGS__)

void vm_accel_decide(enum vm_accel_wish wish, const struct vm_kvm_probe *probe,
		     const char *boot_failure, bool boot_worked, struct vm_accel *ret)
{
	switch (wish) {
	case VM_ACCEL_WISH_TCG:
		*ret = tcg;
		SAY(ret, "asked for");
		return;
	case VM_ACCEL_WISH_KVM:
		*ret = kvm;
		if (!probe->usable)
			SAY(ret, "asked for, although KVM does not work here: %s", probe->reason);
		else
			SAY(ret, "asked for; %s", probe->reason);
		return;
	case VM_ACCEL_WISH_AUTO:
		break;
	}
	if (!probe->usable) {
		*ret = tcg;
		SAY(ret, "KVM does not work here: %s", probe->reason);
	} else if (boot_failure) {
		*ret = tcg;
		SAY(ret, "KVM's trial worked (%s), but a guest did not boot with it: %s",
		    probe->reason, boot_failure);
	} else {
		*ret = kvm;
		ret->boot_is_trial = !boot_worked;
		SAY(ret, "KVM works here: %s", probe->reason);
	}
}

/* What the answer of the trial depends on, as far as it can be seen from outside. */
static uint64_t device_key(void)
{
	struct stat st;
	uint64_t facts[6] = { 0 };

	if (stat(VM_KVM_PROBE_DEVICE, &st) == 0) {
		facts[0] = st.st_dev;
		facts[1] = st.st_ino;
		facts[2] = st.st_rdev;
		facts[3] = (uint64_t)st.st_ctim.tv_sec;
		facts[4] = (uint64_t)st.st_ctim.tv_nsec;
	}
	facts[5] = geteuid();
	return hash_bytes(HASH_INIT, facts, sizeof(facts));
}

/* Not when it could not even be opened: that may change with the groups of a user. */
static bool recall_probe(struct vm_kvm_probe *ret)
{
	_cleanup_free_ char *reason = NULL;
	bool usable;

	if (access(VM_KVM_PROBE_DEVICE, R_OK | W_OK) < 0 ||
	    !vm_boot_note_recall(PROBE_NOTE, device_key(), VM_ACCEL_PROBE_KEPT_SEC, &usable,
				 &reason))
		return false;
	*ret = (struct vm_kvm_probe){ .usable = usable };
	snprintf(ret->reason, sizeof(ret->reason), "%s", reason);
	return true;
}

static void run_probe(struct vm_kvm_probe *ret)
{
	vm_kvm_probe_run(ret);
	if (access(VM_KVM_PROBE_DEVICE, R_OK | W_OK) == 0)
		vm_boot_note_keep(PROBE_NOTE, device_key(), ret->usable, ret->reason);
}

static void probe_device(bool again, struct vm_kvm_probe *ret)
{
	pthread_mutex_lock(&known.lock);
	if (again || (!known.has_probed && !recall_probe(&known.probe)))
		run_probe(&known.probe);
	known.has_probed = true;
	*ret = known.probe;
	pthread_mutex_unlock(&known.lock);
}

void vm_accel_probe(struct vm_kvm_probe *ret)
{
	probe_device(false, ret);
}

void vm_accel_probe_again(struct vm_kvm_probe *ret)
{
	probe_device(true, ret);
}

char *vm_accel_recall_failure(void)
{
	char *why = NULL;
	bool worked;

	if (!vm_boot_note_recall(BOOT_NOTE, device_key(), VM_ACCEL_FAILURE_KEPT_SEC, &worked, &why))
		return NULL;
	if (!worked)
		return why;
	free(why);
	return NULL;
}

bool vm_accel_speaks_against_kvm(const struct error *err)
{
	static const enum vm_error_kind kinds[] = {
		VM_QEMU_FAILED,	 VM_QEMU_KILLED, VM_QMP,   VM_BOOT_TIMEOUT, VM_PANIC,
		VM_TRIPLE_FAULT, VM_HANG,	 VM_AGENT, VM_TOPOLOGY,	    VM_CLONE,
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (error_is(err, &vm_error_domain, (int)kinds[i]))
			return true;
	return false;
}

void vm_accel_kvm_boot_failed(const char *why)
{
	vm_boot_note_keep(BOOT_NOTE, device_key(), false, why);
	pthread_mutex_lock(&known.lock);
	free(known.failure);
	known.failure = xstrdup(why);
	known.boot_worked = false;
	pthread_mutex_unlock(&known.lock);
}

void vm_accel_kvm_boot_worked(void)
{
	vm_boot_note_forget(BOOT_NOTE);
	pthread_mutex_lock(&known.lock);
	free(take_ptr(known.failure));
	known.boot_worked = true;
	pthread_mutex_unlock(&known.lock);
}

void vm_accel_choose(enum vm_accel_wish wish, struct vm_accel *ret)
{
	_cleanup_free_ char *failure = NULL;
	struct vm_kvm_probe probe = { 0 };
	bool worked;

	/* TCG needs no trial of KVM. */
	if (wish != VM_ACCEL_WISH_TCG)
		vm_accel_probe(&probe);
	if (wish == VM_ACCEL_WISH_AUTO && probe.usable)
		failure = vm_accel_recall_failure();
	pthread_mutex_lock(&known.lock);
	worked = known.boot_worked;
	/* The failure may be known here only: the run directory may be unwritable. */
	if (!failure && known.failure)
		failure = xstrdup(known.failure);
	pthread_mutex_unlock(&known.lock);
	vm_accel_decide(wish, &probe, failure, worked, ret);
}
