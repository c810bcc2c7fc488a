/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One guest, from the first instruction to the end.
 *
 *	struct vm_spec spec = { .kernel = kernel, .topology = t };
 *	err = vm_start(&spec, &cancel, &vm);      a clone; the first one boots a template
 *	err = vm_exec(vm, &(struct vm_command){ .argv = argv, … }, &cancel, &end);
 *	vm_free(vm);                               whatever state it is in
 *
 * A handle belongs to one thread at a time. Errors of the domain `vm` say how the guest
 * ended; after one of them only vm_free() and the readers of what is left make sense.
 */
#ifndef KTSTR_VM_VM_H
#define KTSTR_VM_VM_H

#include <poll.h>

#include "kernel/kernel.h"
#include "topo/machine.h"
#include "topo/topology.h"
#include "vm/clock.h"
#include "vm/link/ring.h"
#include "vm/qemu/accel.h"
#include "physmap/physmap.h"
#include "vm/qemu/qmp.h"
#include "wire/frame.h"
#include "wire/message.h"

struct vm;
struct vm_model;

struct vm_spec {
	const struct kernel *kernel; /* borrowed while starting */
	struct topo topology;
	uint64_t memory_bytes; /* 0: enough for the topology */
	enum vm_accel_wish accel;
	/* For QEMU's -cpu; NULL: the model that all guests have, see accel.h. */
	const char *cpu;
	const char *kernel_args; /* appended to ours; NULL: none */
	enum vm_clock_kind clock;
	unsigned int mips; /* virtual: of one CPU when all are busy; 0: see vm_speed_choose() */
	uint64_t seed;	   /* virtual: random bytes and where turns of CPUs end; 0: QEMU's turns */
	/* Virtual: of the random bytes alone, to tell what each part of a seed does; 0: the seed.
	 */
	uint64_t random_seed;
	bool cold; /* boot, whatever the cache holds */
	/* One line for people who want to know what goes on; may be NULL. */
	void (*say)(void *context, const char *line);
	/* A template is about to be booted, which takes seconds; may be NULL. */
	void (*on_template)(void *context);
	/*
	 * What a guest does that is prepared, before it stands still: the code it runs is then
	 * translated. NULL: one command of no use. Not called for a cold machine.
	 */
	struct error *(*warm_up)(void *context, struct vm *vm, const struct cancel *cancel);
	void *say_context;
	/* When starting fails: gets what the guest's kernel said last. May be NULL. */
	struct strbuf *ret_console;
};

/* A guest that answers. */
struct error *vm_start(const struct vm_spec *spec, const struct cancel *cancel,
		       struct vm **ret) MUST_CHECK;
/*
 * For those who keep a guest ready: a clone that has proved itself and warmed up stands
 * still, its clock too; released, it is greeted anew and has the time and randomness of that
 * moment. A cold machine is not prepared: it boots in release.
 */
struct error *vm_prepare(const struct vm_spec *spec, const struct cancel *cancel,
			 struct vm **ret) MUST_CHECK;
struct error *vm_release(struct vm *vm, const struct cancel *cancel) MUST_CHECK;
/* Ends QEMU at once and removes everything it left. NULL is fine. */
void vm_free(struct vm *vm);
DEFINE_CLEANUP(vm, struct vm *, NULL, vm_free);
#define _cleanup_vm_ _cleanup_(cleanup_vm)

/* Facts about a running guest. Borrowed. */
struct vm_facts {
	const char *id; /* of the run directory: vm:ID */
	pid_t qemu_pid;
	const char *accel;
	const char *accel_reason;
	const char *console_path;
	const char *release; /* uname -r, as the guest says */
	uint64_t memory_bytes;
	uint64_t prepared_ns; /* CLOCK_MONOTONIC when QEMU was started and a clone restored */
	bool cloned;
	enum vm_clock_kind clock;
	/* Of a virtual clock: */
	struct vm_speed speed;
	uint64_t seed;
	uint64_t turn_ns; /* no CPU has a longer turn, in the guest's time; 0: QEMU's own turns */
	/* How true the machine is, vm/model.h. NULL: not measured, as with the seed 0 or a cold
	 * boot. */
	const struct vm_model *model;
	uint64_t digest;   /* of all frames that the guest has sent since it was started */
	uint64_t guest_ns; /* the guest's CLOCK_MONOTONIC at its last frame; with real clocks too */
	bool touched;	   /* stopped in the middle of something: what it does may not repeat */
};
struct vm_facts vm_facts(const struct vm *vm);

/* With a virtual clock: every frame that came, to find where two runs begin to differ. */
struct vm_frame_note {
	uint64_t time_ns; /* the guest's CLOCK_MONOTONIC */
	uint64_t hash;	  /* of the payload */
	uint32_t type, channel, n;
};
/* Borrowed until the handle is used again. */
const struct vm_frame_note *vm_frame_notes(const struct vm *vm, size_t *ret_n);

/* What the guest's /sys says, asked now. */
struct error *vm_read_topology(struct vm *vm, const struct cancel *cancel,
			       struct topo_machine **ret) MUST_CHECK;

/*
 * With a virtual clock: from now on events are handed on while the guest is waited for. Nothing
 * that the guest does or sees changes by it. Ends with n = 0.
 */
struct error *vm_observe(struct vm *vm, const struct vm_observer *observer,
			 const struct cancel *cancel) MUST_CHECK;

/* Those that are in the ring and no one has waited for; then none are handed on. */
struct error *vm_take_events(struct vm *vm) MUST_CHECK;

/* Stops and continues all CPUs; time in the guest stands still. */
struct error *vm_freeze(struct vm *vm) MUST_CHECK;
struct error *vm_thaw(struct vm *vm) MUST_CHECK;

/*
 * For those who keep a guest that failed: a panic, a reset, a lack of memory, a hang or an agent
 * that gave up leaves something to look at. False for other errors, and when QEMU has ended as
 * well.
 */
bool vm_can_be_kept(const struct vm *vm, const struct error *why);
/* QEMU has ended, by whomever. Never waits. */
bool vm_has_ended(struct vm *vm);

/* Reads this guest's RAM, running or frozen. The map must not outlive the handle. */
struct error *vm_physmap(const struct vm *vm, struct physmap **ret) MUST_CHECK;
/* Of all CPUs at one moment; freeze the guest first to have them agree with its RAM. */
struct error *vm_registers(struct vm *vm, struct vm_register_list *ret) MUST_CHECK;

/*
 * Waits for the next thing that happens: a frame of the agent, one of the caller's descriptors,
 * or the deadline (0: none). Heartbeats and log lines are dealt with inside. Every end of the guest
 * is an error that says which.
 */
enum vm_event {
	VM_EVENT_FRAME,
	VM_EVENT_FD,
	VM_EVENT_DEADLINE,
};
enum { VM_LIMIT_WAIT_FDS = 4 };
struct error *vm_wait(struct vm *vm, struct pollfd *extra, size_t n_extra, uint64_t deadline_ns,
		      const struct cancel *cancel, enum vm_event *ret_event,
		      struct wire_frame *ret_frame) MUST_CHECK;

#endif
