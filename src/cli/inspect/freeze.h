/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A VM of another process stands still while it is looked at, by its second monitor. */
#ifndef KTSTR_CLI_INSPECT_FREEZE_H
#define KTSTR_CLI_INSPECT_FREEZE_H

#include "base/error.h"
#include "vm/registers.h"
#include "vm/run_control.h"

struct freeze {
	struct qmp *qmp;
	bool stopped; /* by us, or by one that was killed */
	struct run_freeze mark;
	struct vm_register_list registers;
};
#define FREEZE_NONE ((struct freeze){ .mark = RUN_FREEZE_NONE })

/*
 * Whoever freezes a guest has to reach freeze_end(), whatever signals come: see
 * cli/frame/interrupts.h. A guest that stands still already is left so.
 */
struct error *freeze_begin(const struct run_entry *entry, struct freeze *ret) MUST_CHECK;
void freeze_end(struct freeze *freeze);

#endif
