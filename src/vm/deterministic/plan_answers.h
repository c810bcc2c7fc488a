/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a guest that follows a plan says, taken in as it appears; the bytes are hostile. */
#ifndef KTSTR_VM_DETERMINISTIC_PLAN_ANSWERS_H
#define KTSTR_VM_DETERMINISTIC_PLAN_ANSWERS_H

#include "topo/machine.h"
#include "vm/link/exec.h"
#include "wire/frame.h"

struct vm_plan_answers {
	uint32_t topology_channel, command_channel;
	vm_output_fn on_output; /* may be NULL */
	void *context;

	struct wire_receiver receiver;
	char *release;		      /* NULL before READY */
	struct topo_machine *machine; /* NULL before TOPOLOGY */
	bool ended;		      /* `end` is the command's */
	struct vm_end end;
	bool bye;	  /* the plan was carried out; nothing may follow */
	uint64_t last_ns; /* CLOCK_MONOTONIC of the guest at its last frame */
};

void vm_plan_answers_init(struct vm_plan_answers *a);
void vm_plan_answers_deinit(struct vm_plan_answers *a);
#define _cleanup_vm_plan_answers_ __attribute__((cleanup(vm_plan_answers_deinit)))

/* Bytes that go on from those before. What the protocol does not allow is VM_AGENT. */
struct error *vm_plan_answers_feed(struct vm_plan_answers *a, const void *bytes,
				   size_t n) MUST_CHECK;

#endif
