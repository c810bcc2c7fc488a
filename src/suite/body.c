// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/ctx.h"

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

void suite_body_deinit(struct suite_body *body)
{
	if (body->pidfd >= 0)
		close(body->pidfd);
	if (body->report_fd >= 0)
		close(body->report_fd);
	strbuf_deinit(&body->partial);
	*body = SUITE_BODY_INIT;
}

void suite_body_say_finished(struct suite_report_writer *report)
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
	suite_report_writer_init(&ctx.report, report_fd, given->report.from_ns);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(SUITE_EXIT_REPORT);
	signal(SIGPIPE, SIG_DFL);
	if (ctx.cgroups_fd >= 0) {
		_cleanup_close_ int own = -1;
		struct error *err = suite_ctx_open_cgroup(&ctx, NULL, &own);
		_cleanup_close_ int procs = err ? -1
						: openat(own, "cgroup.procs", O_WRONLY | O_CLOEXEC);

		if (!err && (procs < 0 || write(procs, "0", 1) != 1))
			err = base_error(BASE_IO, errno, "entering the test's own cgroup");
		if (err)
			suite_ctx_end_broken(&ctx, err);
	}
	ctx.test->run(&ctx);
	suite_ctx_finish(&ctx);
}

struct error *suite_body_start(struct suite_body *body, const struct ktstr_ctx *ctx,
			       const struct suite_report_writer *parents_report)
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
	*body = SUITE_BODY_INIT;
	body->pid = pid;
	body->report_fd = ends[0];
	body->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (body->pidfd < 0) {
		struct error *err = base_error(BASE_IO, errno, "pidfd of the test's process");

		suite_body_kill(body);
		waitpid(pid, NULL, 0);
		suite_body_deinit(body);
		return err;
	}
	return NULL;
}

static void take_line(struct suite_body *body, struct suite_report_writer *report)
{
	struct strbuf *line = &body->partial;

	if (body->skipping)
		body->skipping = false;
	else if (line->n == strlen(FINISHED) && memcmp(line->at, FINISHED, line->n) == 0)
		body->finished = true;
	else
		suite_report_forward(report, line->at, line->n);
	strbuf_clear(line);
}

static void take_bytes(struct suite_body *body, struct suite_report_writer *report, const char *at,
		       size_t n)
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

void suite_body_pump(struct suite_body *body, struct suite_report_writer *report)
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
		/* The last writer has closed it. */
		close(body->report_fd);
		body->report_fd = -1;
	}
}

void suite_body_reap(struct suite_body *body, struct suite_report_writer *report)
{
	while (waitpid(body->pid, &body->status, 0) < 0 && errno == EINTR)
		;
	body->ended = true;
	suite_body_pump(body, report);
	/* What it left running may not report any more. */
	if (body->report_fd >= 0)
		close(body->report_fd);
	body->report_fd = -1;
}

void suite_body_kill(const struct suite_body *body)
{
	kill(-body->pid, SIGKILL);
	kill(body->pid, SIGKILL);
}

bool suite_body_is_unmet(const struct suite_body *body)
{
	return body->ended && body->finished && WIFEXITED(body->status) &&
	       WEXITSTATUS(body->status) == SUITE_BODY_EXIT_UNMET;
}

void suite_body_judge(const struct suite_body *body, struct suite_report_writer *report)
{
	if (WIFSIGNALED(body->status))
		suite_report_partf(report, KTSTR_REASON_TEST_CRASHED,
				   "the test's function was ended by signal %d (SIG%s)",
				   WTERMSIG(body->status), sigabbrev_np(WTERMSIG(body->status)));
	else if (!body->finished)
		suite_report_partf(
			report, KTSTR_REASON_TEST_CRASHED,
			"the test's function ended the process with exit code %d instead of "
			"returning",
			WEXITSTATUS(body->status));
}
