// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/scheduler.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "suite/kernel_log.h"
#include "suite/scheduler_launch.h"
#include "suite/scx_dump.h"
#include "suite/slowness.h"

enum {
	POLL_MS = 20,
	/* For a program whose scheduler the kernel has ended to notice, and to say why. */
	LAST_WORDS_MS = 3000,
};

const struct scheduler_system scheduler_running_system = {
	.sched_ext = "/sys/kernel/sched_ext",
	.kmsg = "/dev/kmsg",
	.tracing = "/sys/kernel/tracing",
};

void scheduler_init(struct scheduler *s, const struct scheduler_system *system, double slowness)
{
	*s = (struct scheduler){
		.system = system, .slowness = slowness, .pidfd = -1, .kmsg_fd = -1
	};
	stream_init(&s->out, -1, SUITE_LIMIT_STREAM_HEAD, SUITE_LIMIT_STREAM_TAIL);
	stream_init(&s->err, -1, SUITE_LIMIT_STREAM_HEAD, SUITE_LIMIT_STREAM_TAIL);
}

/* A file of sched_ext without its newline; NULL when it cannot be read. */
static char *read_file(const struct scheduler *s, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", s->system->sched_ext, name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, SUITE_LIMIT_SYSFS, &text);

	if (err)
		return NULL;
	while (text.n && text.at[text.n - 1] == '\n')
		text.at[--text.n] = '\0';
	return strbuf_take(&text);
}

/* Who schedules now; NULL: the kernel's own. */
static char *read_ops(const struct scheduler *s)
{
	char *ops = read_file(s, "root/ops");

	if (ops && *ops)
		return ops;
	free(ops);
	return NULL;
}

static struct json_writer *open_state(struct report_writer *report, const char *state)
{
	struct json_writer *w = report_open_line(report, WIRE_REPORT_SCHEDULER);

	json_add_string(w, "state", state);
	return w;
}

struct error *scheduler_start(struct scheduler *s, const char *const *argv, const char *name,
			      struct report_writer *report)
{
	_cleanup_free_ char *other = NULL;
	int out = -1, err_fd = -1;
	struct error *err;

	s->name = name;
	if (access(s->system->sched_ext, F_OK) < 0)
		return base_error(BASE_ABSENT, errno, "this kernel has no sched_ext: %s",
				  s->system->sched_ext);
	other = read_ops(s);
	if (other)
		return base_error(BASE_IO, EBUSY, "the scheduler \"%s\" is loaded already", other);
	s->kmsg_fd = kernel_log_open(s->system->kmsg);
	s->dumps = scx_dump_enable(s->system->tracing);
	s->started_ns = clock_monotonic_ns();
	err = scheduler_launch(argv, &s->pid, &s->pidfd, &out, &err_fd);
	if (err)
		return error_wrap(err, "scheduler %s", name);
	s->out.fd = out;
	s->err.fd = err_fd;
	json_add_i64(open_state(report, "started"), "pid", s->pid);
	report_close_line(report);
	return NULL;
}

void scheduler_poll(const struct scheduler *s, struct pollfd fds[SCHEDULER_FDS])
{
	fds[0] = (struct pollfd){ .fd = s->ended ? -1 : s->pidfd, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = s->out.fd, .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = s->err.fd, .events = POLLIN };
}

void scheduler_pump(struct scheduler *s)
{
	bool gone = !s->ended && s->pid && waitpid(s->pid, &s->status, WNOHANG) == s->pid;

	/* Looked at first: what it printed before its end is there by now. */
	s->ended = s->ended || gone;
	stream_pump(&s->out);
	stream_pump(&s->err);
}

/* Until it has ended, or limit_ms are over. */
static bool wait_ended(struct scheduler *s, uint64_t limit_ms)
{
	uint64_t until = clock_monotonic_ns() + limit_ms * NS_PER_MS;

	for (;;) {
		struct pollfd fds[SCHEDULER_FDS];
		uint64_t now = clock_monotonic_ns();

		scheduler_pump(s);
		if (s->ended || now >= until)
			return s->ended;
		scheduler_poll(s, fds);
		poll(fds, SCHEDULER_FDS, (int)((until - now) / NS_PER_MS) + 1);
	}
}

void scheduler_deinit(struct scheduler *s)
{
	if (s->pid && !s->ended) {
		kill(-s->pid, SIGKILL);
		/* One that cannot die is not waited for. */
		wait_ended(s, SUITE_SCHEDULER_STOP_MS);
	}
	if (s->pidfd >= 0)
		close(s->pidfd);
	if (s->kmsg_fd >= 0)
		close(s->kmsg_fd);
	stream_deinit(&s->out);
	stream_deinit(&s->err);
	strbuf_deinit(&s->kernel_lines);
	free(s->ops);
}

static char *end_text(const struct scheduler *s)
{
	return WIFSIGNALED(s->status) ? xasprintf("signalled %d", WTERMSIG(s->status))
				      : xasprintf("exited %d", WEXITSTATUS(s->status));
}

/* In words: "ended with exit code 1", "was ended by signal 11 (SIGSEGV)". */
static char *end_words(const struct scheduler *s)
{
	if (WIFSIGNALED(s->status))
		return xasprintf("was ended by signal %d (SIG%s)", WTERMSIG(s->status),
				 sigabbrev_np(WTERMSIG(s->status)));
	return xasprintf("ended with exit code %d", WEXITSTATUS(s->status));
}

static char *kernel_reason(struct scheduler *s)
{
	kernel_log_read(s->kmsg_fd, SUITE_LIMIT_KERNEL_LOG, &s->kernel_lines);
	return kernel_log_reason(strbuf_str(&s->kernel_lines));
}

