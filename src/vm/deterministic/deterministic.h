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
	unsigned int mips;	  /* see vm_mips_to_shift(); 0: VM_DETERMINISTIC_MIPS */
	const char *const *files; /* FILE[:GUESTPATH], see vm_guest_files_add_spec() */
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

/*
 * All that a deterministic guest will ever hear: frames that wait in its initramfs
 * (docs/PROTOCOL.md, deterministic mode). Equal inputs give equal bytes; nothing of this host or of
 * this moment gets in.
 */

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

/* What a guest that follows a plan says, taken in as it appears; the bytes are hostile. */

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

/* How fast a machine is whose time is counted in instructions. */

/*
 * The shift of -icount: an instruction takes 2^shift ns, so a million of them in a second is
 * 1000 / 2^shift, its fraction left out: 1000, 500, 250, 125, 62, 31, 15, 7, 3 and 1 exist. Of
 * anything else the error names the nearest.
 */
struct error *vm_mips_to_shift(unsigned int mips, unsigned int *ret) MUST_CHECK;

#endif
