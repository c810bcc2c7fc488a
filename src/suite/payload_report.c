// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/payload.h"

#include <ctype.h>
#include <string.h>

#include "base/clock.h"

enum {
	/* One byte in JSON is at most "\u001f", or U+FFFD for one that is no UTF-8. */
	ESCAPED_BYTES = 6,
	/* Brackets, and the member that says how much was left out. */
	LINE_RESERVE = 64,
	/* What {"name":"","value":}, needs besides its two texts. */
	METRIC_FRAME = 24,
	/* Of a payload's name in the name of a file. */
	TEXT_NAME_BYTES = 40,
};

/* Room in the open line, and in what all payloads of the test may tell. */
static bool fits(const struct ktstr_payload *payload, uint64_t bytes)
{
	const struct suite_payload_set *set = payload->ctx->payloads;

	return suite_report_line_room(&payload->ctx->report) >= bytes + LINE_RESERVE &&
	       set->reported_bytes + bytes <= SUITE_LIMIT_PAYLOAD_REPORTED_BYTES;
}

void suite_payload_report_started(const struct ktstr_payload *payload, const char *const *argv)
{
	struct suite_report_writer *report = &payload->ctx->report;
	struct json_writer *w = suite_report_open_line(report, WIRE_REPORT_STARTED);
	struct exchange_started head = { .name = EXCHANGE_BORROW(payload->name),
					 .pid = (uint32_t)payload->pid };
	uint64_t dropped = 0;

	json_rows_write_members(&exchange_started_head, &head, w);
	json_open_array(w, "argv");
	for (size_t i = 0; argv[i]; i++) {
		size_t n = strnlen(argv[i], SUITE_LIMIT_PAYLOAD_ARG_BYTES);
		bool room = !dropped && fits(payload, n * ESCAPED_BYTES + 3);

		if (!room && i > 0) {
			dropped++;
			continue;
		}
		if (!room)
			n = strnlen(argv[i], SUITE_LIMIT_PAYLOAD_NAME_BYTES);
		json_write_string_n(w, argv[i], n);
		payload->ctx->payloads->reported_bytes += n + 3;
	}
	json_end_array(w);
	if (dropped)
		json_add_u64(w, "argv_dropped", dropped);
	suite_report_close_line(report);
}

/* The runner takes C strings for names. */
static bool can_be_told(const struct ktstr_payload *payload, struct json_text name,
			struct json_text number)
{
	return !memchr(name.at, '\0', name.n) &&
	       payload->ctx->payloads->reported_metrics < SUITE_LIMIT_PAYLOAD_REPORTED_METRICS &&
	       fits(payload, (uint64_t)name.n * ESCAPED_BYTES + number.n + METRIC_FRAME);
}

static void add_metrics(const struct ktstr_payload *payload, struct json_writer *w)
{
	const struct ktstr_metrics *metrics = payload->result;
	struct suite_payload_set *set = payload->ctx->payloads;
	uint64_t dropped = 0;

	json_open_array(w, "metrics");
	for (size_t i = 0; i < metrics->all.n; i++) {
		struct json_text name = suite_metric_name(metrics, &metrics->all.at[i]);
		struct json_text number = suite_metric_number(metrics, &metrics->all.at[i]);

		if (!can_be_told(payload, name, number)) {
			dropped++;
			continue;
		}
		set->reported_metrics++;
		set->reported_bytes += name.n + number.n + METRIC_FRAME;
		json_begin_object(w);
		json_key(w, "name");
		json_write_string_n(w, name.at, name.n);
		json_key(w, "value");
		json_write_number_text(w, number);
		json_end_object(w);
	}
	json_end_array(w);
	json_add_u64(w, "metrics_dropped", dropped);
}

void suite_payload_report_ended(const struct ktstr_payload *payload)
{
	struct suite_report_writer *report = &payload->ctx->report;
	const struct ktstr_metrics *metrics = payload->result;
	struct exchange_payload head = {
		.name = EXCHANGE_BORROW(payload->name),
		.pid = (uint32_t)payload->pid,
		.exit_code = metrics->exit_code,
		.timed_out = metrics->timed_out,
		.by_cleanup = metrics->by_cleanup,
		.wall_ms = metrics->wall_ns / NS_PER_MS,
		.stdout_bytes = metrics->out.total,
		.stderr_bytes = metrics->err.total,
		.dropped_bytes = suite_capture_dropped(&metrics->out) +
				 suite_capture_dropped(&metrics->err),
		.stream = EXCHANGE_BORROW(metrics->stream),
		.hints = { payload->hints.at, payload->hints.n, 0 },
	};
	struct json_writer *w;

	if (!metrics->exit_known)
		return;
	w = suite_report_open_line(report, WIRE_REPORT_PAYLOAD);
	json_rows_write_members(&exchange_payload_head, &head, w);
	add_metrics(payload, w);
	suite_report_close_line(report);
}

/* "payload-4711-probe.stdout": a runner takes letters, digits and "._-" in names of texts. */
static char *text_name(const struct ktstr_payload *payload, const char *stream)
{
	const char *slash = strrchr(payload->name, '/');
	const char *name = slash ? slash + 1 : payload->name;
	struct strbuf text = STRBUF_INIT;

	strbuf_appendf(&text, "payload-%d-", (int)payload->pid);
	for (size_t i = 0; name[i] && i < TEXT_NAME_BYTES; i++)
		strbuf_append_char(&text, isalnum((unsigned char)name[i]) || name[i] == '-' ||
							  name[i] == '_' || name[i] == '.'
						  ? name[i]
						  : '_');
	strbuf_appendf(&text, ".%s", stream);
	return strbuf_take(&text);
}

static void report_stream(const struct ktstr_payload *payload, const char *stream,
			  const struct suite_capture *capture)
{
	_cleanup_free_ char *name = text_name(payload, stream);
	size_t skipped = capture->n > SUITE_PAYLOAD_REPORTED_TEXT_BYTES
				 ? capture->n - SUITE_PAYLOAD_REPORTED_TEXT_BYTES
				 : 0;

	if (capture->n == 0 ||
	    payload->ctx->payloads->reported_texts == SUITE_LIMIT_PAYLOAD_REPORTED_TEXTS)
		return;
	payload->ctx->payloads->reported_texts++;
	if (skipped) {
		_cleanup_free_ char *cut = xasprintf("[%zu bytes before this]\n", skipped);

		suite_report_text(&payload->ctx->report, name, cut, strlen(cut));
	}
	suite_report_text(&payload->ctx->report, name, capture->at + skipped, capture->n - skipped);
}

void suite_payload_report_output(const struct ktstr_payload *payload)
{
	report_stream(payload, "stdout", &payload->result->out);
	report_stream(payload, "stderr", &payload->result->err);
}
