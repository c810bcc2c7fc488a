/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a handle, for the files of this room. */
#ifndef KTSTR_VM_STATE_H
#define KTSTR_VM_STATE_H

#include "vm/link/mailbox.h"
#include "vm/qemu/machine_args.h"
#include "vm/run/run.h"
#include "vm/template/template.h"
#include "vm/vm.h"

/*
 * Our end of the channel to the agent: frames out, frames in, nothing lost, never
 * blocking. What is sent waits in a queue until the socket takes it.
 */

struct vm_link {
	int fd;
	struct vm_mailbox *mailbox; /* a virtual clock: then fd is the plugin's; NULL: a socket */
	struct wire_sender sender;
	struct wire_receiver receiver;
	struct strbuf out;
	size_t out_done; /* bytes of `out` the socket has taken */
	bool closed;
	bool settled;		 /* a frame of this session has come */
	uint64_t skipped_before; /* bytes out of step in sessions before this one */
	uint64_t bytes_in, bytes_out;
	/* With a mailbox: what came. */
	uint64_t digest;
	uint64_t last_ns; /* the guest's time of the last frame */
	VEC(struct vm_frame_note) notes;
};

/* Takes the socket over, and the mailbox, which is NULL without one. */
void vm_link_init(struct vm_link *link, int fd, struct vm_mailbox *mailbox);
void vm_link_deinit(struct vm_link *link);
/* A new session from sequence 0; send HELLO next. */
void vm_link_begin(struct vm_link *link, uint32_t session);

struct error *vm_link_send(struct vm_link *link, enum wire_type type, uint32_t channel,
			   const void *payload, size_t n) MUST_CHECK;
/* Bytes that wait; a caller with much to send waits until they are few. */
size_t vm_link_backlog(const struct vm_link *link);
/* Something can be done without waiting for the descriptor. */
bool vm_link_is_due(const struct vm_link *link);
/* The guest is held until we send something, and there is nothing to send. */
bool vm_link_is_stuck(const struct vm_link *link);
/* What to poll() for. */
short vm_link_events(const struct vm_link *link);
/* Writes and reads what can be written and read now. A guest that closed sets ->closed. */
struct error *vm_link_pump(struct vm_link *link) MUST_CHECK;
/*
 * The next whole frame that has arrived. The payload is valid until the next vm_link_pump(). Before
 * the first frame of a session the rest of one that was cut is skipped; later that is an error.
 */
struct error *vm_link_take(struct vm_link *link, struct wire_frame *ret, bool *ret_got) MUST_CHECK;

/* What QEMU told us about the end of the guest. */
struct vm_shutdown {
	bool seen;
	char reason[32]; /* "guest-reset", "guest-shutdown", … */
};

struct vm {
	struct vm_qemu_binary *qemu;
	struct vm_accel accel; /* its qemu_cpu may be ->cpu */
	char *cpu;	       /* asked for; NULL: the usual one */
	enum vm_clock_kind clock;
	struct vm_speed speed; /* of a virtual clock */
	uint64_t seed, random_seed;
	struct topo topology;
	uint64_t memory_bytes;
	char *kernel_id, *kernel_release, *kernel_build_id; /* NULL: not known */
	struct vm_run_dir *run_dir;
	char *console_path;
	char *monitor_socket; /* for other processes; NULL: none */
	int console_fd, stderr_fd, initrd_fd;
	int ram_fds[TOPO_LIMIT_ASKED_NODES];		/* a machine that boots */
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
	bool stopped; /* by QEMU's event, whoever stopped it */

	uint32_t last_channel;	 /* that this session has used */
	struct wire_ready ready; /* release is our own copy */
	char *release;
	uint64_t asked_ns;	     /* when the topology was asked for */
	uint64_t told_guest_ns;	     /* the guest's clock when it answered */
	uint64_t greeted_ns;	     /* when it was last greeted */
	uint64_t heard_ns;	     /* when the agent last said anything */
	uint64_t patience_ns;	     /* silence that is not a hang yet, where longer than usual */
	uint64_t heard_host_wait_ns; /* at that time: QEMU's waiting for CPUs of the host */
	uint64_t prepared_ns;	     /* when QEMU stood ready to let the guest run */
	bool frozen;
	bool stopped_at_work; /* a virtual machine, in the middle of something */
	bool touched;	      /* and went on */
	uint32_t heartbeat_ms;

