// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/scheduler.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A record has at most 1 KiB of text and some more of properties (LOG_LINE_MAX, since 3.5). */
enum { RECORD_BYTES = 8192, RECORDS_LIMIT = 100000 };

int suite_kernel_log_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

const char *suite_kernel_log_text(const char *record, size_t n, size_t *ret_n)
{
	const char *text = memchr(record, ';', n), *end;

	*ret_n = 0;
	if (!text)
		return record;
	text++;
	n -= (size_t)(text - record);
	end = memchr(text, '\n', n);
	*ret_n = end ? (size_t)(end - text) : n;
	return text;
}

/* The next record that holds the mark. False: there is none yet, or the log may not be read. */
static bool next_record(int fd, const char *mark, char record[static RECORD_BYTES],
			const char **ret_text, size_t *ret_n)
{
	for (int i = 0; fd >= 0 && i < RECORDS_LIMIT; i++) {
		ssize_t got = read(fd, record, RECORD_BYTES);

		/* EPIPE: records were overwritten before we came; the next read goes on after. */
		if (got < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (got <= 0)
			return false;
		*ret_text = suite_kernel_log_text(record, (size_t)got, ret_n);
		if (memmem(*ret_text, *ret_n, mark, strlen(mark)))
			return true;
	}
	return false;
}

void suite_kernel_log_read(int fd, size_t limit_bytes, struct strbuf *into)
{
	char record[RECORD_BYTES];
	const char *text;
	size_t n;

	for (int i = 0; i < RECORDS_LIMIT && next_record(fd, "sched_ext", record, &text, &n); i++) {
		if (n + 1 > limit_bytes - into->n)
			continue;
		strbuf_append_bytes(into, text, n);
		strbuf_append_char(into, '\n');
	}
}

char *suite_kernel_log_about(int fd, long pid)
{
	_cleanup_free_ char *mark = xasprintf("[%ld]: ", pid);
	char record[RECORD_BYTES], *last = NULL;
	const char *text;
	size_t n;

	for (int i = 0; i < RECORDS_LIMIT && next_record(fd, mark, record, &text, &n); i++) {
		free(last);
		last = xstrndup(text, n);
	}
	return last;
}

static char *line_after(const char *from, size_t *ret_n)
{
	const char *newline = strchr(from, '\n');

	if (!newline || !newline[1])
		return NULL;
	*ret_n = strcspn(newline + 1, "\n");
	return xstrndup(newline + 1, *ret_n);
}

/* What follows the mark of one line, and the message of the line after it. */
static char *reason_at(const char *from)
{
	_cleanup_free_ char *next = NULL, *reason = NULL;
	const char *message, *end;
	size_t n = strcspn(from, "\n");

	end = memrchr(from, ')', n);
	reason = xstrndup(from, end ? (size_t)(end - from) : n);
	next = line_after(from, &n);
	/* "sched_ext: NAME: message"; another line about a scheduler has no message. */
	message = next && strncmp(next, "sched_ext: ", 11) == 0 ? strstr(next + 11, ": ") : NULL;
	if (!message || strncmp(next, "sched_ext: BPF scheduler", 24) == 0)
		return take_ptr(reason);
	return xasprintf("%s: %s", reason, message + 2);
}

static char *last_reason(const char *lines, bool errors_only)
{
	static const char mark[] = "\" disabled (";
	char *last = NULL;

	for (const char *at = lines; (at = strstr(at, mark));) {
		_cleanup_free_ char *reason = NULL;

		at += strlen(mark);
		reason = reason_at(at);
		if (errors_only && !suite_kernel_log_is_error(reason))
			continue;
		free(last);
		last = take_ptr(reason);
	}
	return last;
}

char *suite_kernel_log_reason(const char *lines)
{
	return last_reason(lines, false);
}

char *suite_kernel_log_error(const char *lines)
{
	return last_reason(lines, true);
}

bool suite_kernel_log_is_error(const char *reason)
{
	return strncmp(reason, "unregistered", strlen("unregistered")) != 0;
}
