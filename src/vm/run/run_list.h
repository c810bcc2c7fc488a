/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All VMs of this user that run now. Looking sweeps away what dead owners left. */
#ifndef KTSTR_VM_RUN_RUN_LIST_H
#define KTSTR_VM_RUN_RUN_LIST_H

#include "vm/run/run_dir.h"

#define RUN_STATES(X)                                                      \
	X(RUN_STARTING, "starting", "its owner prepares it")               \
	X(RUN_RUNNING, "running", "QEMU runs")                             \
	X(RUN_PAUSED, "paused", "QEMU runs, the guest's CPUs are stopped") \
	X(RUN_ENDED, "ended", "QEMU has ended, its owner has not yet")     \
	X(RUN_UNREADABLE, "unreadable", "its description makes no sense")

enum run_state {
#define RUN_STATE_ENUM_(id, word, meaning) id,
	RUN_STATES(RUN_STATE_ENUM_)
#undef RUN_STATE_ENUM_
};

const char *run_state_word(enum run_state state);

struct run_entry {
	char *id;
	enum run_state state;
	struct run_info *info; /* NULL when starting without a description, or unreadable */
	char *problem;	       /* why it is unreadable, else NULL */
};

struct run_list {
	VEC(struct run_entry) entries; /* by start, then by id */
};

/* Never waits for anybody. No run folder at all is an empty list. */
struct error *run_list_read(struct run_list *ret) MUST_CHECK;
void run_list_deinit(struct run_list *list);
/* By id, or by the beginning of one that fits only one; NULL when none or several do. */
const struct run_entry *run_list_find(const struct run_list *list, const char *id);
/* The same, also with "vm:" in front; none or several is BASE_ABSENT. */
struct error *run_list_get(const struct run_list *list, const char *id,
			   const struct run_entry **ret) MUST_CHECK;

#define _cleanup_run_list_ __attribute__((cleanup(run_list_deinit)))

#endif
