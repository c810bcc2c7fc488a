/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One private folder per VM, below the run folder: how other processes find it.
 *
 *	vm/.lock           held for the moment in which a folder is made or put aside
 *	vm/3f9a01bc/lock   held (flock) by the owner as long as it lives
 *	vm/3f9a01bc/vm.json, qmp.sock, console.log
 *	vm/.dead-3f9a01bc  put aside, being removed by whoever sees it
 *
 * A lock ends with its process, however that dies. So a folder whose lock is free belongs to
 * nobody, and whoever looks next removes it; nothing else is ever touched.
 */
#ifndef KTSTR_VM_RUN_RUN_DIR_H
#define KTSTR_VM_RUN_RUN_DIR_H

#include "vm/run/run_info.h"

#define RUN_DIR_LOCK  "lock"
#define RUN_DIR_INFO  "vm.json"
#define RUN_DIR_GUARD ".lock"
#define RUN_DIR_DEAD  ".dead-"

enum {
	RUN_DIR_ID_CHARS = 8,
	/* Somebody who holds the guard that long is stuck. */
	RUN_DIR_GUARD_WAIT_MS = 10000,
	RUN_DIR_ENTRIES_LIMIT = 65536,
};

struct run_dir;

/* The folder of all folders; the caller owns the string. */
char *run_dir_top(void) MUST_CHECK;
/* True for names this room gives to the folder of a VM. */
bool run_dir_is_id(const char *name);

/* A new folder, mode 0700, ours until run_dir_free(). Sweeps first. */
struct error *run_dir_new(struct run_dir **ret) MUST_CHECK;
/* Removes the folder with all it holds. */
void run_dir_free(struct run_dir *dir);
const char *run_dir_id(const struct run_dir *dir);
const char *run_dir_path(const struct run_dir *dir);
/* A file in it; the caller owns the string. A socket's path must fit 107 bytes. */
char *run_dir_file(const struct run_dir *dir, const char *name) MUST_CHECK;
/* Writes vm.json whole or not at all. `id` and `owner` are filled in here. */
struct error *run_dir_publish(struct run_dir *dir, struct run_info *info) MUST_CHECK;

/*
 * Removes what dead owners left. Does not wait: when somebody else is making or removing a
 * folder just now, what is not swept today is swept tomorrow.
 */
void run_dir_sweep(void);

enum run_dir_owner {
	RUN_DIR_OWNER_LIVES,
	RUN_DIR_OWNER_GONE,
	RUN_DIR_OWNER_UNKNOWN, /* no such folder, or it may not be looked at */
};

/* fd of the folder of all folders. */
enum run_dir_owner run_dir_owner(int top_fd, const char *id);

DEFINE_CLEANUP(vm_run_dir, struct run_dir *, NULL, run_dir_free);
#define _cleanup_run_dir_ _cleanup_(cleanup_vm_run_dir)

#endif
