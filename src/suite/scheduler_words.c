// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/scheduler.h"

#include <string.h>

#include "base/slice.h"

#define LOG_BEGIN "-- BEGIN PROG LOAD LOG --"
#define LOG_END	  "-- END PROG LOAD LOG --"

enum { LOAD_LINES = 3 };

static char *own_words(const struct suite_stream *out, const struct suite_stream *err)
{
	char *own = suite_stream_last_words(err, SUITE_LIMIT_LAST_WORDS);

	return own ? own : suite_stream_last_words(out, SUITE_LIMIT_LAST_WORDS);
}

char *suite_scheduler_words_of_end(const char *kernel, const struct suite_stream *out,
				   const struct suite_stream *err)
{
	_cleanup_free_ char *own = NULL;

	if (kernel && suite_kernel_log_is_error(kernel))
		return xasprintf("; the kernel says: %s", kernel);
	own = own_words(out, err);
	return xasprintf("%s%s%s%s", kernel ? "; the kernel says: " : "", kernel ? kernel : "",
			 own ? "; it says: " : "", own ? own : "");
}

static bool contains(struct slice line, const char *text)
{
	return line.n && memmem(line.at, line.n, text, strlen(text));
}

static void append_line(struct strbuf *into, struct slice line)
{
	size_t n = line.n < SUITE_LIMIT_LAST_WORDS ? line.n : SUITE_LIMIT_LAST_WORDS;

	if (into->n)
		strbuf_append(into, "; ");
	strbuf_append_bytes(into, line.at, n);
}

char *suite_scheduler_words_of_load(const char *output)
{
	struct slice rest = { output, strlen(output) }, line, last = { 0 }, telling = { 0 };
	struct strbuf text = STRBUF_INIT;
	int lines = 0;

	while (slice_take_line(&rest, &line)) {
		line = slice_trim(line);
		if (!line.n)
			continue;
		last = line;
		if (!suite_stream_line_speaks_of_failure(line.at, line.n))
			continue;
		if (telling.n == line.n && memcmp(telling.at, line.at, line.n) == 0)
			continue;
		telling = line;
		if (lines < LOAD_LINES - 1)
			append_line(&text, line);
		lines++;
	}
	if (lines > LOAD_LINES)
		strbuf_append(&text, "; …");
	if (lines >= LOAD_LINES)
		append_line(&text, telling);
	else if (!lines && last.n)
		append_line(&text, last);
	return text.n ? strbuf_take(&text) : NULL;
}

/* 'fifo_init' of "libbpf: prog 'fifo_init': -- BEGIN PROG LOAD LOG --". */
static struct slice program_of(struct slice line)
{
	const char *from = memmem(line.at, line.n, "prog '", strlen("prog '"));
	const char *to;

	if (!from)
		return (struct slice){ 0 };
	from += strlen("prog ");
	to = memchr(from + 1, '\'', line.n - (size_t)(from + 1 - line.at));
	return to ? (struct slice){ from, (size_t)(to + 1 - from) } : (struct slice){ 0 };
}

char *suite_scheduler_words_of_verifier(const char *output)
{
	struct slice rest = { output, strlen(output) }, line, program = { 0 }, why = { 0 };
	bool inside = false;

	while (slice_take_line(&rest, &line)) {
		line = slice_trim(line);
		if (contains(line, LOG_BEGIN)) {
			/* libbpf tries again with more words: the last log counts. */
			inside = true;
			program = program_of(line);
			why = (struct slice){ 0 };
		} else if (contains(line, LOG_END) || contains(line, " insns (limit ")) {
			inside = false;
		} else if (inside && line.n) {
			why = line;
		}
	}
	if (!program.n && !why.n && !strstr(output, LOG_BEGIN))
		return NULL;
	if (why.n > SUITE_LIMIT_LAST_WORDS)
		why.n = SUITE_LIMIT_LAST_WORDS;
	return xasprintf("%s%.*s%s%.*s", program.n ? "program " : "a program", (int)program.n,
			 program.n ? program.at : "", why.n ? ": " : "", (int)why.n,
			 why.n ? why.at : "");
}
