/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who stops a guest to look at it holds a lock (flock) on the file `freeze` of its run folder until
 * the guest runs again. A lock ends with its process: a guest that stands still, has the file, and
 * whose file nobody has locked was left by one that was killed. Its owner then lets it run, and so
 * does the next one who looks. A guest without the file stands still because somebody wants it to.
 */
#ifndef KTSTR_VM_RUN_RUN_FREEZE_H
#define KTSTR_VM_RUN_RUN_FREEZE_H

#include "base/error.h"

#define VM_RUN_FREEZE_FILE "freeze"

struct vm_run_freeze {
	char *path;
	int fd;
};
#define VM_RUN_FREEZE_NONE ((struct vm_run_freeze){ .fd = -1 })

/* Before the guest is stopped. `dir` is the guest's run folder. */
struct error *vm_run_freeze_begin(const char *dir, struct vm_run_freeze *ret) MUST_CHECK;
/* After it runs again, or was left as it was: removes the file. Fine when nothing was begun. */
void vm_run_freeze_end(struct vm_run_freeze *freeze);

/*
 * True: left by one that was killed. Then nobody else can begin until vm_run_freeze_end(); the
 * guest is to be continued in between.
 */
bool vm_run_freeze_adopt(const char *dir, struct vm_run_freeze *ret) MUST_CHECK;
/* Somebody holds the lock now. */
bool vm_run_freeze_is_held(const char *dir);

#endif
