// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/report_writer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/utf8.h"
#include "suite/reason.h"
#include "suite/report_text.h"

void report_writer_init(struct report_writer *report, int fd, uint64_t from_ns)
{
	*report = (struct report_writer){ .fd = fd, .from_ns = from_ns };
	pthread_mutex_init(&report->lock_, NULL);
}

void report_writer_deinit(struct report_writer *report)
{
	if (report->fd >= 0)
		close(report->fd);
	report->fd = -1;
	strbuf_deinit(&report->line_);
	pthread_mutex_destroy(&report->lock_);
}

struct error *report_writer_open(struct report_writer *ret)
{
	const char *text = getenv(WIRE_REPORT_ENV);
	char *end;
	long fd;

	if (!text) {
		report_writer_init(ret, -1, clock_monotonic_ns());
		return NULL;
	}
	errno = 0;
	fd = strtol(text, &end, 10);
	if (errno || !*text || *end || fd < 0 || fd > INT32_MAX)
		return base_error(BASE_PARSE, 0, "%s=%s is no descriptor", WIRE_REPORT_ENV, text);
	/* Nobody we start shall write into the report. */
	if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "%s=%s", WIRE_REPORT_ENV, text);
	unsetenv(WIRE_REPORT_ENV);
	report_writer_init(ret, (int)fd, clock_monotonic_ns());
	return NULL;
}

static _Noreturn void give_up(const char *why)
{
	fprintf(stderr, "ktstr: the report of this test is not complete: %s\n", why);
	fflush(NULL);
	_exit(SUITE_EXIT_REPORT);
}

static void write_line(struct report_writer *report, const char *line, size_t n)
{
	_cleanup_error_ struct error *err = NULL;

	report->bytes_ += n;
	if (report->fd < 0) {
		report_text_print(stderr, line, n);
		return;
	}
	err = io_write_all(report->fd, "report", line, n);
	if (err)
		give_up(error_message(err));
}

struct json_writer *report_open_line(struct report_writer *report, enum wire_report_kind kind)
{
	pthread_mutex_lock(&report->lock_);
	strbuf_clear(&report->line_);
	report->json_ = json_writer_to(&report->line_, JSON_COMPACT);
	json_begin_object(&report->json_);
	json_add_string(&report->json_, "report", wire_report_word(kind));
	return &report->json_;
}

size_t report_line_room(const struct report_writer *report)
{
	/* The brace and the newline that close it. */
	size_t used = report->line_.n + 2;

	return used < WIRE_REPORT_LINE_BYTES ? WIRE_REPORT_LINE_BYTES - used : 0;
}

void report_add_text(struct report_writer *report, const char *key, const char *text)
{
	size_t n, kept;

	if (!text)
		return;
	n = strlen(text);
	kept = utf8_cut(text, n, SUITE_LIMIT_TEXT);
	if (kept == n) {
		json_add_string(&report->json_, key, text);
	} else {
		_cleanup_strbuf_ struct strbuf cut = STRBUF_INIT;

		strbuf_append_bytes(&cut, text, kept);
		strbuf_appendf(&cut, "… (%zu bytes more)", n - kept);
		json_add_string(&report->json_, key, cut.at);
	}
}

static bool line_is(const char *line, size_t n, enum wire_report_kind kind)
{
	char start[64];
	int length = snprintf(start, sizeof(start), "{\"report\":\"%s\"", wire_report_word(kind));

	return n >= (size_t)length && memcmp(line, start, (size_t)length) == 0;
}

void report_close_line(struct report_writer *report)
{
	json_end_object(&report->json_);
	strbuf_append_char(&report->line_, '\n');
	if (report->line_.n > WIRE_REPORT_LINE_BYTES)
		give_up("a line is too long");
	report->parts += line_is(report->line_.at, report->line_.n, WIRE_REPORT_PART);
	write_line(report, report->line_.at, report->line_.n);
	pthread_mutex_unlock(&report->lock_);
}

void report_forward(struct report_writer *report, const char *line, size_t n)
{
	bool part = line_is(line, n, WIRE_REPORT_PART), note = line_is(line, n, WIRE_REPORT_NOTE);
	bool text = line_is(line, n, WIRE_REPORT_TEXT);
	/* Notes must not drown a failure: without its part the test would have passed. */
	uint64_t room = SUITE_LIMIT_REPORT_BYTES + (part ? SUITE_LIMIT_PARTS_BYTES : 0);

	/* A loop of EXPECTs must not drown the rest, least of all what we have to say. */
	if (n > WIRE_REPORT_LINE_BYTES || (part && report->parts >= SUITE_LIMIT_PARTS) ||
	    (note && report->notes_ >= SUITE_LIMIT_NOTES) ||
	    ((part || note || text) && report->bytes_ + n > room)) {
		report->dropped_++;
		return;
	}
	report->parts += part;
	report->notes_ += note;
	write_line(report, line, n);
}

void report_begin(struct report_writer *report, const char *test)
{
	struct json_writer *w = report_open_line(report, WIRE_REPORT_BEGIN);

	report_add_text(report, "test", test);
	json_add_u64(w, "api", KTSTR_API_VERSION);
	json_add_i64(w, "pid", getpid());
	report_close_line(report);
}

void report_stage(struct report_writer *report, enum wire_stage stage)
{
	struct json_writer *w = report_open_line(report, WIRE_REPORT_STAGE);

	json_add_string(w, "name", wire_stage_word(stage));
	json_add_u64(w, "at_ms", (clock_monotonic_ns() - report->from_ns) / NS_PER_MS);
	report_close_line(report);
}

void report_note(struct report_writer *report, const char *text)
{
	report_open_line(report, WIRE_REPORT_NOTE);
	report_add_text(report, "text", text);
	report_close_line(report);
}

void report_part(struct report_writer *report, enum ktstr_reason reason, const char *file, int line,
		 const char *text)
{
	struct json_writer *w = report_open_line(report, WIRE_REPORT_PART);

	json_add_string(w, "reason", suite_reason_word(reason));
	report_add_text(report, "text", text);
	if (file) {
		report_add_text(report, "file", file);
		json_add_i64(w, "line", line);
	}
	report_close_line(report);
}

void report_partf(struct report_writer *report, enum ktstr_reason reason, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	report_part(report, reason, NULL, 0, text ? text : fmt);
}

void report_text(struct report_writer *report, const char *name, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n) {
		size_t piece = utf8_cut(at, n, SUITE_LIMIT_PIECE);
		struct json_writer *w = report_open_line(report, WIRE_REPORT_TEXT);

		json_add_string(w, "name", name);
		json_key(w, "text");
		json_write_string_n(w, at, piece);
		report_close_line(report);
		at += piece;
		n -= piece;
	}
}

void report_end(struct report_writer *report)
{
	struct json_writer *w;

	if (report->dropped_) {
		_cleanup_free_ char *text = xasprintf(
			"lines of the test's function dropped, since there were too many: %llu",
			(unsigned long long)report->dropped_);

		report_note(report, text);
	}
	w = report_open_line(report, WIRE_REPORT_END);
	json_add_u64(w, "parts", report->parts);
	report_close_line(report);
}
