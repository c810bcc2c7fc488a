// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/report_writer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/utf8.h"
#include "json/doc.h"

void suite_report_writer_init(struct suite_report_writer *report, int fd, uint64_t from_ns)
{
	*report = (struct suite_report_writer){ .fd = fd, .from_ns = from_ns };
	pthread_mutex_init(&report->lock_, NULL);
}

void suite_report_writer_deinit(struct suite_report_writer *report)
{
	if (report->fd >= 0)
		close(report->fd);
	report->fd = -1;
	strbuf_deinit(&report->line_);
	pthread_mutex_destroy(&report->lock_);
}

struct error *suite_report_writer_open(struct suite_report_writer *ret)
{
	const char *text = getenv(WIRE_REPORT_ENV);
	char *end;
	long fd;

	if (!text) {
		suite_report_writer_init(ret, -1, clock_monotonic_ns());
		return NULL;
	}
	errno = 0;
	fd = strtol(text, &end, 10);
	if (errno || !*text || *end || fd < 0 || fd > INT32_MAX)
		return base_error(BASE_PARSE, 0, "%s=%s is not a descriptor", WIRE_REPORT_ENV,
				  text);
	/* Children must not write into the report. */
	if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "%s=%s", WIRE_REPORT_ENV, text);
	unsetenv(WIRE_REPORT_ENV);
	suite_report_writer_init(ret, (int)fd, clock_monotonic_ns());
	return NULL;
}

static _Noreturn void give_up(const char *why)
{
	fprintf(stderr, "ktstr: the report of this test is not complete: %s\n", why);
	fflush(NULL);
	_exit(SUITE_EXIT_REPORT);
}

static void write_line(struct suite_report_writer *report, const char *line, size_t n)
{
	_cleanup_error_ struct error *err = NULL;

	report->bytes_ += n;
	if (report->fd < 0) {
		suite_report_text_print(stderr, line, n);
		return;
	}
	err = io_write_all(report->fd, "report", line, n);
	if (err)
		give_up(error_message(err));
}

struct json_writer *suite_report_open_line(struct suite_report_writer *report,
					   enum wire_report_kind kind)
{
	pthread_mutex_lock(&report->lock_);
	strbuf_clear(&report->line_);
	report->json_ = json_writer_to(&report->line_, JSON_COMPACT);
	json_begin_object(&report->json_);
	json_add_string(&report->json_, "report", wire_report_name(kind));
	return &report->json_;
}

size_t suite_report_line_room(const struct suite_report_writer *report)
{
	/* The brace and the newline that close it. */
	size_t used = report->line_.n + 2;

	return used < WIRE_REPORT_LINE_BYTES ? WIRE_REPORT_LINE_BYTES - used : 0;
}

static bool line_is(const char *line, size_t n, enum wire_report_kind kind)
{
	char start[64];
	int length = snprintf(start, sizeof(start), "{\"report\":\"%s\"", wire_report_name(kind));

	return n >= (size_t)length && memcmp(line, start, (size_t)length) == 0;
}

void suite_report_close_line(struct suite_report_writer *report)
{
	json_end_object(&report->json_);
	strbuf_append_char(&report->line_, '\n');
	if (report->line_.n > WIRE_REPORT_LINE_BYTES)
		give_up("a line is too long");
	report->parts += line_is(report->line_.at, report->line_.n, WIRE_REPORT_PART);
	write_line(report, report->line_.at, report->line_.n);
	pthread_mutex_unlock(&report->lock_);
}

void suite_report_forward(struct suite_report_writer *report, const char *line, size_t n)
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

void suite_report_write(struct suite_report_writer *report, enum wire_report_kind kind,
			const void *of)
{
	struct json_writer *w = suite_report_open_line(report, kind);

	json_rows_write_members(exchange_rows[kind], of, w);
	suite_report_close_line(report);
}

void suite_report_begin(struct suite_report_writer *report, const char *test)
{
	suite_report_write(report, WIRE_REPORT_BEGIN,
			   &(struct exchange_begin){ .test = EXCHANGE_BORROW(test),
						     .api = KTSTR_API_VERSION,
						     .pid = (uint32_t)getpid() });
}

