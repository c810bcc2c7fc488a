/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All VMs of this user that run now. Looking sweeps away what dead owners left. */
#ifndef KTSTR_VM_RUN_RUN_LIST_H
#define KTSTR_VM_RUN_RUN_LIST_H

#include "vm/run/run_dir.h"

#define VM_RUN_STATES(X)                                                      \
	X(VM_RUN_STARTING, "starting", "its owner prepares it")               \
	X(VM_RUN_RUNNING, "running", "QEMU runs")                             \
	X(VM_RUN_PAUSED, "paused", "QEMU runs, the guest's CPUs are stopped") \
	X(VM_RUN_ENDED, "ended", "QEMU has ended, its owner has not yet")     \
	X(VM_RUN_UNREADABLE, "unreadable", "its description is not valid")

enum vm_run_state {
#define RUN_STATE_ENUM_(id, word, meaning) id,
	VM_RUN_STATES(RUN_STATE_ENUM_)
#undef RUN_STATE_ENUM_
};

const char *vm_run_state_word(enum vm_run_state state);

struct vm_run_entry {
	char *id;
	enum vm_run_state state;
	struct vm_run_info *info; /* NULL when starting without a description, or unreadable */
	char *problem;		  /* why it is unreadable, else NULL */
};

struct vm_run_list {
	VEC(struct vm_run_entry) entries; /* by start, then by id */
};

/* Never waits for anybody. No run folder at all is an empty list. */
struct error *vm_run_list_read(struct vm_run_list *ret) MUST_CHECK;
void vm_run_list_deinit(struct vm_run_list *list);
/* By id, or by the beginning of one that fits only one; NULL when none or several do. */
const struct vm_run_entry *vm_run_list_find(const struct vm_run_list *list, const char *id);
/* The same, also with "vm:" in front; none or several is BASE_ABSENT. */
struct error *vm_run_list_get(const struct vm_run_list *list, const char *id,
			      const struct vm_run_entry **ret) MUST_CHECK;

#define _cleanup_vm_run_list_ __attribute__((cleanup(vm_run_list_deinit)))

#endif
