/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a handle, for the files of this room. */
#ifndef KTSTR_VM_STATE_H
#define KTSTR_VM_STATE_H

#include "vm/link/link.h"
#include "vm/qemu/machine_args.h"
#include "vm/qemu/qmp.h"
#include "vm/run/run_dir.h"
#include "vm/template/template.h"
#include "vm/vm.h"

/* What QEMU told us about the end of the guest. */
struct vm_shutdown {
	bool seen;
	char reason[32]; /* "guest-reset", "guest-shutdown", … */
};

struct vm {
	struct vm_qemu_binary *qemu;
	struct vm_accel accel; /* its qemu_cpu may be ->cpu */
	char *cpu;	       /* asked for; NULL: the usual one */
	struct topo topology;
	uint64_t memory_bytes;
	char *kernel_id, *kernel_release, *kernel_build_id; /* NULL: not known */
	struct vm_run_dir *run_dir;
	char *console_path;
	char *monitor_socket; /* for other processes; NULL: none */
	int console_fd, stderr_fd, initrd_fd;
	int debug_fd;			     /* frames of a deterministic guest; -1 in all others */
	int ram_fds[TOPO_LIMIT_ASKED_NODES]; /* a machine that boots */
	uint64_t ram_addresses[TOPO_LIMIT_ASKED_NODES]; /* a clone: in QEMU's address space */

	pid_t pid; /* 0: not started, or reaped */
	int pidfd;
	int status; /* of waitpid(), once ended */
	bool ended;
	struct vm_qmp *qmp;
	struct vm_link link;
	struct vm_shutdown shutdown;
	bool loaded;  /* a clone's state is complete */
	bool running; /* since QEMU said so; a machine that boots does not say */
	bool stopped; /* QEMU said so, by whomever */

	uint32_t last_channel;
	struct wire_ready ready; /* release is our own copy */
	char *release;
	uint64_t asked_ns;	/* when the topology was asked for */
	uint64_t told_guest_ns; /* the guest's clock when it told it: later than that */
	uint64_t greeted_ns;	/* when it was last greeted */
	uint64_t heard_ns;	/* when the agent last said anything */
	uint64_t patience_ns;	/* silence that is no hang yet, where that is more than usual */
	uint64_t heard_host_wait_ns; /* at that time: QEMU's waiting for CPUs of the host */
	uint64_t prepared_ns;	     /* when QEMU stood ready to let the guest run */
	bool frozen;
	uint32_t heartbeat_ms;

	struct vm_template *template; /* what a clone came from, until it runs */
	char *template_key;
	bool is_parked;			 /* a spare that stands still; then: */
	struct vm_template_proof parked; /* what it must be able to say when it wakes */
	const struct cancel *cancel;	 /* of whoever starts the guest, while that lasts */
	char *cold_image, *kernel_args;	 /* what a cold one will boot */
	bool cloned;
	void (*say)(void *context, const char *line);
	void *say_context;
};

/* An empty handle: nothing runs. */
struct vm *vm_new(const struct vm_spec *spec);
/* What executes it, and with which model of a CPU. */
void vm_choose_accel(struct vm *vm, enum vm_accel_wish wish);
void vm_say(const struct vm *vm, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* publish.c: console and monitor for others; then the description. */
struct error *vm_open_run_folder(struct vm *vm) MUST_CHECK;
struct error *vm_publish(struct vm *vm) MUST_CHECK;

/* launch.c: makes sockets and starts QEMU. Closes what only the child needs. */
struct error *vm_launch(struct vm *vm, const struct vm_machine_plan *plan) MUST_CHECK;
/* What QEMU tells unasked; the context is the handle. */
void vm_on_event(void *context, const struct vm_qmp_message *event);
/* SIGKILL and reap; fine when nothing runs. */
void vm_kill(struct vm *vm);

/* watch.c: why the guest does not answer any more. Never NULL. */
struct error *vm_explain(struct vm *vm, const char *doing) MUST_CHECK;
/* The same when it is known that the guest ended itself, for ->shutdown.reason. */
struct error *vm_explain_shutdown(struct vm *vm, const char *doing) MUST_CHECK;
/* Of an error of the monitor: one that closed means a QEMU that ended, and that says more. */
struct error *vm_explain_monitor(struct vm *vm, struct error *err, const char *doing) MUST_CHECK;
/* The same for an error that a dead QEMU may be the reason of. */
struct error *vm_explain_if_ended(struct vm *vm, struct error *err, const char *doing) MUST_CHECK;
/* What a FAILED frame says. Never NULL. */
struct error *vm_failed(struct bytes payload) MUST_CHECK;
/*
 * On a starved host everything is late, so time in which QEMU's threads waited for a CPU of the
 * host (all together) does not count, up to a limit.
 */
bool vm_silence_is_hang(uint64_t silent_ns, uint64_t waited_ns, uint64_t limit_ns);
/* How long the agent may be silent: some heartbeats, and not less than `patience_ns`. */
uint64_t vm_silence_limit_ns(uint32_t heartbeat_ms, uint64_t patience_ns);
/* Until an event of QEMU has set one of the handle's flags. */
struct error *vm_await(struct vm *vm, const bool *flag, const char *doing, uint64_t deadline_ns,
		       const struct cancel *cancel) MUST_CHECK;

/* hello.c */
struct error *vm_hello(struct vm *vm, const uint8_t nonce[WIRE_NONCE_BYTES],
		       uint32_t heartbeat_ms) MUST_CHECK;
struct error *vm_await_ready(struct vm *vm, uint64_t deadline_ns,
			     const struct cancel *cancel) MUST_CHECK;

#endif