void suite_report_stage(struct suite_report_writer *report, enum wire_stage stage)
{
	uint64_t at_ms = (clock_monotonic_ns() - report->from_ns) / NS_PER_MS;

	suite_report_write(report, WIRE_REPORT_STAGE, &(struct exchange_stage){ stage, at_ms });
}

void suite_report_note(struct suite_report_writer *report, const char *text)
{
	suite_report_write(report, WIRE_REPORT_NOTE,
			   &(struct exchange_note){ EXCHANGE_BORROW(text) });
}

void suite_report_part(struct suite_report_writer *report, enum ktstr_reason reason,
		       const char *file, int line, const char *text)
{
	suite_report_write(report, WIRE_REPORT_PART,
			   &(struct exchange_part){ .reason = reason,
						    .text = EXCHANGE_BORROW(text),
						    .file = EXCHANGE_BORROW(file),
						    .line = line });
}

void suite_report_partf(struct suite_report_writer *report, enum ktstr_reason reason,
			const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	suite_report_part(report, reason, NULL, 0, text);
}

void suite_report_text(struct suite_report_writer *report, const char *name, const void *bytes,
		       size_t n)
{
	const char *at = bytes;

	while (n) {
		size_t piece = utf8_cut(at, n, SUITE_LIMIT_PIECE);

		suite_report_write(report, WIRE_REPORT_TEXT,
				   &(struct exchange_text){
					   .name = EXCHANGE_BORROW(name),
					   .text = { .at = EXCHANGE_BORROW(at), .n = piece } });
		at += piece;
		n -= piece;
	}
}

void suite_report_end(struct suite_report_writer *report)
{
	if (report->dropped_) {
		_cleanup_free_ char *text = xasprintf(
			"lines of the test's function dropped, since there were too many: %llu",
			(unsigned long long)report->dropped_);

		suite_report_note(report, text);
	}
	suite_report_write(report, WIRE_REPORT_END, &(struct exchange_end){ report->parts });
}

static void append_value(struct strbuf *out, const struct json_value *value)
{
	struct json_text number = json_number_text(value), text = json_string(value);
	bool truth;

	if (text.at)
		strbuf_append_bytes(out, text.at, text.n);
	else if (number.at)
		strbuf_append_bytes(out, number.at, number.n);
	else if (json_get_bool(value, &truth))
		strbuf_append(out, truth ? "yes" : "no");
	else
		strbuf_appendf(out, "(%zu)", json_length(value));
}

static void append_part(struct strbuf *out, const struct json_value *root)
{
	const struct json_value *file = json_find(root, "file");

	strbuf_append(out, "part [");
	append_value(out, json_find(root, "reason"));
	strbuf_append(out, "] ");
	append_value(out, json_find(root, "text"));
	if (file) {
		strbuf_append(out, " (");
		append_value(out, file);
		strbuf_append_char(out, ':');
		append_value(out, json_find(root, "line"));
		strbuf_append_char(out, ')');
	}
}

void suite_report_text_print(FILE *to, const char *line, size_t n)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct error *err = json_doc_parse(line, n, "report", &doc);
	const struct json_value *root;
	struct json_text word;

	if (err) {
		error_free(err);
		fwrite(line, 1, n, to);
		return;
	}
	root = json_doc_root(doc);
	word = json_string(json_find(root, "report"));
	if (json_text_is(word, "part")) {
		append_part(&out, root);
	} else {
		struct json_iter it = json_iter_over(root);

		while (json_iter_next(&it)) {
			if (it.index == 0) {
				append_value(&out, it.value);
				continue;
			}
			strbuf_append_char(&out, ' ');
			strbuf_append_bytes(&out, it.key.at, it.key.n);
			strbuf_append_char(&out, '=');
			append_value(&out, it.value);
		}
	}
	fprintf(to, "%s\n", strbuf_str(&out));
}
