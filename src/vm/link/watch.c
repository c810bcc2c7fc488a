// SPDX-License-Identifier: LGPL-2.1-or-later
/* Waiting for a guest, and finding out why it fell silent. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/spawn.h"
#include "procfs/task.h"
#include "vm/link/exec.h"
#include "vm/state.h"

enum {
	TAIL_BYTES = 256 << 10,
	STDERR_BYTES = 64 << 10,
	/* Asking for cancellation must not wait for the guest. */
	SLICE_MS = 100,
	/* Silence of this many heartbeats, and at least so long, is a hang. */
	HANG_BEATS = 20,
	HANG_LEAST_MS = 20000,
	/* Past this multiple it is a hang even if the host was starved. */
	STARVED_LIMITS = 10,
	STATUS_WAIT_MS = 2000,
	QMP_FAREWELL_MS = 200,
};

/* What QEMU said last on its standard error, for the message. */
static char *qemu_words(const struct vm *vm)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char *line, *save = NULL, *last = NULL;
	_cleanup_free_ char *copy = NULL;
	char buf[4096];
	off_t at = 0;
	ssize_t n;

	while (vm->stderr_fd >= 0 && text.n < STDERR_BYTES &&
	       (n = pread(vm->stderr_fd, buf, sizeof(buf), at)) > 0) {
		strbuf_append_bytes(&text, buf, (size_t)n);
		at += n;
	}
	copy = strbuf_take(&text);
	for (line = copy ? strtok_r(copy, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		/* Warnings come with every run and explain nothing. */
		if (!strstr(line, "warning:"))
			last = line;
	return xstrdup(last ? last : "");
}

static struct error *explain_qemu_end(struct vm *vm, const char *doing)
{
	_cleanup_free_ char *words = NULL;

	if (vm->pid > 0) {
		error_free(spawn_wait(vm->pid, &vm->status));
		vm->pid = 0;
		vm->ended = true;
	}
	words = qemu_words(vm);
	if (WIFSIGNALED(vm->status))
		return vm_error(VM_QEMU_KILLED, 0, "%s: QEMU was ended by signal %d (%s)%s%s",
				doing, WTERMSIG(vm->status), strsignal(WTERMSIG(vm->status)),
				words[0] ? ": " : "", words);
	return vm_error(VM_QEMU_FAILED, 0, "%s: QEMU exited with status %d%s%s", doing,
			WEXITSTATUS(vm->status), words[0] ? ": " : "", words);
}

static struct error *explain_shutdown(struct vm *vm, const char *doing)
{
	_cleanup_strbuf_ struct strbuf tail = STRBUF_INIT, line = STRBUF_INIT;
	enum vm_console_sign sign;

	error_free(vm_console_read_tail(vm->console_path, TAIL_BYTES, &tail));
	sign = vm_console_read_signs(strbuf_str(&tail), tail.n, &line);
	if (sign == VM_CONSOLE_OOM_PANIC)
		return vm_error(VM_OOM, 0, "%s: %s", doing, strbuf_str(&line));
	if (sign == VM_CONSOLE_PANIC)
		return vm_error(VM_PANIC, 0, "%s: %s", doing, strbuf_str(&line));
	if (sign == VM_CONSOLE_AGENT)
		return vm_error(VM_AGENT, 0, "%s: %s", doing, strbuf_str(&line));
	if (strcmp(vm->shutdown.reason, "guest-shutdown") == 0)
		return vm_error(VM_POWERED_OFF, 0, "%s: the guest switched itself off", doing);
	/* What reboot(2) says last, on every console (since Linux 2.6). */
	if (strcmp(vm->shutdown.reason, "guest-reset") == 0 &&
	    strstr(strbuf_str(&tail), "reboot: Restarting system"))
		return vm_error(VM_REBOOTED, 0, "%s: the guest restarted itself, which ends it",
				doing);
	if (strcmp(vm->shutdown.reason, "guest-reset") == 0)
		return vm_error(VM_TRIPLE_FAULT, 0,
				"%s: the guest reset itself without a message from its kernel%s%s",
				doing, line.n ? "; last sign: " : "", strbuf_str(&line));
	return vm_error(VM_QEMU_FAILED, 0, "%s: the guest ended (%s)", doing, vm->shutdown.reason);
}

static bool process_ended(const struct vm *vm)
{
	struct pollfd p = { .fd = vm->pidfd, .events = POLLIN };

	return vm->ended || (vm->pid > 0 && poll(&p, 1, 0) == 1);
}

bool vm_can_be_kept(const struct vm *vm, const struct error *why)
{
	static const enum vm_error_kind kinds[] = { VM_PANIC, VM_OOM, VM_TRIPLE_FAULT, VM_HANG,
						    VM_AGENT };

	for (size_t i = 0; why && i < ARRAY_SIZE(kinds); i++)
		if (error_is(why, &vm_error_domain, kinds[i]))
			return vm->pid > 0 && !process_ended(vm);
	return false;
}

bool vm_has_ended(struct vm *vm)
{
	/* QEMU's output is not needed, but must not fill its pipe. */
	error_free(vm_qmp_pump(vm->qmp));
	return process_ended(vm);
}

static struct error *explain(struct vm *vm, const char *doing)
{
	struct pollfd p[] = {
		{ .fd = vm_qmp_fd(vm->qmp), .events = POLLIN },
		{ .fd = vm->pidfd, .events = POLLIN },
	};

	/* The channel closes a moment before QEMU is gone. */
	poll(p, 2, QMP_FAREWELL_MS);
	error_free(vm_qmp_pump(vm->qmp));
	if (!process_ended(vm) && !vm->shutdown.seen)
		poll(p + 1, 1, QMP_FAREWELL_MS);
	if (process_ended(vm))
		return explain_qemu_end(vm, doing);
	if (vm->shutdown.seen)
		return explain_shutdown(vm, doing);
	return vm_error(VM_AGENT, 0, "%s: the agent closed its channel", doing);
}

struct error *vm_explain_monitor(struct vm *vm, struct error *err, const char *doing)
{
	if (!err || error_errno(err) != EPIPE)
		return err;
	error_free(err);
	return explain(vm, doing);
}

struct error *vm_explain_if_ended(struct vm *vm, struct error *err, const char *doing)
{
	if (!err || !process_ended(vm))
		return err;
	error_free(err);
	return explain(vm, doing);
}

struct error *vm_failed(struct bytes payload)
{
	struct wire_failed failed;
	struct error *err = wire_failed_decode(payload, &failed);

	if (err)
		return error_recast(err, &vm_error_domain, VM_AGENT);
	if (strcmp(failed.tag, "agent-busy") == 0)
		return vm_error(VM_BUSY, 0, "%s", failed.text);
	return vm_error(VM_AGENT, 0, "[%s] %s", failed.tag, failed.text);
}

/* How long QEMU's threads have waited for a CPU of the host, all together. */
static uint64_t host_wait_ns(pid_t pid)
{
	_cleanup_free_ char *directory = xasprintf("/proc/%d/task", pid);
	_cleanup_dir_ DIR *dir = opendir(directory);
	struct dirent *entry;
	uint64_t sum = 0;

	while (dir && (entry = readdir(dir)) != NULL) {
		_cleanup_free_ char *path = xasprintf("%s/%s/schedstat", directory, entry->d_name);
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		_cleanup_error_ struct error *err = NULL;
		unsigned long long run, wait;

		if (entry->d_name[0] == '.')
			continue;
		err = io_read_file(path, 4096, &text);
		if (!err && sscanf(strbuf_str(&text), "%llu %llu", &run, &wait) == 2)
			sum += wait;
	}
	return sum;
}

static void mark_alive(struct vm *vm)
{
	vm->heard_ns = clock_monotonic_ns();
	if (vm->heartbeat_ms)
		vm->heard_host_wait_ns = host_wait_ns(vm->pid);
}

uint64_t vm_silence_limit_ns(uint32_t heartbeat_ms, uint64_t patience_ns)
{
	uint64_t limit_ms = (uint64_t)heartbeat_ms * HANG_BEATS;
	uint64_t limit_ns = (limit_ms > HANG_LEAST_MS ? limit_ms : HANG_LEAST_MS) * NS_PER_MS;

	return limit_ns > patience_ns ? limit_ns : patience_ns;
}

bool vm_silence_is_hang(uint64_t silent_ns, uint64_t waited_ns, uint64_t limit_ns)
{
	if (silent_ns >= limit_ns * STARVED_LIMITS)
		return true;
	/* Threads wait side by side: all together it may be more than the time that went by. */
	return waited_ns < silent_ns && silent_ns - waited_ns >= limit_ns;
}

/* Any process that finds the run directory may stop the guest without notice. */
static bool is_frozen_by_others(struct vm *vm)
{
	_cleanup_vm_qmp_message_ struct vm_qmp_message answer = { 0 };
	_cleanup_error_ struct error *err = vm_qmp_execute(vm->qmp, "query-status", NULL,
							   STATUS_WAIT_MS * NS_PER_MS, &answer);

	return !err && json_text_is(json_string(json_find(answer.value, "status")), "paused");
}

/* By a SIGSTOP, or a debugger: the guest cannot help it. */
static bool is_stopped_by_others(const struct vm *vm)
{
	struct procfs_stat stat;
	_cleanup_error_ struct error *err = procfs_stat_read("/proc", vm->pid, &stat);

	return !err && (stat.state == 'T' || stat.state == 't');
}

static struct error *hang(struct vm *vm, uint64_t silent_s, const char *how)
{
	_cleanup_strbuf_ struct strbuf tail = STRBUF_INIT, line = STRBUF_INIT;

	error_free(vm_console_read_tail(vm->console_path, TAIL_BYTES, &tail));
	vm_console_read_signs(strbuf_str(&tail), tail.n, &line);
	return vm_error(VM_HANG, 0, "no sign of life for %llu s%s%s%s",
			(unsigned long long)silent_s, how, line.n ? "; console: " : "",
			strbuf_str(&line));
}

/* With a virtual clock it is the plugin that watches, by the guest's time. */
static struct error *check_hang(struct vm *vm)
{
	const struct vm_mailbox *mailbox = vm->link.mailbox;

	return mailbox && mailbox->hangs ? hang(vm, mailbox->silence_s, " of the guest's time")
					 : NULL;
}

static struct error *check_hold(struct vm *vm)
{
	struct error *err = check_hang(vm);

	if (err)
		return err;
	if (vm_link_is_stuck(&vm->link))
		return vm_error(VM_AGENT, 0, "the guest waits for input, but there is none");
	return NULL;
}

/* Silent, though it should beat. */
static struct error *check_heartbeat(struct vm *vm)
{
	uint64_t silent_ns, waited_ns, bytes_in = vm->link.bytes_in;
	uint64_t limit_ns = vm_silence_limit_ns(vm->heartbeat_ms, vm->patience_ns);
	struct error *err;

	if (vm->link.mailbox)
		return check_hold(vm);
	if (vm->heartbeat_ms == 0 || vm->frozen)
		return NULL;
	silent_ns = clock_monotonic_ns() - vm->heard_ns;
	if (silent_ns < limit_ns)
		return NULL;
	/* Perhaps we did not read in time. */
	err = vm_link_pump(&vm->link);
	if (err || vm->link.bytes_in != bytes_in)
		return err;
	waited_ns = host_wait_ns(vm->pid);
	/* Threads that ended took their share with them. */
	waited_ns -= waited_ns < vm->heard_host_wait_ns ? waited_ns : vm->heard_host_wait_ns;
	if (!vm_silence_is_hang(silent_ns, waited_ns, limit_ns))
		return NULL;
	if (is_stopped_by_others(vm))
		return vm_error(VM_QEMU_FAILED, 0, "no sign of life for %llu s: QEMU is stopped",
				(unsigned long long)(silent_ns / NS_PER_SEC));
	if (is_frozen_by_others(vm))
		mark_alive(vm);
	/* Also if it was resumed just now: QEMU's answer came with the RESUME event. */
	if (clock_monotonic_ns() - vm->heard_ns < limit_ns)
		return NULL;
	return hang(vm, silent_ns / NS_PER_SEC, ", though QEMU runs");
}

/* True when the frame is for the caller. */
static bool handle_frame(struct vm *vm, const struct wire_frame *frame)
{
	switch (frame->type) {
	case WIRE_HEARTBEAT:
		mark_alive(vm);
		return false;
	case WIRE_LOG:
		vm_say(vm, "guest: %.*s", (int)frame->payload.n, (const char *)frame->payload.at);
		return false;
	default:
		vm->heard_ns = clock_monotonic_ns();
		return true;
	}
}

static struct error *next_frame(struct vm *vm, struct wire_frame *ret, bool *ret_got)
{
	bool got;

	do {
		struct error *err = vm_link_take(&vm->link, ret, &got);

		if (err)
			return err;
	} while (got && !handle_frame(vm, ret));
	*ret_got = got;
	return NULL;
}

static int slice_ms(uint64_t deadline_ns, bool *ret_past)
{
	uint64_t now = clock_monotonic_ns();

	*ret_past = deadline_ns && now >= deadline_ns;
	if (*ret_past)
		return 0;
	if (deadline_ns && (deadline_ns - now) / NS_PER_MS < SLICE_MS)
		return (int)((deadline_ns - now) / NS_PER_MS) + 1;
	return SLICE_MS;
}

/* The process that froze the guest was killed. */
static void let_run_if_left_behind(struct vm *vm)
{
	struct vm_run_freeze freeze;

	if (!vm->stopped || vm->frozen || vm->shutdown.seen || !vm->run_dir ||
	    !vm_run_freeze_adopt(vm->run_dir->path, &freeze))
		return;
	vm_say(vm, "the process that froze the guest has ended; the guest runs again");
	error_free(vm_qmp_execute(vm->qmp, "cont", NULL, STATUS_WAIT_MS * NS_PER_MS, NULL));
	vm_run_freeze_end(&freeze);
}

static struct error *wait_once(struct vm *vm, struct pollfd *extra, size_t n_extra, int timeout_ms,
			       bool *ret_extra)
{
	struct pollfd p[3 + VM_LIMIT_WAIT_FDS] = {
		{ .fd = vm->link.closed ? -1 : vm->link.fd, .events = vm_link_events(&vm->link) },
		{ .fd = vm_qmp_fd(vm->qmp), .events = POLLIN },
		{ .fd = vm->pidfd, .events = POLLIN },
	};
	struct error *err;

	for (size_t i = 0; i < n_extra; i++)
		p[3 + i] = extra[i];
	vm_console_trim(vm->console_fd);
	poll(p, 3 + n_extra, vm_link_is_due(&vm->link) ? 0 : timeout_ms);
	for (size_t i = 0; i < n_extra; i++) {
		extra[i].revents = p[3 + i].revents;
		*ret_extra |= extra[i].revents != 0;
	}
	err = vm_link_pump(&vm->link);
	if (err)
		return err;
	if (p[1].revents) {
		err = vm_qmp_pump(vm->qmp);
		/* A closed monitor shows itself in the end of the process. */
		if (err && error_errno(err) == EPIPE) {
			error_free(err);
			err = NULL;
		}
	}
	if (!err)
		let_run_if_left_behind(vm);
	return err;
}

struct error *vm_wait(struct vm *vm, struct pollfd *extra, size_t n_extra, uint64_t deadline_ns,
		      const struct cancel *cancel, enum vm_event *ret_event,
		      struct wire_frame *ret_frame)
{
	for (;;) {
		bool got = false, ready = false, past;
		struct error *err;
		int timeout_ms;

		err = next_frame(vm, ret_frame, &got);
		if (err)
			return err;
		/* The agent understands us no more and will hear nothing but a new HELLO. */
		if (got && ret_frame->type == WIRE_FAILED && ret_frame->channel == 0)
			return error_wrap(vm_failed(ret_frame->payload), "the agent gave up");
		if (got) {
			*ret_event = VM_EVENT_FRAME;
			return NULL;
		}
		/* Frames that came before the end were handed out first. */
		if (vm->link.closed || vm->shutdown.seen || process_ended(vm))
			return explain(vm, "waiting for the guest");
		err = cancel_error(cancel, "waiting for the guest");
		if (!err)
			err = check_heartbeat(vm);
		if (err)
			return err;
		timeout_ms = slice_ms(deadline_ns, &past);
		err = wait_once(vm, extra, n_extra, timeout_ms, &ready);
		if (err)
			return err;
		if (ready) {
			*ret_event = VM_EVENT_FD;
			return NULL;
		}
		if (past) {
			*ret_event = VM_EVENT_DEADLINE;
			return NULL;
		}
	}
}

struct error *vm_ask(struct vm *vm, const struct vm_request *request, const struct cancel *cancel,
		     struct wire_frame *ret)
{
	uint32_t channel = ++vm->last_channel;
	enum vm_event event;
	struct error *err;

	err = vm_link_send(&vm->link, request->type, channel,
			   request->payload ? request->payload->at : NULL,
			   request->payload ? request->payload->n : 0);
	if (err)
		return err;
	do {
		err = vm_wait(vm, NULL, 0, request->deadline_ns, cancel, &event, ret);
		if (err)
			return err;
		if (event == VM_EVENT_DEADLINE)
			return vm_error(VM_HANG, 0, "the agent did not answer %s",
					wire_type_name(request->type));
	} while (ret->channel != channel);
	if (ret->type == WIRE_FAILED)
		return vm_failed(ret->payload);
	if (ret->type != request->answer)
		return vm_error(VM_AGENT, 0, "the agent answered %s with %s",
				wire_type_name(request->type), wire_type_name(ret->type));
	return NULL;
}

struct error *vm_await_hold(struct vm *vm, uint64_t deadline_ns, const struct cancel *cancel)
{
	return vm_await(vm, &vm->link.mailbox->wants_input, "waiting for the guest", deadline_ns,
			cancel);
}

struct error *vm_observe(struct vm *vm, const struct vm_observer *observer,
			 const struct cancel *cancel)
{
	struct error *err;

	if (!vm->link.mailbox)
		return vm_error(VM_QEMU_FAILED, 0,
				"only a guest with a virtual clock can be observed at each event");
	err = vm_await_hold(vm, clock_monotonic_ns() + 60 * NS_PER_SEC, cancel);
	return err ? err : vm_ring_observe(&vm->link.mailbox->ring, observer);
}

struct error *vm_take_events(struct vm *vm)
{
	struct vm_ring *ring = &vm->link.mailbox->ring;
	struct error *err = vm_ring_drain(ring);

	ring->observer.on_events = NULL;
	return err;
}

struct error *vm_await(struct vm *vm, const bool *flag, const char *doing, uint64_t deadline_ns,
		       const struct cancel *cancel)
{
	while (!*flag) {
		bool past, unused = false;
		int timeout_ms = slice_ms(deadline_ns, &past);
		struct error *err;

		if (vm->shutdown.seen || process_ended(vm))
			return explain(vm, doing);
		if (past)
			return vm_error(VM_BOOT_TIMEOUT, 0, "%s: QEMU did not finish in time",
					doing);
		err = cancel_error(cancel, doing);
		if (!err)
			err = check_hang(vm);
		if (!err)
			err = wait_once(vm, NULL, 0, timeout_ms, &unused);
		if (err)
			return err;
	}
	return NULL;
}
