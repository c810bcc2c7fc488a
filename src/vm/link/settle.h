/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Before work begins: every CPU of the guest has been idle for a while. */
#ifndef KTSTR_VM_LINK_SETTLE_H
#define KTSTR_VM_LINK_SETTLE_H

#include "vm/vm.h"

/* In the guest's time. */
struct vm_settled {
	bool known;	    /* false: nobody asked */
	uint64_t waited_ns; /* in all */
	uint64_t quiet_ns;  /* the last part of it, in which the CPUs were idle */
	uint32_t cpu;	    /* the busiest one in that part */
	uint32_t permille;  /* how much of a window it was busy, without the agent's own work */
};

/*
 * Waits until the CPUs are idle. VM_BUSY with the names of the tasks that keep them busy when that
 * takes too long: 30 s, and more for large machines without KVM.
 */
struct error *vm_settle(struct vm *vm, const struct cancel *cancel,
			struct vm_settled *ret) MUST_CHECK;
/* The same with the caller's limit, in the guest's time. */
struct error *vm_settle_within(struct vm *vm, uint64_t limit_ns, const struct cancel *cancel,
			       struct vm_settled *ret) MUST_CHECK;

#endif
