/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run that can be repeated to the bit. The guest's clocks count its instructions,
 * everything it will hear is in its initramfs before the first of them, what it says leaves at
 * the instruction that says it, and it ends with all CPUs parked: console, frames and RAM of two
 * runs of the same spec are the same bytes (docs/VM.md says on what that rests).
 *
 *	struct vm_deterministic_spec spec = {
 *		.vm = { .kernel = kernel, .topology = t },
 *		.command = { .argv = argv, .stdin_fd = -1, .on_output = put_out },
 *	};
 *	err = vm_deterministic_run(&spec, cancel, &result);
 *	result.end.value …                         as after vm_exec()
 *	vm_deterministic_result_deinit(&result);
 */
#ifndef KTSTR_VM_DETERMINISTIC_DETERMINISTIC_H
#define KTSTR_VM_DETERMINISTIC_DETERMINISTIC_H

#include "vm/link/exec.h"

enum {
	/* Instructions per microsecond of the guest's time, all CPUs together. */
	VM_DETERMINISTIC_MIPS = 125,
	/* What a guest may say and print: past it the run is ended. */
	VM_LIMIT_DETERMINISTIC_FRAMES = 256 << 20,
	VM_LIMIT_DETERMINISTIC_CONSOLE = 64 << 20,
};

struct vm_deterministic_spec {
	/* Always cold and always TCG; the wish for KVM is an error. */
	struct vm_spec vm;
	unsigned int mips;	  /* see vm/deterministic/mips.h; 0: VM_DETERMINISTIC_MIPS */
	const char *const *files; /* FILE[:GUESTPATH], see vm/image/guest_files.h */
	size_t n_files;
	/*
	 * Its standard input is read to the end before the guest starts. take_signal and
	 * take_resize are not asked: nothing comes from outside. Its timeout is of the host's time,
	 * from the agent's first word on; past it there is no result.
	 */
	struct vm_command command;
};

struct vm_deterministic_result {
	struct vm_end end;
	char *release;			     /* uname -r */
	uint64_t guest_ns;		     /* CLOCK_MONOTONIC of the guest at its last frame */
	struct strbuf console;		     /* all of it */
	struct strbuf frames;		     /* as they left the guest */
	unsigned int nodes;		     /* backends of RAM, */
	int ram_fds[TOPO_LIMIT_ASKED_NODES]; /* memory files that can still be read, */
	uint64_t ram_bytes[TOPO_LIMIT_ASKED_NODES];
};

/* *ret is overwritten; release it with vm_deterministic_result_deinit(). */
struct error *vm_deterministic_run(const struct vm_deterministic_spec *spec,
				   const struct cancel *cancel,
				   struct vm_deterministic_result *ret) MUST_CHECK;
void vm_deterministic_result_deinit(struct vm_deterministic_result *result);
#define _cleanup_vm_deterministic_result_ __attribute__((cleanup(vm_deterministic_result_deinit)))

#endif