/* "; the kernel says: …"; when it says nothing, the scheduler's own; else "". */
static char *whose_words(const struct scheduler *s, const char *kernel)
{
	_cleanup_free_ char *own = NULL;

	if (kernel)
		return xasprintf("; the kernel says: %s", kernel);
	own = stream_last_words(&s->err, SUITE_LIMIT_LAST_WORDS);
	if (!own)
		own = stream_last_words(&s->out, SUITE_LIMIT_LAST_WORDS);
	return own ? xasprintf("; it says: %s", own) : xstrdup("");
}

static bool verifier_refused(const struct scheduler *s)
{
	static const char mark[] = "BEGIN PROG LOAD LOG";
	_cleanup_strbuf_ struct strbuf printed = STRBUF_INIT;

	stream_text(&s->err, &printed);
	stream_text(&s->out, &printed);
	return printed.n && memmem(printed.at, printed.n, mark, strlen(mark));
}

static void report_failure(struct scheduler *s, uint64_t limit_ms, struct report_writer *report)
{
	_cleanup_free_ char *words = s->ended ? end_words(s) : NULL;
	_cleanup_free_ char *reason = kernel_reason(s), *why = whose_words(s, reason);

	if (!s->ended)
		report_partf(report, KTSTR_REASON_SCHED_ATTACH,
			     "%s runs, but was not attached within %llu ms%s", s->name,
			     (unsigned long long)limit_ms, why);
	else if (verifier_refused(s))
		report_partf(report, KTSTR_REASON_SCHED_VERIFIER,
			     "%s %s: the kernel's verifier refused it (the log is in its output)",
			     s->name, words);
	else
		report_partf(report, KTSTR_REASON_SCHED_LOAD, "%s %s before it was attached%s",
			     s->name, words, why);
	open_state(report, "failed");
	report_close_line(report);
}

bool scheduler_wait_attached(struct scheduler *s, uint64_t limit_ms, struct report_writer *report)
{
	uint64_t until = s->started_ns + limit_ms * NS_PER_MS;

	for (;;) {
		struct pollfd fds[SCHEDULER_FDS];
		struct json_writer *w;

		scheduler_pump(s);
		/* One that ended may have been attached in between: then it failed all the same. */
		if (s->ended)
			break;
		s->ops = read_ops(s);
		if (s->ops) {
			s->attached = true;
			w = open_state(report, "attached");
			report_add_text(report, "ops", s->ops);
			json_add_u64(w, "attach_ms",
				     (clock_monotonic_ns() - s->started_ns) / NS_PER_MS);
			report_close_line(report);
			return true;
		}
		if (clock_monotonic_ns() >= until)
			break;
		scheduler_poll(s, fds);
		poll(fds, SCHEDULER_FDS, POLL_MS);
	}
	report_failure(s, limit_ms, report);
	return false;
}

bool scheduler_is_alive(const struct scheduler *s)
{
	_cleanup_free_ char *ops = s->attached && !s->ended ? read_ops(s) : NULL;

	/* Another one in its place is not it. */
	return ops && strcmp(ops, s->ops) == 0;
}

void scheduler_report_loss(struct scheduler *s, struct report_writer *report)
{
	_cleanup_free_ char *words = NULL, *reason = NULL, *why = NULL;

	wait_ended(s, slowness_scaled_ms(s->slowness, LAST_WORDS_MS));
	reason = kernel_reason(s);
	words = s->ended ? end_words(s)
			 : xstrdup("was ended by the kernel; its program still runs");
	why = whose_words(s, reason);
	report_partf(report, KTSTR_REASON_SCHED_EXIT, "%s %s%s", s->name, words, why);
}

/* How it ended, as the report has it. */
static char *stop(struct scheduler *s)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGKILL };

	scheduler_pump(s);
	if (s->ended)
		return end_text(s);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		kill(s->pid, signals[i]);
		if (wait_ended(s, slowness_scaled_ms(s->slowness, SUITE_SCHEDULER_STOP_MS)))
			return xstrdup(signals[i] == SIGKILL ? "killed" : "stopped");
	}
	return xstrdup("stuck");
}

static void report_stream(struct report_writer *report, const char *name, const struct stream *from)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	stream_text(from, &text);
	report_text(report, name, strbuf_str(&text), text.n);
}

void scheduler_finish(struct scheduler *s, struct report_writer *report)
{
	_cleanup_strbuf_ struct strbuf dump = STRBUF_INIT;
	_cleanup_free_ char *events = NULL, *end = NULL, *reason = NULL;

	if (!s->pid)
		return;
	/* The folder goes away with the scheduler. */
	events = read_file(s, "root/events");
	end = stop(s);
	/* Helpers that it started. */
	kill(-s->pid, SIGKILL);
	reason = kernel_reason(s);
	open_state(report, "ended");
	report_add_text(report, "end", end);
	report_add_text(report, "kernel_reason", reason);
	report_add_text(report, "events", events);
	report_close_line(report);
	report_stream(report, "scheduler.stdout", &s->out);
	report_stream(report, "scheduler.stderr", &s->err);
	report_text(report, "kernel.log", strbuf_str(&s->kernel_lines), s->kernel_lines.n);
	if (s->dumps) {
		scx_dump_read(s->system->tracing, SUITE_LIMIT_DUMP, &dump);
		scx_dump_disable(s->system->tracing);
		report_text(report, "sched_ext.dump", strbuf_str(&dump), dump.n);
	}
}
