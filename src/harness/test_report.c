// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/test_report.h"

#include <string.h>

void harness_test_report_deinit(struct harness_test_report *r)
{
	char *texts[] = { r->test, r->scheduler.ops, r->scheduler.end, r->scheduler.kernel_reason,
			  r->scheduler.events };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	for (size_t i = 0; i < r->parts.n; i++) {
		free(r->parts.at[i].text);
		free(r->parts.at[i].file);
	}
	for (size_t i = 0; i < r->notes.n; i++)
		free(r->notes.at[i]);
	for (size_t i = 0; i < r->payloads.n; i++)
		exchange_payload_deinit(&r->payloads.at[i]);
	for (size_t i = 0; i < r->workers.n; i++)
		exchange_worker_deinit(&r->workers.at[i]);
	for (size_t i = 0; i < r->cgroups.n; i++)
		free(r->cgroups.at[i].name);
	for (size_t i = 0; i < r->texts.n; i++) {
		free(r->texts.at[i].name);
		strbuf_deinit(&r->texts.at[i].text);
	}
	vec_deinit(&r->stages);
	vec_deinit(&r->parts);
	vec_deinit(&r->notes);
	vec_deinit(&r->payloads);
	vec_deinit(&r->workers);
	vec_deinit(&r->cgroups);
	vec_deinit(&r->texts);
	strbuf_deinit(&r->partial_);
	*r = (struct harness_test_report){ 0 };
}

static struct error *take_line(struct harness_test_report *r, const char *line, size_t n)
{
	r->lines_++;
	return error_wrap(harness_report_line_take(r, line, n), "line %llu of the report",
			  (unsigned long long)r->lines_);
}

static struct error *too_long(const struct harness_test_report *r)
{
	return base_error(BASE_LIMIT, 0, "line %llu of the report is longer than %d bytes",
			  (unsigned long long)r->lines_ + 1, WIRE_REPORT_LINE_BYTES);
}

/* Up to the newline at `end`, with what came of the line before. */
static struct error *finish_line(struct harness_test_report *r, const char *at, size_t n)
{
	struct error *err;

	/* The newline counts. */
	if (r->partial_.n + n >= WIRE_REPORT_LINE_BYTES)
		return too_long(r);
	if (r->partial_.n == 0)
		return take_line(r, at, n);
	strbuf_append_bytes(&r->partial_, at, n);
	err = take_line(r, strbuf_str(&r->partial_), r->partial_.n);
	strbuf_clear(&r->partial_);
	return err;
}

struct error *harness_test_report_take(struct harness_test_report *r, const void *bytes, size_t n)
{
	const char *at = bytes, *end = at + n;

	if (n > WIRE_REPORT_TOTAL_BYTES - r->bytes_)
		return base_error(BASE_LIMIT, 0, "the report is longer than %d bytes",
				  WIRE_REPORT_TOTAL_BYTES);
	r->bytes_ += n;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct error *err;

		if (!newline) {
			size_t left = (size_t)(end - at);

			if (r->partial_.n + left >= WIRE_REPORT_LINE_BYTES)
				return too_long(r);
			strbuf_append_bytes(&r->partial_, at, left);
			return NULL;
		}
		err = finish_line(r, at, (size_t)(newline - at));
		if (err)
			return err;
		at = newline + 1;
	}
	return NULL;
}

struct error *harness_test_report_finish(struct harness_test_report *r)
{
	if (r->partial_.n == 0)
		return NULL;
	strbuf_clear(&r->partial_);
	return base_error(BASE_PARSE, 0, "the report ends inside its line %llu",
			  (unsigned long long)r->lines_ + 1);
}
