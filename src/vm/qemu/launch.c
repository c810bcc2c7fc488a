// SPDX-License-Identifier: LGPL-2.1-or-later
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/spawn.h"
#include "vm/state.h"

/* The plan's fixed numbers, a monitor, a channel, and one for each node. */
enum { FDS_LIMIT = 10 + TOPO_LIMIT_ASKED_NODES };

struct fd_list {
	struct spawn_fd at[FDS_LIMIT];
	size_t n;
};

static void give(struct fd_list *list, int ours, int child)
{
	if (ours >= 0)
		list->at[list->n++] = (struct spawn_fd){ ours, child };
}

static bool says(const struct vm_qmp_message *event, const char *name, const char *member,
		 const char *word)
{
	return strcmp(event->name, name) == 0 &&
	       (!member || json_text_is(json_string(json_find(event->value, member)), word));
}

void vm_on_event(void *context, const struct vm_qmp_message *event)
{
	struct vm *vm = context;
	struct json_text reason;

	if (says(event, "RESUME", NULL, NULL)) {
		vm->touched |= vm->stopped_at_work;
		vm->running = true;
		vm->stopped = false;
		/* Whoever had stopped it, the time of silence starts again. */
		vm->heard_ns = clock_monotonic_ns();
	}
	if (says(event, "STOP", NULL, NULL)) {
		vm->running = false;
		vm->stopped = true;
		/* One that is held goes on exactly where it is. */
		vm->stopped_at_work = vm->link.mailbox && !vm->link.mailbox->wants_input;
	}
	if (says(event, "MIGRATION", "status", "completed"))
		vm->loaded = true;
	if (!says(event, "SHUTDOWN", NULL, NULL))
		return;
	reason = json_string(json_find(event->value, "reason"));
	vm->shutdown.seen = true;
	snprintf(vm->shutdown.reason, sizeof(vm->shutdown.reason), "%.*s", (int)reason.n,
		 reason.at ? reason.at : "");
}

static struct error *make_pair(int pair[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return vm_error(VM_QEMU_FAILED, errno, "cannot create a socket pair for QEMU");
	return NULL;
}

struct error *vm_launch(struct vm *vm, const struct vm_machine_plan *plan)
{
	_cleanup_close_ int qmp_child = -1, control_child = -1;
	_cleanup_vm_argv_ struct vm_argv argv = { 0 };
	struct vm_mailbox *mailbox = NULL;
	struct fd_list fds = { .n = 0 };
	struct error *err;
	int pair[2];

	err = vm_machine_args(plan, &argv);
	if (!err)
		err = make_pair(pair);
	if (err)
		return err;
	vm->qmp = vm_qmp_new(pair[0], vm_on_event, vm);
	vm_qmp_heed(vm->qmp, vm->cancel);
	qmp_child = pair[1];
	err = plan->clock == VM_CLOCK_VIRTUAL ? vm_mailbox_new(&mailbox) : NULL;
	if (!err)
		err = make_pair(pair);
	if (err) {
		vm_mailbox_free(mailbox);
		return err;
	}
	vm_link_init(&vm->link, pair[0], mailbox);
	control_child = pair[1];
	vm->stderr_fd = memfd_create("ktstr-qemu-stderr", MFD_CLOEXEC);
	give(&fds, vm->stderr_fd, 1);
	give(&fds, vm->stderr_fd, 2);
	give(&fds, qmp_child, VM_MACHINE_FD_QMP);
	give(&fds, control_child, VM_MACHINE_FD_CONTROL);
	give(&fds, vm->console_fd, VM_MACHINE_FD_CONSOLE);
	give(&fds, vm->initrd_fd, VM_MACHINE_FD_INITRD);
	if (mailbox) {
		give(&fds, mailbox->plugin_fd, VM_MACHINE_FD_PLUGIN);
		give(&fds, mailbox->ring.fd, VM_MACHINE_FD_RING);
	}
	for (unsigned int i = 0; i < plan->topology.nodes; i++)
		give(&fds, vm->ram_fds[i], VM_MACHINE_FD_RAM + (int)i);
	/* A group of its own: Ctrl-C in the terminal is for us, and we end QEMU. */
	err = spawn_child(&(struct spawn_request){ .argv = vm_argv_strings(&argv),
						   .fds = fds.at,
						   .n_fds = fds.n,
						   .own_group = true },
			  &vm->pid, &vm->pidfd);
	return err ? error_recast(err, &vm_error_domain, VM_QEMU_MISSING) : NULL;
}

void vm_kill(struct vm *vm)
{
	if (vm->pid <= 0)
		return;
	/* By its descriptor: a number may be another's by now. */
	pidfd_send_signal(vm->pidfd, SIGKILL, NULL, 0);
	error_free(spawn_wait(vm->pid, &vm->status));
	vm->pid = 0;
	vm->ended = true;
}