	struct vm_template *template; /* what a clone came from, until it runs */
	char *template_key;
	bool is_parked;			 /* a spare that stands still; then: */
	struct vm_template_proof parked; /* what it must be able to say when it wakes */
	const struct cancel *cancel;	 /* of whoever starts the guest, while that lasts */
	char *cold_image, *kernel_args;	 /* what a cold one will boot */
	bool cloned;
	struct vm_model model; /* of the template, measured with the usual seed */
	void (*say)(void *context, const char *line);
	void *say_context;
};

/* An empty handle: nothing runs. */
struct vm *vm_new(const struct vm_spec *spec);
/* Which QEMU, what executes the guest, and with which model of a CPU. */
struct error *vm_choose_qemu(struct vm *vm, enum vm_accel_wish wish) MUST_CHECK;
void vm_say(const struct vm *vm, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* publish.c: console and monitor for others; then the description. */
struct error *vm_open_run_dir(struct vm *vm) MUST_CHECK;
struct error *vm_publish(struct vm *vm) MUST_CHECK;

/* launch.c: makes sockets and starts QEMU. Closes what only the child needs. */
struct error *vm_launch(struct vm *vm, const struct vm_machine_plan *plan) MUST_CHECK;
/* What QEMU tells unasked; the context is the handle. */
void vm_on_event(void *context, const struct vm_qmp_message *event);
/* SIGKILL and reap; fine when nothing runs. */
void vm_kill(struct vm *vm);

/* Of an error of the monitor: one that closed means a QEMU that ended, and that says more. */
struct error *vm_explain_monitor(struct vm *vm, struct error *err, const char *doing) MUST_CHECK;
/* The same for an error that a dead QEMU may be the reason of. */
struct error *vm_explain_if_ended(struct vm *vm, struct error *err, const char *doing) MUST_CHECK;
/* What a FAILED frame says: VM_BUSY, any other failure is VM_AGENT. Never NULL. */
struct error *vm_failed(struct bytes payload) MUST_CHECK;

struct vm_request {
	enum wire_type type, answer;
	const struct strbuf *payload; /* NULL: none */
	uint64_t deadline_ns;	      /* CLOCK_MONOTONIC */
};
/*
 * Sends it on a channel of its own and waits for the answer. None in time is VM_HANG, one of
 * another type VM_AGENT, FAILED as vm_failed() says. *ret is valid until the next frame is taken.
 */
struct error *vm_ask(struct vm *vm, const struct vm_request *request, const struct cancel *cancel,
		     struct wire_frame *ret) MUST_CHECK;
/*
 * On a starved host everything is late, so time in which QEMU's threads waited for a CPU of the
 * host (all together) does not count, up to a limit.
 */
bool vm_silence_is_hang(uint64_t silent_ns, uint64_t waited_ns, uint64_t limit_ns);
/* How long the agent may be silent: some heartbeats, and not less than `patience_ns`. */
uint64_t vm_silence_limit_ns(uint32_t heartbeat_ms, uint64_t patience_ns);
/* With a virtual clock: until the guest is held because it wants input. */
struct error *vm_await_hold(struct vm *vm, uint64_t deadline_ns,
			    const struct cancel *cancel) MUST_CHECK;
/* Until an event of QEMU has set one of the handle's flags. */
struct error *vm_await(struct vm *vm, const bool *flag, const char *doing, uint64_t deadline_ns,
		       const struct cancel *cancel) MUST_CHECK;

/* hello.c */
struct error *vm_hello(struct vm *vm, const uint8_t nonce[WIRE_NONCE_BYTES],
		       uint32_t heartbeat_ms) MUST_CHECK;
struct error *vm_await_ready(struct vm *vm, uint64_t deadline_ns,
			     const struct cancel *cancel) MUST_CHECK;

/* A machine that boots: steps shared by cold guests and templates. */

/* Grows with the CPUs, knows that emulation is slow and that a trial of KVM is short. */
uint64_t vm_boot_timeout_ns(const struct vm_accel *accel, unsigned int cpus);
/* The kernel's command line; `extra` may be NULL. */
void vm_boot_format_args(const struct topo *topology, enum vm_clock_kind clock, const char *extra,
			 struct strbuf *into);
/*
 * The same as it goes to QEMU, with what holds only on this host. One that the kernel would cut off
 * is BASE_LIMIT.
 */
struct error *vm_boot_complete_args(const struct vm_machine_plan *plan,
				    struct strbuf *into) MUST_CHECK;
/*
 * The bzImage where there is one: only its decompressor moves the kernel (KASLR). With a virtual
 * clock the vmlinux, through PVH: firmware and decompressor have no say in where things lie.
 */
struct error *vm_boot_image(const struct kernel *kernel, enum vm_clock_kind clock,
			    const char **ret) MUST_CHECK;
/* RAM and initramfs as memory files. */
struct error *vm_boot_make_files(struct vm *vm, const struct strbuf *initramfs) MUST_CHECK;
/* Starts QEMU and waits until the agent has answered and the topology is the one asked for. */
struct error *vm_boot_until_ready(struct vm *vm, const struct vm_machine_plan *plan,
				  const uint8_t nonce[WIRE_NONCE_BYTES], uint32_t heartbeat_ms,
				  const struct cancel *cancel) MUST_CHECK;

/*
 * Guest RAM as the host can read it while the guest runs. A machine that booted
 * has it on memory files of ours; a clone's is private to its QEMU and read from there.
 */

/* A clone: where QEMU has mapped the files of the template. Before anything else here. */
struct error *vm_guest_ram_locate(struct vm *vm) MUST_CHECK;
/*
 * Before a clone runs: its RAM holds the page with the nonce where the template's agent said.
 * VM_CLONE when not.
 */
struct error *vm_guest_ram_check_nonce(const struct vm *vm,
				       const struct vm_template_proof *proof) MUST_CHECK;

/* Private copies of a template, and the template itself when it is the first. */

/* Everything a template depends on, in words; vm->qemu and vm->accel are set. */
struct error *vm_clone_key(const struct vm *vm, const struct vm_spec *spec,
			   uint64_t vm_initramfs_identity, struct strbuf *into) MUST_CHECK;
/*
 * The nonce of a virtual machine. It is in the guest's memory and in its first frame, so it follows
 * from what the guest boots, not from where its host keeps that: the key has paths and inodes.
 */
void vm_clone_nonce_of(const struct kernel *kernel, const struct strbuf *arguments,
		       const struct strbuf *initramfs, uint8_t nonce[WIRE_NONCE_BYTES]);
/* Boots a guest, stops it, saves it under the draft, and ends it. */
struct error *vm_clone_save_template(struct vm_template_draft *draft, struct vm *vm,
				     const struct vm_spec *spec, const struct strbuf *initramfs,
				     const struct cancel *cancel,
				     struct vm_template_proof *ret) MUST_CHECK;
/* What all machines of this handle have in common. */
struct vm_machine_plan vm_clone_plan(const struct vm *vm);
/* Starts QEMU on vm->template, standing still. */
struct error *vm_clone_launch(struct vm *vm) MUST_CHECK;
/* What a guest that stands still must be able to repeat, and the latest its clock may show. */
struct vm_template_proof vm_clone_proof(const struct vm *vm, uint64_t monotonic_limit_ns);
/* Lets one that stands still run, greets it anew and has it prove itself. */
struct error *vm_clone_wake(struct vm *vm, const struct vm_template_proof *proof,
			    uint32_t heartbeat_ms, uint64_t start_ns, uint64_t deadline_ns,
			    const struct cancel *cancel) MUST_CHECK;
/* The agent's answer against what the template's said. */
struct error *vm_clone_prove(const struct vm_template_proof *template,
			     const struct wire_ready *ready, unsigned int cpus,
			     uint64_t running_ns) MUST_CHECK;

#endif
