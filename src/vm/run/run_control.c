// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/run/run.h"

#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>

#include "base/alloc.h"
#include "base/clock.h"

enum {
	ANSWER_WAIT_SEC = 30,
	/* For `vm list`, which is not to wait for a QEMU that is stopped. */
	ASK_WAIT_MS = 500,
	KILL_WAIT_MS = 10000,
};
#define ANSWER_WAIT_NS (ANSWER_WAIT_SEC * NS_PER_SEC)

char *vm_run_control_dir(const struct vm_run_entry *entry)
{
	_cleanup_free_ char *top = vm_run_dir_top();

	return xasprintf("%s/%s", top, entry->id);
}

static struct error *check_runs(const struct vm_run_entry *entry)
{
	if ((entry->state == VM_RUN_RUNNING || entry->state == VM_RUN_PAUSED) && entry->info)
		return NULL;
	return base_error(BASE_ABSENT, 0, "VM %s is %s%s%s", entry->id,
			  vm_run_state_name(entry->state), entry->problem ? ": " : "",
			  entry->problem ? entry->problem : "");
}

struct error *vm_run_control_connect(const struct vm_run_entry *entry, uint64_t wait_ns,
				     struct vm_qmp **ret)
{
	struct error *err = check_runs(entry);

	if (err)
		return err;
	if (!entry->info->qmp_socket)
		return base_error(BASE_ABSENT, 0, "VM %s has no monitor for others", entry->id);
	return vm_qmp_connect(entry->info->qmp_socket, wait_ns, ret);
}

struct error *vm_run_control_is_running(struct vm_qmp *qmp, uint64_t wait_ns, bool *ret)
{
	_cleanup_vm_qmp_message_ struct vm_qmp_message status = { 0 };
	struct error *err = vm_qmp_execute(qmp, "query-status", NULL, wait_ns, &status);

	if (err)
		return err;
	/* Without a status the guest is assumed to run: stopping it twice is harmless. */
	if (!status.value || !json_get_bool(json_find(status.value, "running"), ret))
		*ret = true;
	return NULL;
}

static struct error *command(const struct vm_run_entry *entry, const char *word)
{
	_cleanup_free_ char *dir = vm_run_control_dir(entry);
	struct vm_run_freeze freeze = VM_RUN_FREEZE_NONE;
	_cleanup_vm_qmp_ struct vm_qmp *qmp = NULL;
	struct error *err = vm_run_control_connect(entry, ANSWER_WAIT_NS, &qmp);
	bool running;

	/* Waits for the current user of the monitor. */
	if (!err)
		err = vm_run_control_is_running(qmp, ANSWER_WAIT_NS, &running);
	/* From now on the guest does not look abandoned. */
	if (!err)
		err = vm_run_freeze_begin(dir, &freeze);
	if (!err)
		err = vm_qmp_execute(qmp, word, NULL, ANSWER_WAIT_NS, NULL);
	vm_run_freeze_end(&freeze);
	return err;
}

struct error *vm_run_control_freeze(const struct vm_run_entry *entry)
{
	return error_wrap(command(entry, "stop"), "freezing VM %s", entry->id);
}

struct error *vm_run_control_resume(const struct vm_run_entry *entry)
{
	return error_wrap(command(entry, "cont"), "resuming VM %s", entry->id);
}

struct error *vm_run_control_kill(const struct vm_run_entry *entry)
{
	struct error *err = check_runs(entry);
	_cleanup_close_ int fd = err ? -1 : pidfd_open(entry->info->qemu.pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (err)
		return err;
	/* After the descriptor: a number that was given again shows itself now. */
	if (fd < 0 || !vm_run_process_lives(&entry->info->qemu))
		return base_error(BASE_ABSENT, 0, "VM %s has ended", entry->id);
	if (pidfd_send_signal(fd, SIGKILL, NULL, 0) < 0)
		return base_error(BASE_IO, errno, "killing QEMU of VM %s", entry->id);
	if (poll(&p, 1, KILL_WAIT_MS) != 1)
		return base_error(BASE_LIMIT, 0, "QEMU of VM %s does not end", entry->id);
	return NULL;
}

static enum vm_run_state ask_one(const struct vm_run_entry *entry)
{
	const uint64_t wait_ns = ASK_WAIT_MS * NS_PER_MS;
	_cleanup_free_ char *dir = vm_run_control_dir(entry);
	struct vm_run_freeze freeze = VM_RUN_FREEZE_NONE;
	_cleanup_vm_qmp_ struct vm_qmp *qmp = NULL;
	_cleanup_error_ struct error *err = NULL;
	bool running = true;

	err = vm_run_control_connect(entry, wait_ns, &qmp);
	if (!err)
		err = vm_run_control_is_running(qmp, wait_ns, &running);
	/* The monitor is in use by a process that froze the guest. */
	if (err)
		return vm_run_freeze_is_held(dir) ? VM_RUN_PAUSED : VM_RUN_RUNNING;
	if (!running && vm_run_freeze_adopt(dir, &freeze)) {
		err = vm_qmp_execute(qmp, "cont", NULL, wait_ns, NULL);
		running = !err;
		vm_run_freeze_end(&freeze);
	}
	return running ? VM_RUN_RUNNING : VM_RUN_PAUSED;
}

void vm_run_control_ask(struct vm_run_list *list)
{
	for (size_t i = 0; i < list->entries.n; i++) {
		struct vm_run_entry *entry = &list->entries.at[i];

		if (entry->state == VM_RUN_RUNNING && entry->info && entry->info->qmp_socket)
			entry->state = ask_one(entry);
	}
}
