// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/scheduler.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void suite_stream_init(struct suite_stream *stream, int fd, size_t head_limit, size_t tail_limit)
{
	*stream = (struct suite_stream){ .fd = fd,
					 .head_limit = head_limit,
					 .tail_limit = tail_limit };
}

void suite_stream_deinit(struct suite_stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
	strbuf_deinit(&stream->head);
	strbuf_deinit(&stream->tail);
}

void suite_stream_take(struct suite_stream *stream, const char *bytes, size_t n)
{
	size_t room = stream->head_limit - stream->head.n, more;

	stream->bytes += n;
	if (room > n)
		room = n;
	strbuf_append_bytes(&stream->head, bytes, room);
	strbuf_append_bytes(&stream->tail, bytes + room, n - room);
	if (stream->tail.n <= 2 * stream->tail_limit)
		return;
	/* Seldom: it costs a move of the whole tail. */
	more = stream->tail.n - stream->tail_limit;
	memmove(stream->tail.at, stream->tail.at + more, stream->tail_limit + 1);
	stream->tail.n = stream->tail_limit;
}

void suite_stream_pump(struct suite_stream *stream)
{
	char bytes[16384];

	/* One that prints faster than we read must not keep us here. */
	for (int i = 0; i < 64 && stream->fd >= 0; i++) {
		ssize_t n = read(stream->fd, bytes, sizeof(bytes));

		if (n > 0) {
			suite_stream_take(stream, bytes, (size_t)n);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		close(stream->fd);
		stream->fd = -1;
	}
}

void suite_stream_text(const struct suite_stream *stream, struct strbuf *into)
{
	size_t kept = stream->tail.n < stream->tail_limit ? stream->tail.n : stream->tail_limit;
	uint64_t missing = stream->bytes - stream->head.n - kept;

	strbuf_append_bytes(into, strbuf_str(&stream->head), stream->head.n);
	if (missing)
		strbuf_appendf(into, "\n[ktstr: %llu bytes are missing here]\n",
			       (unsigned long long)missing);
	strbuf_append_bytes(into, strbuf_str(&stream->tail) + stream->tail.n - kept, kept);
}

bool suite_stream_line_speaks_of_failure(const char *line, size_t n)
{
	static const char *const words[] = { "error", "fail", "invalid", "unrecognized",
					     "panicked" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t word = strlen(words[i]);

		for (size_t at = 0; at + word <= n; at++)
			if (strncasecmp(line + at, words[i], word) == 0)
				return true;
	}
	return false;
}

char *suite_stream_last_words(const struct suite_stream *stream, size_t limit_bytes)
{
	static const char blank[] = " \t\r\v\f";
	_cleanup_strbuf_ struct strbuf all = STRBUF_INIT;
	const char *last = NULL, *telling = NULL;
	char *rest, *line;

	suite_stream_text(stream, &all);
	rest = all.at;
	while ((line = strsep(&rest, "\n"))) {
		line += strspn(line, blank);
		if (!*line)
			continue;
		last = line;
		if (suite_stream_line_speaks_of_failure(line, strlen(line)))
			telling = line;
	}
	if (telling)
		last = telling;
	return last ? xstrndup(last, limit_bytes) : NULL;
}
