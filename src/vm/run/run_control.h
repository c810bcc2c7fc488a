/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * VMs of other processes: whether they stand still, stop, go on, end. By the monitor that each has
 * for others; QEMU serves one of them after the other. Entries are those of a run_list that was
 * just read.
 */
#ifndef KTSTR_VM_RUN_RUN_CONTROL_H
#define KTSTR_VM_RUN_RUN_CONTROL_H

#include "vm/qemu/qmp.h"
#include "vm/run/run_freeze.h"
#include "vm/run/run_list.h"

/* The VM runs or is paused and has a monitor; else an error that says what it is. */
struct error *run_control_connect(const struct run_entry *entry, uint64_t wait_ns,
				  struct qmp **ret) MUST_CHECK;
/* Its run folder; the caller owns the string. */
char *run_control_dir(const struct run_entry *entry) MUST_CHECK;
/* False in *ret: its CPUs stand still. */
struct error *run_control_is_running(struct qmp *qmp, uint64_t wait_ns, bool *ret) MUST_CHECK;

/* Until run_control_resume(), whoever else looks meanwhile. One that stands still stays so. */
struct error *run_control_freeze(const struct run_entry *entry) MUST_CHECK;
/* A guest whose kernel has ended cannot go on: VM_QMP. */
struct error *run_control_resume(const struct run_entry *entry) MUST_CHECK;
/* SIGKILL for its QEMU, and waits for the end of it. The owner sees it and ends, or goes on. */
struct error *run_control_kill(const struct run_entry *entry) MUST_CHECK;

/*
 * Asks each VM of the list: RUN_RUNNING becomes RUN_PAUSED where the CPUs stand still. A VM that
 * was left so by one that was killed while it looked goes on. One whose QEMU does not answer keeps
 * its state.
 */
void run_control_ask(struct run_list *list);

#endif
