// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/scheduler.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/io.h"
#include "suite/system.h"

enum {
	POLL_MS = 20,
	/* For a program whose scheduler the kernel has ended to notice, and to say why. */
	LAST_WORDS_MS = 3000,
};

const struct suite_scheduler_system suite_scheduler_running_system = {
	.sched_ext = "/sys/kernel/sched_ext",
	.kmsg = "/dev/kmsg",
	.tracing = "/sys/kernel/tracing",
	.proc = "/proc",
};

void suite_scheduler_init(struct suite_scheduler *s, const struct suite_scheduler_system *system,
			  double slowness)
{
	*s = (struct suite_scheduler){
		.system = system, .slowness = slowness, .pidfd = -1, .kmsg_fd = -1
	};
	suite_stream_init(&s->out, -1, SUITE_LIMIT_STREAM_HEAD, SUITE_LIMIT_STREAM_TAIL);
	suite_stream_init(&s->err, -1, SUITE_LIMIT_STREAM_HEAD, SUITE_LIMIT_STREAM_TAIL);
}

struct error *suite_scheduler_start(struct suite_scheduler *s, const char *const *argv,
				    const char *name, struct suite_report_writer *report)
{
	_cleanup_free_ char *other = NULL;
	struct suite_scx_state before;
	int out = -1, err_fd = -1;
	struct error *err;

	s->name = name;
	if (access(s->system->sched_ext, F_OK) < 0)
		return base_error(BASE_ABSENT, errno, "this kernel has no sched_ext: %s",
				  s->system->sched_ext);
	other = suite_scx_state_read_ops(s->system->sched_ext);
	if (other)
		return base_error(BASE_IO, EBUSY, "the scheduler \"%s\" is loaded already", other);
	suite_scx_state_read(s->system->sched_ext, &before);
	s->has_enable_seq = before.has_enable_seq;
	s->enable_seq = before.enable_seq;
	s->kmsg_fd = suite_kernel_log_open(s->system->kmsg);
	s->dumps = suite_scx_dump_enable(s->system->tracing);
	s->started_ns = clock_monotonic_ns();
	err = suite_scheduler_launch(argv, &s->pid, &s->pidfd, &out, &err_fd);
	if (err)
		return error_wrap(err, "scheduler %s", name);
	s->out.fd = out;
	s->err.fd = err_fd;
	suite_report_write(report, WIRE_REPORT_SCHEDULER,
			   &(struct exchange_scheduler_line){ .state = EXCHANGE_STARTED,
							      .pid = (uint32_t)s->pid });
	return NULL;
}

void suite_scheduler_poll(const struct suite_scheduler *s, struct pollfd fds[SUITE_SCHEDULER_FDS])
{
	fds[0] = (struct pollfd){ .fd = s->ended ? -1 : s->pidfd, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = s->out.fd, .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = s->err.fd, .events = POLLIN };
}

void suite_scheduler_pump(struct suite_scheduler *s)
{
	bool gone = !s->ended && s->pid && waitpid(s->pid, &s->status, WNOHANG) == s->pid;

	/* Looked at first: what it printed before its end is there by now. */
	s->ended = s->ended || gone;
	suite_stream_pump(&s->out);
	suite_stream_pump(&s->err);
}

/* Until its program has ended, or limit_ms are over. Returns whether it has. */
static bool wait_ended(struct suite_scheduler *s, uint64_t limit_ms)
{
	uint64_t until = clock_monotonic_ns() + limit_ms * NS_PER_MS;

	for (;;) {
		struct pollfd fds[SUITE_SCHEDULER_FDS];
		uint64_t now = clock_monotonic_ns();

		suite_scheduler_pump(s);
		if (s->ended || now >= until)
			return s->ended;
		suite_scheduler_poll(s, fds);
		poll(fds, SUITE_SCHEDULER_FDS, (int)((until - now) / NS_PER_MS) + 1);
	}
}

void suite_scheduler_deinit(struct suite_scheduler *s)
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
	suite_stream_deinit(&s->out);
	suite_stream_deinit(&s->err);
	strbuf_deinit(&s->kernel_lines);
	free(s->ops);
}

static char *end_text(const struct suite_scheduler *s)
{
	return WIFSIGNALED(s->status) ? xasprintf("signalled %d", WTERMSIG(s->status))
				      : xasprintf("exited %d", WEXITSTATUS(s->status));
}

char *suite_scheduler_end_words(const struct suite_scheduler *s)
{
	if (WIFSIGNALED(s->status))
		return xasprintf("was ended by signal %d (SIG%s)", WTERMSIG(s->status),
				 sigabbrev_np(WTERMSIG(s->status)));
	return xasprintf("ended with exit code %d", WEXITSTATUS(s->status));
}

