// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/run/run_control.h"

#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "vm/error.h"

enum {
	ANSWER_WAIT_SEC = 30,
	/* For `vm list`, which is not to wait for a QEMU that is stopped. */
	ASK_WAIT_MS = 500,
	KILL_WAIT_MS = 10000,
};
#define ANSWER_WAIT_NS (ANSWER_WAIT_SEC * NS_PER_SEC)

char *run_control_dir(const struct run_entry *entry)
{
	_cleanup_free_ char *top = run_dir_top();

	return xasprintf("%s/%s", top, entry->id);
}

static struct error *check_runs(const struct run_entry *entry)
{
	if ((entry->state == RUN_RUNNING || entry->state == RUN_PAUSED) && entry->info)
		return NULL;
	return base_error(BASE_ABSENT, 0, "VM %s is %s%s%s", entry->id,
			  run_state_word(entry->state), entry->problem ? ": " : "",
			  entry->problem ? entry->problem : "");
}

struct error *run_control_connect(const struct run_entry *entry, uint64_t wait_ns, struct qmp **ret)
{
	struct error *err = check_runs(entry);

	if (err)
		return err;
	if (!entry->info->qmp_socket)
		return base_error(BASE_ABSENT, 0, "VM %s has no monitor for others", entry->id);
	return qmp_connect(entry->info->qmp_socket, wait_ns, ret);
}

struct error *run_control_is_running(struct qmp *qmp, uint64_t wait_ns, bool *ret)
{
	_cleanup_qmp_message_ struct qmp_message status = { 0 };
	struct error *err = qmp_execute(qmp, "query-status", NULL, wait_ns, &status);

	if (err)
		return err;
	/* What does not say that it stands still runs: to stop it again harms no one. */
	if (!status.value || !json_get_bool(json_find(status.value, "running"), ret))
		*ret = true;
	return NULL;
}

static struct error *command(const struct run_entry *entry, const char *word)
{
	_cleanup_free_ char *dir = run_control_dir(entry);
	struct run_freeze freeze = RUN_FREEZE_NONE;
	_cleanup_qmp_ struct qmp *qmp = NULL;
	struct error *err = run_control_connect(entry, ANSWER_WAIT_NS, &qmp);
	bool running;

	/* Whoever has the monitor now is waited for. */
	if (!err)
		err = run_control_is_running(qmp, ANSWER_WAIT_NS, &running);
	/* From now on nobody thinks that the guest was left behind. */
	if (!err)
		err = run_freeze_begin(dir, &freeze);
	if (!err)
		err = qmp_execute(qmp, word, NULL, ANSWER_WAIT_NS, NULL);
	run_freeze_end(&freeze);
	return err;
}

struct error *run_control_freeze(const struct run_entry *entry)
{
	return error_wrap(command(entry, "stop"), "freezing VM %s", entry->id);
}

struct error *run_control_resume(const struct run_entry *entry)
{
	return error_wrap(command(entry, "cont"), "resuming VM %s", entry->id);
}

struct error *run_control_kill(const struct run_entry *entry)
{
	struct error *err = check_runs(entry);
	_cleanup_close_ int fd = err ? -1 : pidfd_open(entry->info->qemu.pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (err)
		return err;
	/* After the descriptor: a number that was given again shows itself now. */
	if (fd < 0 || !run_process_lives(&entry->info->qemu))
		return base_error(BASE_ABSENT, 0, "VM %s has ended", entry->id);
	if (pidfd_send_signal(fd, SIGKILL, NULL, 0) < 0)
		return base_error(BASE_IO, errno, "killing QEMU of VM %s", entry->id);
	if (poll(&p, 1, KILL_WAIT_MS) != 1)
		return base_error(BASE_LIMIT, 0, "QEMU of VM %s does not end", entry->id);
	return NULL;
}

static enum run_state ask_one(const struct run_entry *entry)
{
	const uint64_t wait_ns = ASK_WAIT_MS * NS_PER_MS;
	_cleanup_free_ char *dir = run_control_dir(entry);
	struct run_freeze freeze = RUN_FREEZE_NONE;
	_cleanup_qmp_ struct qmp *qmp = NULL;
	_cleanup_error_ struct error *err = NULL;
	bool running = true;

	err = run_control_connect(entry, wait_ns, &qmp);
	if (!err)
		err = run_control_is_running(qmp, wait_ns, &running);
	/* The monitor is another's, who has stopped the guest. */
	if (err)
		return run_freeze_is_held(dir) ? RUN_PAUSED : RUN_RUNNING;
	if (!running && run_freeze_adopt(dir, &freeze)) {
		err = qmp_execute(qmp, "cont", NULL, wait_ns, NULL);
		running = !err;
		run_freeze_end(&freeze);
	}
	return running ? RUN_RUNNING : RUN_PAUSED;
}

void run_control_ask(struct run_list *list)
{
	for (size_t i = 0; i < list->entries.n; i++) {
		struct run_entry *entry = &list->entries.at[i];

		if (entry->state == RUN_RUNNING && entry->info && entry->info->qmp_socket)
			entry->state = ask_one(entry);
	}
}
