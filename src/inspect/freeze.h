/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A VM of another process stands still while it is looked at, by its second monitor. */
#ifndef KTSTR_INSPECT_FREEZE_H
#define KTSTR_INSPECT_FREEZE_H

#include "base/error.h"
#include "vm/qemu/qmp.h"
#include "vm/run/run.h"

struct inspect_freeze {
	struct vm_qmp *qmp;
	bool stopped; /* by us, or by one that was killed */
	struct vm_run_freeze mark;
	struct vm_register_list registers;
};
#define INSPECT_FREEZE_NONE ((struct inspect_freeze){ .mark = VM_RUN_FREEZE_NONE })

/*
 * Whoever freezes a guest has to reach inspect_freeze_end(), whatever signals come: see
 * cli/frame/interrupts.h. A guest that stands still already is left so.
 */
struct error *inspect_freeze_begin(const struct vm_run_entry *entry,
				   struct inspect_freeze *ret) MUST_CHECK;
void inspect_freeze_end(struct inspect_freeze *freeze);

#endif
