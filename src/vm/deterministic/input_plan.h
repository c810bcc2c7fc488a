/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All that a deterministic guest will ever hear: frames that wait in its initramfs
 * (docs/PROTOCOL.md, deterministic mode). Equal inputs give equal bytes; nothing of this host or of
 * this moment gets in.
 */
#ifndef KTSTR_VM_DETERMINISTIC_INPUT_PLAN_H
#define KTSTR_VM_DETERMINISTIC_INPUT_PLAN_H

#include "vm/link/exec.h"
#include "wire/frame.h"

/* Where the agent looks, in the archive. */
#define VM_PLAN_NAME "ktstr/plan"

enum {
	VM_PLAN_SESSION = 1,
	/* What a command may read from standard input: it travels in the initramfs. */
	VM_LIMIT_PLAN_INPUT = 64 << 20,
};

/* 2026-01-01T00:00:00Z, the guest's wall clock at HELLO; its RTC begins with the same. */
#define VM_PLAN_REALTIME_NS (UINT64_C(1767225600) * 1000000000)

struct vm_input_plan {
	struct strbuf bytes;
	struct wire_sender sender;
	uint32_t last_channel;
};

/* Begins with HELLO. *ret is overwritten; release it with vm_input_plan_deinit(). */
struct error *vm_input_plan_init(struct vm_input_plan *ret) MUST_CHECK;
void vm_input_plan_deinit(struct vm_input_plan *plan);
#define _cleanup_vm_input_plan_ __attribute__((cleanup(vm_input_plan_deinit)))

/* Asks for the topology on a channel of its own. */
struct error *vm_input_plan_add_topology(struct vm_input_plan *plan,
					 uint32_t *ret_channel) MUST_CHECK;
/*
 * A command, and all of its standard input, which is read now, to its end. Signals and a changing
 * terminal come from outside: there are none.
 */
struct error *vm_input_plan_add_command(struct vm_input_plan *plan,
					const struct vm_command *command,
					uint32_t *ret_channel) MUST_CHECK;

#endif