char *suite_scheduler_kernel_reason(struct suite_scheduler *s)
{
	char *error;

	suite_kernel_log_read(s->kmsg_fd, SUITE_LIMIT_KERNEL_LOG, &s->kernel_lines);
	error = suite_kernel_log_error(strbuf_str(&s->kernel_lines));
	return error ? error : suite_kernel_log_reason(strbuf_str(&s->kernel_lines));
}

/* It was enabled again since it was looked at last, or has been away for too long. */
static bool has_returned(struct suite_scheduler *s, const struct suite_scx_state *state)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (suite_scx_state_is_enabled(state)) {
		s->restarts += state->enable_seq - s->enable_seq;
		s->enable_seq = state->enable_seq;
		s->away_since_ns = 0;
		return true;
	}
	if (!s->away_since_ns)
		s->away_since_ns = now_ns;
	return now_ns - s->away_since_ns <
	       suite_slowness_scaled_ms(s->slowness, SUITE_SCHEDULER_RESTART_MS) * NS_PER_MS;
}

bool suite_scheduler_is_alive(struct suite_scheduler *s)
{
	struct suite_scx_state state;

	if (!s->attached || s->ended)
		return false;
	suite_scx_state_read(s->system->sched_ext, &state);
	/* Two kernels' words for one thing: enabled, and never enabled anew in between. */
	if (suite_scx_state_is_enabled(&state) &&
	    (!s->has_enable_seq || !state.has_enable_seq || state.enable_seq == s->enable_seq))
		return true;
	return s->may_restart && s->has_enable_seq && state.has_enable_seq &&
	       has_returned(s, &state);
}

/* One that may restart is waited for when the test ends while it is away. */
static bool is_attached_at_the_end(struct suite_scheduler *s)
{
	for (;;) {
		if (!suite_scheduler_is_alive(s))
			return false;
		if (!s->away_since_ns)
			return true;
		wait_ended(s, POLL_MS);
	}
}

/* Why it is not alive any more, for a sentence. */
static char *loss_words(struct suite_scheduler *s, const char *reason)
{
	struct suite_scx_state state;
	bool is_counted;

	if (s->ended)
		return suite_scheduler_end_words(s);
	suite_scx_state_read(s->system->sched_ext, &state);
	is_counted = s->has_enable_seq && state.has_enable_seq;
	if (suite_scx_state_is_enabled(&state) && !s->may_restart)
		return xstrdup("was detached and attached again, and the test does not declare "
			       ".may_restart; its program still runs");
	return xasprintf("%s (sched_ext is \"%s\"); its program still runs",
			 reason && suite_kernel_log_is_error(reason) ? "was ended by the kernel"
			 : !s->may_restart			     ? "was detached"
			 : is_counted ? "was detached and did not attach again in time"
				      : "was detached, and its restarts cannot be counted: "
					"enable_seq cannot be read",
			 state.name);
}

void suite_scheduler_report_loss(struct suite_scheduler *s, struct suite_report_writer *report)
{
	_cleanup_free_ char *words = NULL, *reason = NULL, *why = NULL;

	s->lost = true;
	reason = suite_scheduler_kernel_reason(s);
	/* A program that detached by itself has nothing to notice. */
	wait_ended(s, suite_slowness_scaled_ms(s->slowness,
					       reason && !suite_kernel_log_is_error(reason)
						       ? LAST_WORDS_MS / 10
						       : LAST_WORDS_MS));
	free(reason);
	reason = suite_scheduler_kernel_reason(s);
	words = loss_words(s, reason);
	why = suite_scheduler_words_of_end(reason, &s->out, &s->err);
	suite_report_partf(report, KTSTR_REASON_SCHED_EXIT, "%s %s%s", s->name, words, why);
}

/* How a program ended that was asked to, by `signal`. A shell adds 128 to the signal. */
static bool ended_cleanly(const struct suite_scheduler *s, int signal)
{
	if (WIFSIGNALED(s->status))
		return WTERMSIG(s->status) == signal;
	return WEXITSTATUS(s->status) == 0 || WEXITSTATUS(s->status) == 128 + signal;
}

struct stop {
	char *end;  /* as the report has it */
	bool asked; /* it ran, and was asked to end */
	int signal; /* the one that it ended of */
	bool ended;
};

