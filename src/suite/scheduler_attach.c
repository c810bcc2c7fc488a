// SPDX-License-Identifier: LGPL-2.1-or-later
/* From the start of a scheduler's program to the kernel's word that it is attached. */
#include <fcntl.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/spawn.h"
#include "procfs/thread_files.h"
#include "suite/scheduler.h"

enum {
	POLL_MS = 20,
	/* Less CPU time than this is a program that waits and looks around now and then. */
	PROGRESS_CPU_NS = 300 * 1000 * 1000,
	/* Large, because the pipe is not read while workers are being stopped. */
	PIPE_BYTES = 1 << 20,
};

static char *local_file(const char *program)
{
	const char *slash = strrchr(program, '/');
	char *path = xasprintf("./%s", slash ? slash + 1 : program);

	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

struct error *suite_scheduler_launch(const char *const *argv, pid_t *ret_pid, int *ret_pidfd,
				     int *ret_out, int *ret_err)
{
	_cleanup_free_ char *file = local_file(argv[0]);
	_cleanup_error_ struct error *err = spawn_piped(
		&(struct spawn_request){ .argv = argv, .file = file, .own_group = true }, ret_out,
		ret_err, ret_pid, ret_pidfd);

	if (err)
		return base_error(BASE_IO, error_errno(err), "%s cannot be executed", argv[0]);
	(void)fcntl(*ret_out, F_SETPIPE_SZ, PIPE_BYTES);
	(void)fcntl(*ret_err, F_SETPIPE_SZ, PIPE_BYTES);
	return NULL;
}

/* What was seen of a program that loads a scheduler. */
struct progress {
	uint64_t at_ns; /* when it was last seen to get on */
	uint64_t cpu_ns;
	uint64_t bytes; /* printed by it and about it */
	char state[sizeof(((struct suite_scx_state *)0)->name)];
};

static uint64_t cpu_time_ns(const struct suite_scheduler *s)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/schedstat", s->system->proc, (int)s->pid);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct procfs_schedstat stat = { 0 };
	struct error *err = io_read_file(path, PROCFS_SCHEDSTAT_MAX_BYTES, &text);

	if (!err)
		err = procfs_schedstat_parse(strbuf_str(&text), text.n, &stat);
	error_free(err);
	return stat.run_time_ns;
}

static void note_progress(struct suite_scheduler *s, const struct suite_scx_state *state,
			  struct progress *p)
{
	uint64_t cpu_ns = cpu_time_ns(s), bytes;

	suite_kernel_log_read(s->kmsg_fd, SUITE_LIMIT_KERNEL_LOG, &s->kernel_lines);
	bytes = s->out.bytes + s->err.bytes + s->kernel_lines.n;
	if (cpu_ns < p->cpu_ns + PROGRESS_CPU_NS && bytes == p->bytes &&
	    strcmp(state->name, p->state) == 0)
		return;
	p->at_ns = clock_monotonic_ns();
	p->cpu_ns = cpu_ns;
	p->bytes = bytes;
	memcpy(p->state, state->name, sizeof(p->state));
}

/* The kernel counts after it has set the state, so a count that has not moved is one of before. */
static bool is_ours(const struct suite_scheduler *s, const struct suite_scx_state *state)
{
	return suite_scx_state_is_enabled(state) &&
	       (!s->has_enable_seq || !state->has_enable_seq || state->enable_seq > s->enable_seq);
}

static void report_attached(struct suite_scheduler *s, const struct suite_scx_state *state,
			    struct suite_report_writer *report)
{
	s->attached = true;
	s->has_enable_seq = s->has_enable_seq && state->has_enable_seq;
	s->enable_seq = state->enable_seq;
	suite_report_write(report, WIRE_REPORT_SCHEDULER,
			   &(struct exchange_scheduler_line){
				   .state = EXCHANGE_ATTACHED,
				   .ops = s->ops,
				   .has_attach_ms = true,
				   .attach_ms = (clock_monotonic_ns() - s->started_ns) / NS_PER_MS,
			   });
}

static void all_output(const struct suite_scheduler *s, struct strbuf *into)
{
	suite_stream_text(&s->err, into);
	strbuf_append_char(into, '\n');
	suite_stream_text(&s->out, into);
}

/* It runs and is not attached: how long that was, and what its last sign of life was. */
static void report_never_attached(struct suite_scheduler *s, const struct progress *progress,
				  struct suite_report_writer *report)
{
	_cleanup_free_ char *reason = suite_scheduler_kernel_reason(s);
	_cleanup_free_ char *why = suite_scheduler_words_of_end(reason, &s->out, &s->err);
	uint64_t now_ns = clock_monotonic_ns();

	suite_report_partf(
		report, KTSTR_REASON_SCHED_ATTACH,
		"%s runs, but was not attached within %llu ms: sched_ext is \"%s\", the last "
		"sign of progress was %llu ms ago%s",
		s->name, (unsigned long long)((now_ns - s->started_ns) / NS_PER_MS),
		progress->state, (unsigned long long)((now_ns - progress->at_ns) / NS_PER_MS), why);
}

static void report_failed_load(struct suite_scheduler *s, struct suite_report_writer *report)
{
	_cleanup_free_ char *words = suite_scheduler_end_words(s), *refusal = NULL, *said = NULL;
	_cleanup_free_ char *reason = suite_scheduler_kernel_reason(s);
	_cleanup_strbuf_ struct strbuf output = STRBUF_INIT;

	all_output(s, &output);
	refusal = suite_scheduler_words_of_verifier(strbuf_str(&output));
	if (refusal) {
		suite_report_partf(
			report, KTSTR_REASON_SCHED_VERIFIER,
			"%s %s: the kernel's verifier refused %s (the log is in its output)",
			s->name, words, refusal);
		return;
	}
	said = suite_scheduler_words_of_load(strbuf_str(&output));
	suite_report_partf(report, KTSTR_REASON_SCHED_LOAD, "%s %s before it was attached%s%s%s%s",
			   s->name, words, reason ? "; the kernel says: " : "",
			   reason ? reason : "", said ? "; it says: " : "", said ? said : "");
}

bool suite_scheduler_wait_attached(struct suite_scheduler *s,
				   const struct suite_scheduler_patience *patience,
				   struct suite_report_writer *report)
{
	struct progress progress = { .at_ns = s->started_ns };

	for (;;) {
		struct pollfd fds[SUITE_SCHEDULER_FDS];
		struct suite_scx_state state;
		uint64_t now_ns;

		suite_scheduler_pump(s);
		/* One that ended may have been attached in between: then it failed all the same. */
		if (s->ended)
			break;
		suite_scx_state_read(s->system->sched_ext, &state);
		if (is_ours(s, &state)) {
			s->ops = suite_scx_state_read_ops(s->system->sched_ext);
			if (s->ops) {
				report_attached(s, &state, report);
				return true;
			}
		}
		note_progress(s, &state, &progress);
		now_ns = clock_monotonic_ns();
		if (now_ns - s->started_ns >= patience->total_ms * NS_PER_MS ||
		    now_ns - progress.at_ns >= patience->idle_ms * NS_PER_MS)
			break;
		suite_scheduler_poll(s, fds);
		poll(fds, SUITE_SCHEDULER_FDS, POLL_MS);
	}
	if (s->ended)
		report_failed_load(s, report);
	else
		report_never_attached(s, &progress, report);
	suite_report_write(report, WIRE_REPORT_SCHEDULER,
			   &(struct exchange_scheduler_line){ .state = EXCHANGE_FAILED });
	return false;
}
