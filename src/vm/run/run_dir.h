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

#define VM_RUN_DIR_LOCK	 "lock"
#define VM_RUN_DIR_INFO	 "vm.json"
#define VM_RUN_DIR_GUARD ".lock"
#define VM_RUN_DIR_DEAD	 ".dead-"

enum {
	VM_RUN_DIR_ID_CHARS = 8,
	/* Somebody who holds the guard that long is stuck. */
	VM_RUN_DIR_GUARD_WAIT_MS = 10000,
	VM_LIMIT_RUN_DIR_ENTRIES = 65536,
};

struct vm_run_dir;

/* The folder of all folders; the caller owns the string. */
char *vm_run_dir_top(void) MUST_CHECK;
/* True for names this room gives to the folder of a VM. */
bool vm_run_dir_is_id(const char *name);

/* A new folder, mode 0700, ours until vm_run_dir_free(). Sweeps first. */
struct error *vm_run_dir_new(struct vm_run_dir **ret) MUST_CHECK;
/* Removes the folder with all it holds. */
void vm_run_dir_free(struct vm_run_dir *dir);
const char *vm_run_dir_id(const struct vm_run_dir *dir);
const char *vm_run_dir_path(const struct vm_run_dir *dir);
/* A file in it; the caller owns the string. A socket's path must fit 107 bytes. */
char *vm_run_dir_file(const struct vm_run_dir *dir, const char *name) MUST_CHECK;
/* Writes vm.json whole or not at all. `id` and `owner` are filled in here. */
struct error *vm_run_dir_publish(struct vm_run_dir *dir, struct vm_run_info *info) MUST_CHECK;

/*
 * Removes what dead owners left. Does not wait: when somebody else is making or removing a
 * folder just now, what is not swept today is swept tomorrow.
 */
void vm_run_dir_sweep(void);

enum vm_run_dir_owner {
	VM_RUN_DIR_OWNER_LIVES,
	VM_RUN_DIR_OWNER_GONE,
	VM_RUN_DIR_OWNER_UNKNOWN, /* no such folder, or it may not be looked at */
};

/* fd of the folder of all folders. */
enum vm_run_dir_owner vm_run_dir_owner(int top_fd, const char *id);

DEFINE_CLEANUP(vm_run_dir, struct vm_run_dir *, NULL, vm_run_dir_free);
#define _cleanup_vm_run_dir_ _cleanup_(cleanup_vm_run_dir)

#endif
