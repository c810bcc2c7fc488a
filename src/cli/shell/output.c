// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "base/io.h"
#include "text/escape.h"

enum {
	/* A signal that came just before poll() is seen this much later. */
	SLICE_MS = 100,
	/* What a pipe takes at once when poll() says that it takes something. */
	PIECE = PIPE_BUF,
};

struct error *output_write(int fd, const char *label, const void *bytes, size_t n,
			   const struct cancel *cancel)
{
	const char *at = bytes;

	while (n) {
		struct pollfd p = { .fd = fd, .events = POLLOUT };
		struct error *err = cancel_error(cancel, "writing output");
		ssize_t done;

		if (err)
			return err;
		if (poll(&p, 1, SLICE_MS) <= 0)
			continue;
		done = write(fd, at, n < PIECE ? n : PIECE);
		if (done < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (done < 0)
			return base_error(BASE_IO, errno, "cannot write to %s", label);
		at += done;
		n -= (size_t)done;
	}
	return NULL;
}

void output_say(const char *text)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	for (; *text; text++) {
		if (*text == '\n' && tty_is_raw())
			strbuf_append_char(&out, '\r');
		strbuf_append_char(&out, *text);
	}
	/* Nobody is left to tell when standard error itself is gone. */
	error_free(io_write_all(STDERR_FILENO, "standard error", strbuf_str(&out), out.n));
}

void output_say_line(const char *line)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	strbuf_append(&out, "ktstr: ");
	text_escape(&out, line);
	strbuf_append_char(&out, '\n');
	output_say(strbuf_str(&out));
}
