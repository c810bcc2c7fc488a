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
struct error *vm_run_control_connect(const struct vm_run_entry *entry, uint64_t wait_ns,
				     struct vm_qmp **ret) MUST_CHECK;
/* Its run folder; the caller owns the string. */
char *vm_run_control_dir(const struct vm_run_entry *entry) MUST_CHECK;
/* False in *ret: its CPUs stand still. */
struct error *vm_run_control_is_running(struct vm_qmp *qmp, uint64_t wait_ns, bool *ret) MUST_CHECK;

/* Until vm_run_control_resume(), whoever else looks meanwhile. One that stands still stays so. */
struct error *vm_run_control_freeze(const struct vm_run_entry *entry) MUST_CHECK;
/* A guest whose kernel has ended cannot go on: VM_QMP. */
struct error *vm_run_control_resume(const struct vm_run_entry *entry) MUST_CHECK;
/* SIGKILL for its QEMU, and waits for the end of it. The owner sees it and ends, or goes on. */
struct error *vm_run_control_kill(const struct vm_run_entry *entry) MUST_CHECK;

/*
 * Asks each VM of the list: VM_RUN_RUNNING becomes VM_RUN_PAUSED where the CPUs stand still. A VM
 * that was left so by one that was killed while it looked goes on. One whose QEMU does not answer
 * keeps its state.
 */
void vm_run_control_ask(struct vm_run_list *list);

#endif