static struct stop stop(struct suite_scheduler *s)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGKILL };
	struct stop stop = { 0 };

	suite_scheduler_pump(s);
	stop.asked = !s->ended;
	for (size_t i = 0; !s->ended && i < ARRAY_SIZE(signals); i++) {
		stop.signal = signals[i];
		kill(s->pid, signals[i]);
		wait_ended(s, suite_slowness_scaled_ms(s->slowness, SUITE_SCHEDULER_STOP_MS));
	}
	if (!s->ended)
		stop.end = xstrdup("stuck");
	else if (stop.asked && stop.signal == SIGKILL)
		stop.end = xstrdup("killed");
	else
		stop.end = stop.asked && ended_cleanly(s, stop.signal) ? xstrdup("stopped")
								       : end_text(s);
	return stop;
}

/* It is attached, but the kernel had ended it for an error in between. */
static void judge_restarts(struct suite_scheduler *s, struct suite_report_writer *report)
{
	_cleanup_free_ char *reason = suite_scheduler_kernel_reason(s);

	if (!reason || !suite_kernel_log_is_error(reason))
		return;
	suite_report_partf(report, KTSTR_REASON_SCHED_EXIT,
			   "%s was ended by the kernel and attached again; the kernel says: %s",
			   s->name, reason);
	s->lost = true;
}

/* Asked to end, it did something else. */
static void judge_stop(struct suite_scheduler *s, const struct stop *stop, const char *reason,
		       struct suite_report_writer *report)
{
	_cleanup_free_ char *words = NULL, *why = NULL;

	if (!s->ended)
		words = xstrdup("cannot be ended: it survived SIGINT, SIGTERM and SIGKILL");
	else if (stop->signal == SIGKILL)
		words = xstrdup("ignored SIGINT and SIGTERM, and had to be killed");
	else if (!ended_cleanly(s, stop->signal))
		words = suite_scheduler_end_words(s);
	else if (reason && suite_kernel_log_is_error(reason))
		words = xstrdup("made the kernel end it");
	else
		return;
	why = suite_scheduler_words_of_end(reason, &s->out, &s->err);
	suite_report_partf(report, KTSTR_REASON_SCHED_STOP, "asked to end, %s %s%s", s->name, words,
			   why);
}

static void report_its_end(const struct suite_scheduler *s, const struct stop *stop,
			   const char *reason, const char *events,
			   struct suite_report_writer *report)
{
	suite_report_write(report, WIRE_REPORT_SCHEDULER,
			   &(struct exchange_scheduler_line){
				   .state = EXCHANGE_ENDED,
				   .end = EXCHANGE_BORROW(stop->end),
				   .has_asked = true,
				   .asked = stop->asked,
				   .has_restarts = s->has_enable_seq && s->attached,
				   .restarts = s->restarts,
				   .kernel_reason = EXCHANGE_BORROW(reason),
				   .events = EXCHANGE_BORROW(events),
			   });
}

static void report_stream(struct suite_report_writer *report, const char *name,
			  const struct suite_stream *from)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	suite_stream_text(from, &text);
	suite_report_text(report, name, strbuf_str(&text), text.n);
}

void suite_scheduler_finish(struct suite_scheduler *s, struct suite_report_writer *report)
{
	_cleanup_strbuf_ struct strbuf dump = STRBUF_INIT;
	_cleanup_free_ char *events = NULL, *end = NULL, *reason = NULL;
	bool judged = s->is_judged && s->attached;
	struct stop ended;

	if (!s->pid)
		return;
	/* Work was stopped since it was looked at last: the kernel may have ended it meanwhile. */
	if (judged && !s->lost && !is_attached_at_the_end(s))
		suite_scheduler_report_loss(s, report);
	if (judged && !s->lost)
		judge_restarts(s, report);
	/* The directory goes away with the scheduler. */
	events = suite_scx_state_read_file(s->system->sched_ext, "root/events");
	ended = stop(s);
	end = ended.end;
	/* Helpers that it started. */
	kill(-s->pid, SIGKILL);
	reason = suite_scheduler_kernel_reason(s);
	if (judged && !s->lost && ended.asked)
		judge_stop(s, &ended, reason, report);
	report_its_end(s, &ended, reason, events, report);
	report_stream(report, "scheduler.stdout", &s->out);
	report_stream(report, "scheduler.stderr", &s->err);
	suite_report_text(report, "kernel.log", strbuf_str(&s->kernel_lines), s->kernel_lines.n);
	if (s->dumps) {
		suite_scx_dump_read(s->system->tracing, SUITE_LIMIT_DUMP, &dump);
		suite_scx_dump_disable(s->system->tracing);
		suite_report_text(report, "sched_ext.dump", strbuf_str(&dump), dump.n);
	}
}
