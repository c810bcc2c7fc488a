// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/apt.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/spawn.h"
#include "base/str.h"
#include "kernel/limits.h"

enum { POLL_MS = 200, CHUNK_BYTES = 16384, TERM_GRACE_MS = 3000, COMPLAINT_CHARS = 400 };

/* apt shows the status of one line at a time; a longer one is none of apt's. */
struct status {
	char line[512];
	size_t n;
};

struct running {
	const struct kernel_run *run;
	const struct kernel_watch *watch;
	struct strbuf *out;
	struct status status;
};

bool kernel_run_parse_status(const char *line, uint32_t *ret_hundredths)
{
	struct slice rest = slice_of(line), part;
	uint64_t percent;

	if (!slice_take_until(&rest, ':', &part) || !slice_equal(part, "dlstatus") ||
	    !slice_take_until(&rest, ':', &part) || !slice_take_u64(&rest, &percent) ||
	    percent > 999)
		return false;
	percent *= 100;
	/* The separator is the locale's. */
	if (rest.n && (rest.at[0] == '.' || rest.at[0] == ',')) {
		for (uint32_t i = 1, unit = 10; unit && i < rest.n; i++, unit /= 10) {
			if (rest.at[i] < '0' || rest.at[i] > '9')
				break;
			percent += unit * (uint32_t)(rest.at[i] - '0');
		}
	}
	*ret_hundredths = percent > 10000 ? 10000 : (uint32_t)percent;
	return true;
}

static void take_status(struct running *r, const char *bytes, size_t n)
{
	struct status *s = &r->status;

	for (size_t i = 0; i < n; i++) {
		uint32_t hundredths;

		if (bytes[i] != '\n') {
			if (s->n < sizeof(s->line) - 1)
				s->line[s->n++] = bytes[i];
			continue;
		}
		s->line[s->n] = 0;
		s->n = 0;
		if (r->run->total_bytes && r->watch && r->watch->progress &&
		    kernel_run_parse_status(s->line, &hundredths))
			r->watch->progress(r->watch->context, r->run->what,
					   r->run->total_bytes / 10000 * hundredths,
					   r->run->total_bytes);
	}
}

/* False when the other end is closed. */
static bool drain(struct running *r, int fd, bool is_status)
{
	char chunk[CHUNK_BYTES];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	if (n <= 0)
		return n < 0 && (errno == EINTR || errno == EAGAIN);
	if (is_status)
		take_status(r, chunk, (size_t)n);
	else if (r->out && r->out->n < KERNEL_LIMIT_APT_BYTES)
		strbuf_append_bytes(r->out, chunk, (size_t)n);
	return true;
}

/* Its group: apt's helpers do the downloading. */
static void end_child(pid_t pid, int pidfd)
{
	struct pollfd ended = { .fd = pidfd, .events = POLLIN };

	kill(-pid, SIGTERM);
	if (poll(&ended, 1, TERM_GRACE_MS) <= 0)
		kill(-pid, SIGKILL);
}

static struct error *follow(struct running *r, pid_t pid, int pidfd, int out, int status)
{
	struct pollfd polled[] = {
		{ .fd = out, .events = POLLIN },
		{ .fd = status, .events = POLLIN },
		{ .fd = pidfd, .events = POLLIN },
	};

	/* Pipes may outlive the child in the hands of its helpers; its end is what counts. */
	for (;;) {
		struct error *err = cancel_error(r->watch ? r->watch->cancel : NULL,
						 r->run->argv[0]);

		if (err) {
			end_child(pid, pidfd);
			return err;
		}
		if (poll(polled, ARRAY_SIZE(polled), POLL_MS) < 0)
			continue;
		if (polled[0].revents && !drain(r, out, false))
			polled[0].fd = -1;
		if (polled[1].revents && !drain(r, status, true))
			polled[1].fd = -1;
		if (polled[2].revents && !(polled[0].revents & POLLIN))
			return NULL;
	}
}

/* Lines that begin with "E:" are what apt gave up for; else the last line of all. */
static char *last_complaint(int fd)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char *found = NULL, *last = NULL, *save = NULL;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return NULL;
	error_free(io_read_fd(fd, "complaints", KERNEL_LIMIT_APT_BYTES, &text));
	if (!text.n)
		return NULL;
	for (char *line = strtok_r(text.at, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		last = line;
		if (!found && str_starts_with(line, "E: "))
			found = line + 3;
	}
	if (!found)
		found = last;
	return found ? xstrndup(found, COMPLAINT_CHARS) : NULL;
}

static struct error *judge(const struct kernel_run *run, int status, int complaints)
{
	const char *label = run->label ? run->label : run->argv[0];
	_cleanup_free_ char *complaint = NULL;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return NULL;
	complaint = last_complaint(complaints);
	if (WIFSIGNALED(status))
		return kernel_error(KERNEL_APT, 0, "%s was ended by signal %d", label,
				    WTERMSIG(status));
	return kernel_error(KERNEL_APT, 0, "%s exited with status %d: %s", label,
			    WEXITSTATUS(status), complaint ? complaint : "no reason given");
}

struct error *kernel_run(const struct kernel_run *run, const struct kernel_watch *watch,
			 struct strbuf *out)
{
	struct running r = { .run = run, .watch = watch, .out = out };
	_cleanup_close_ int out_read = -1, out_write = -1, status_read = -1, status_write = -1;
	_cleanup_close_ int complaints = memfd_create("complaints", MFD_CLOEXEC);
	_cleanup_close_ int pidfd = -1;
	struct error *err, *wait_err;
	int ends[2], status;
	pid_t pid;

	if (complaints < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "pipe for %s", run->argv[0]);
	out_read = ends[0];
	out_write = ends[1];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "pipe for %s", run->argv[0]);
	status_read = ends[0];
	status_write = ends[1];
	err = spawn_child(
		&(struct spawn_request){
			.argv = run->argv,
			.fds = (const struct spawn_fd[]){ { out_write, 1 },
							  { complaints, 2 },
							  { status_write, 3 } },
			.n_fds = 3,
			.cwd = run->cwd,
			.own_group = true,
		},
		&pid, &pidfd);
	if (err)
		return err;
	close(take_fd(out_write));
	close(take_fd(status_write));
	err = follow(&r, pid, pidfd, out_read, status_read);
	wait_err = spawn_wait(pid, &status);
	if (err || wait_err) {
		error_free(err ? wait_err : NULL);
		return err ? err : wait_err;
	}
	return judge(run, status, complaints);
}
