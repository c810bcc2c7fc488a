// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/body.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/io.h"

enum {
	/* More than any pipe holds: what was in it when the body ended is read in one go. */
	PUMP_READS = 64,
};

/* No JSON, so it cannot be a line of a report. */
#define FINISHED "finished\n"

void body_deinit(struct body *body)
{
	if (body->pidfd >= 0)
		close(body->pidfd);
	if (body->report_fd >= 0)
		close(body->report_fd);
	strbuf_deinit(&body->partial);
	*body = BODY_INIT;
}

void body_say_finished(struct report_writer *report)
{
	/* An author's thread may be in the middle of a line. */
	pthread_mutex_lock(&report->lock_);
	error_free(io_write_all(report->fd, "report", FINISHED, strlen(FINISHED)));
	pthread_mutex_unlock(&report->lock_);
}

static _Noreturn void be_body(const struct ktstr_ctx *given, int report_fd, pid_t parent)
{
	/* Static: a function that smashes its stack shall not smash this. */
	static struct ktstr_ctx ctx;

	ctx = *given;
	ctx.pid = getpid();
	report_writer_init(&ctx.report, report_fd, given->report.from_ns);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(SUITE_EXIT_REPORT);
	signal(SIGPIPE, SIG_DFL);
	if (ctx.cgroups_fd >= 0) {
		_cleanup_close_ int own = -1;
		struct error *err = ctx_open_cgroup(&ctx, NULL, &own);
		_cleanup_close_ int procs = err ? -1
						: openat(own, "cgroup.procs", O_WRONLY | O_CLOEXEC);

		if (!err && (procs < 0 || write(procs, "0", 1) != 1))
			err = base_error(BASE_IO, errno, "entering the test's own cgroup");
		if (err)
			ctx_end_broken(&ctx, err);
	}
	ctx.test->run(&ctx);
	ctx_finish(&ctx);
}

struct error *body_start(struct body *body, const struct ktstr_ctx *ctx,
			 const struct report_writer *parents_report)
{
	int ends[2];
	pid_t parent = getpid(), pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "the pipe of the test's report");
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		struct error *err = base_error(BASE_IO, errno, "the process of the test");

		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (pid == 0) {
		close(ends[0]);
		if (parents_report->fd >= 0)
			close(parents_report->fd);
		be_body(ctx, ends[1], parent);
	}
	close(ends[1]);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	/* Both sides, so that it is done whoever comes first. */
	setpgid(pid, pid);
	*body = BODY_INIT;
	body->pid = pid;
	body->report_fd = ends[0];
	body->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (body->pidfd < 0) {
		struct error *err = base_error(BASE_IO, errno, "pidfd of the test's process");

		body_kill(body);
		waitpid(pid, NULL, 0);
		body_deinit(body);
		return err;
	}
	return NULL;
}

static void take_line(struct body *body, struct report_writer *report)
{
	struct strbuf *line = &body->partial;

	if (body->skipping)
		body->skipping = false;
	else if (line->n == strlen(FINISHED) && memcmp(line->at, FINISHED, line->n) == 0)
		body->finished = true;
	else
		report_forward(report, line->at, line->n);
	strbuf_clear(line);
}

static void take_bytes(struct body *body, struct report_writer *report, const char *at, size_t n)
{
	while (n) {
		const char *newline = memchr(at, '\n', n);
		size_t piece = newline ? (size_t)(newline - at) + 1 : n;

		strbuf_append_bytes(&body->partial, at, piece);
		at += piece;
		n -= piece;
		if (newline) {
			take_line(body, report);
		} else if (body->partial.n > WIRE_REPORT_LINE_BYTES) {
			body->skipping = true;
			strbuf_clear(&body->partial);
		}
	}
}

void body_pump(struct body *body, struct report_writer *report)
{
	char bytes[65536];
	ssize_t n;

	/* One that never stops writing must not keep us from looking at anything else. */
	for (int i = 0; body->report_fd >= 0 && i < PUMP_READS; i++) {
		n = read(body->report_fd, bytes, sizeof(bytes));
		if (n > 0) {
			take_bytes(body, report, bytes, (size_t)n);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		/* Closed by the last who had it. */
		close(body->report_fd);
		body->report_fd = -1;
	}
}

void body_reap(struct body *body, struct report_writer *report)
{
	while (waitpid(body->pid, &body->status, 0) < 0 && errno == EINTR)
		;
	body->ended = true;
	body_pump(body, report);
	/* What it left running may not report any more. */
	if (body->report_fd >= 0)
		close(body->report_fd);
	body->report_fd = -1;
}

void body_kill(const struct body *body)
{
	kill(-body->pid, SIGKILL);
	kill(body->pid, SIGKILL);
}

bool body_is_unmet(const struct body *body)
{
	return body->ended && body->finished && WIFEXITED(body->status) &&
	       WEXITSTATUS(body->status) == BODY_EXIT_UNMET;
}

void body_judge(const struct body *body, struct report_writer *report)
{
	if (WIFSIGNALED(body->status))
		report_partf(report, KTSTR_REASON_TEST_CRASHED,
			     "the test's function was ended by signal %d (SIG%s)",
			     WTERMSIG(body->status), sigabbrev_np(WTERMSIG(body->status)));
	else if (!body->finished)
		report_partf(report, KTSTR_REASON_TEST_CRASHED,
			     "the test's function ended the process with exit code %d instead of "
			     "returning",
			     WEXITSTATUS(body->status));
}
