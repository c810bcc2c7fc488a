// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/test_report.h"

#include <string.h>

#include "harness/limits.h"

bool harness_reason_allowed_from_guest(enum ktstr_reason reason)
{
	switch (reason) {
	case KTSTR_REASON_CHECK:
	case KTSTR_REASON_EXPECTATION:
	case KTSTR_REASON_PAYLOAD:
	case KTSTR_REASON_TIMEOUT:
	case KTSTR_REASON_GUEST_OOM:
	case KTSTR_REASON_SCHED_LOAD:
	case KTSTR_REASON_SCHED_VERIFIER:
	case KTSTR_REASON_SCHED_ATTACH:
	case KTSTR_REASON_SCHED_EXIT:
	case KTSTR_REASON_SCHED_STOP:
	case KTSTR_REASON_LEFTOVER:
	case KTSTR_REASON_NEED:
	case KTSTR_REASON_NEEDS_KCONFIG:
	case KTSTR_REASON_NEEDS_SCX:
	case KTSTR_REASON_NEEDS_TOPOLOGY:
	case KTSTR_REASON_SETUP:
	case KTSTR_REASON_FILES:
	case KTSTR_REASON_TEST_CRASHED:
	case KTSTR_REASON_NO_EVIDENCE:
		return true;
	default:
		return false;
	}
}

static struct error *have_room(enum wire_report_kind kind, size_t n, size_t limit)
{
	if (n < limit)
		return NULL;
	return base_error(BASE_LIMIT, 0, "%s: more than %zu of them", wire_report_name(kind),
			  limit);
}

/* Moves one line's struct to the end of a list that has a limit. */
#define TAKE(list, item, kind, limit)                                   \
	({                                                              \
		struct error *err_ = have_room(kind, (list)->n, limit); \
		if (!err_) {                                            \
			vec_push(list, item);                           \
			memset(&(item), 0, sizeof(item));               \
		}                                                       \
		err_;                                                   \
	})

static struct error *take_begin(struct harness_test_report *r, struct exchange_line *line)
{
	r->begun = true;
	r->pid = line->begin.pid;
	r->test = take_ptr(line->begin.test);
	return NULL;
}

static struct error *take_stage(struct harness_test_report *r, struct exchange_line *line)
{
	enum wire_stage stage = line->stage.name;
	struct error *err = TAKE(&r->stages, line->stage, line->kind, HARNESS_LIMIT_REPORT_STAGES);

	if (err)
		return err;
	r->has_stage = true;
	r->stage = stage;
	return NULL;
}

static struct error *take_note(struct harness_test_report *r, struct exchange_line *line)
{
	return TAKE(&r->notes, line->note.text, line->kind, HARNESS_LIMIT_REPORT_NOTES);
}

static struct error *take_part(struct harness_test_report *r, struct exchange_line *line)
{
	if (!harness_reason_allowed_from_guest(line->part.reason))
		return base_error(BASE_PARSE, 0, "part: a test cannot know \"%s\"",
				  result_reason_name(line->part.reason));
	return TAKE(&r->parts, line->part, line->kind, HARNESS_LIMIT_REPORT_PARTS);
}

static struct error *take_started(struct harness_test_report *r, struct exchange_line *line)
{
	struct exchange_payload payload = { .name = line->started.name, .pid = line->started.pid };
	struct error *err = TAKE(&r->payloads, payload, line->kind, HARNESS_LIMIT_REPORT_PAYLOADS);

	if (!err)
		line->started.name = NULL;
	return err;
}

static struct exchange_payload *find_running(struct harness_test_report *r, const char *name,
					     uint32_t pid)
{
	for (size_t i = 0; i < r->payloads.n; i++) {
		struct exchange_payload *p = &r->payloads.at[i];

		if (!p->ended && p->pid == pid && strcmp(p->name, name) == 0)
			return p;
	}
	return NULL;
}

static size_t count_metrics(const struct harness_test_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->payloads.n; i++)
		n += r->payloads.at[i].metrics.n;
	return n;
}

/* What did not fit into the line is not lost silently. */
static void note_dropped(struct harness_test_report *r, const struct exchange_payload *payload)
{
	if (payload->metrics_dropped == 0 || r->notes.n >= HARNESS_LIMIT_REPORT_NOTES)
		return;
	vec_push(&r->notes, xasprintf("payload %s: %llu metrics more than a line can hold",
				      payload->name, (unsigned long long)payload->metrics_dropped));
}

static struct error *take_payload(struct harness_test_report *r, struct exchange_line *line)
{
	struct exchange_payload *end = &line->payload;
	struct exchange_payload *running = find_running(r, end->name, end->pid);

	if (count_metrics(r) + end->metrics.n > HARNESS_LIMIT_REPORT_METRICS)
		return base_error(BASE_LIMIT, 0, "payload: more than %d metrics",
				  HARNESS_LIMIT_REPORT_METRICS);
	if (!running)
		return base_error(BASE_PARSE, 0,
				  "payload: it was never started, or has ended before");
	note_dropped(r, end);
	exchange_payload_deinit(running);
	*running = *end;
	running->ended = true;
	*end = (struct exchange_payload){ 0 };
	return NULL;
}

static struct error *take_cgroup(struct harness_test_report *r, struct exchange_line *line)
{
	for (size_t i = 0; i < r->cgroups.n; i++)
		if (strcmp(r->cgroups.at[i].name, line->cgroup.name) == 0)
			return base_error(BASE_PARSE, 0, "cgroup: %s was reported before",
					  line->cgroup.name);
	return TAKE(&r->cgroups, line->cgroup, line->kind, HARNESS_LIMIT_REPORT_CGROUPS);
}

static struct error *take_worker(struct harness_test_report *r, struct exchange_line *line)
{
	return TAKE(&r->workers, line->worker, line->kind, HARNESS_LIMIT_REPORT_WORKERS);
}

static void replace(char **old, char **new)
{
	if (!*new)
		return;
	free(*old);
	*old = take_ptr(*new);
}

static struct error *take_scheduler(struct harness_test_report *r, struct exchange_line *line)
{
	struct exchange_scheduler_line *from = &line->scheduler;
	struct exchange_scheduler *s = &r->scheduler;

	if (s->ended || (from->state == EXCHANGE_STARTED && s->started) ||
	    (from->state == EXCHANGE_ATTACHED && (!s->started || s->attached)))
		return base_error(BASE_PARSE, 0, "scheduler.state cannot follow what came before");
	s->started |= from->state == EXCHANGE_STARTED;
	s->attached |= from->state == EXCHANGE_ATTACHED;
	/* A scheduler that failed may still run; its end is reported later. */
	s->ended |= from->state == EXCHANGE_ENDED;
	s->asked |= from->asked;
	if (from->has_attach_ms)
		s->attach_ms = from->attach_ms;
	if (from->has_restarts) {
		s->has_restarts = true;
		s->restarts = from->restarts;
	}
	if (from->pid)
		s->pid = from->pid;
	replace(&s->ops, &from->ops);
	replace(&s->end, &from->end);
	replace(&s->kernel_reason, &from->kernel_reason);
	replace(&s->events, &from->events);
	return NULL;
}

static struct exchange_text *find_text(struct harness_test_report *r, const char *name)
{
	for (size_t i = 0; i < r->texts.n; i++)
		if (strcmp(name, r->texts.at[i].name) == 0)
			return &r->texts.at[i];
	return NULL;
}

static struct error *take_file_chunk(struct harness_test_report *r, struct exchange_line *line)
{
	const struct strbuf *chunk = &line->text.text;
	struct exchange_text *kept = find_text(r, line->text.name);
	size_t n = chunk->n + (kept ? kept->text.n : 0);

	if (n > HARNESS_LIMIT_REPORT_TEXT_BYTES)
		return base_error(BASE_LIMIT, 0, "text: %s is longer than %d bytes",
				  line->text.name, HARNESS_LIMIT_REPORT_TEXT_BYTES);
	if (!kept)
		return TAKE(&r->texts, line->text, line->kind, HARNESS_LIMIT_REPORT_TEXTS);
	strbuf_append_bytes(&kept->text, chunk->at, chunk->n);
	return NULL;
}

static struct error *take_end(struct harness_test_report *r, struct exchange_line *line)
{
	if (line->end.parts != r->parts.n)
		return base_error(BASE_PARSE, 0, "end: %llu parts announced, %zu received",
				  (unsigned long long)line->end.parts, r->parts.n);
	r->ended = true;
	return NULL;
}

static struct error *(*const handlers[WIRE_N_REPORT_KINDS])(struct harness_test_report *,
							    struct exchange_line *) = {
	[WIRE_REPORT_BEGIN] = take_begin,
	[WIRE_REPORT_STAGE] = take_stage,
	[WIRE_REPORT_NOTE] = take_note,
	[WIRE_REPORT_PART] = take_part,
	[WIRE_REPORT_STARTED] = take_started,
	[WIRE_REPORT_PAYLOAD] = take_payload,
	[WIRE_REPORT_CGROUP] = take_cgroup,
	[WIRE_REPORT_WORKER] = take_worker,
	[WIRE_REPORT_SCHEDULER] = take_scheduler,
	[WIRE_REPORT_TEXT] = take_file_chunk,
	[WIRE_REPORT_END] = take_end,
};

static struct error *check_order(const struct harness_test_report *r, enum wire_report_kind kind)
{
	const char *word = wire_report_name(kind);

	if (r->ended)
		return base_error(BASE_PARSE, 0, "%s: it comes after the end", word);
	if (!r->begun && kind != WIRE_REPORT_BEGIN)
		return base_error(BASE_PARSE, 0, "%s: it comes before the begin", word);
	if (r->begun && kind == WIRE_REPORT_BEGIN)
		return base_error(BASE_PARSE, 0, "begin: given twice");
	return NULL;
}

/* Without its newline. An error leaves the report as it was. */
static struct error *add_line(struct harness_test_report *r, const char *text, size_t n)
{
	struct exchange_line line;
	struct error *err = exchange_line_parse(text, n, &line);

	if (err)
		return err;
	err = check_order(r, line.kind);
	if (!err)
		err = handlers[line.kind](r, &line);
	exchange_line_deinit(&line);
	return err;
}

/* Each element by the rows of its line, then the list. */
#define DEINIT_LIST(list, kind)                                                 \
	do {                                                                    \
		for (size_t i_ = 0; i_ < (list)->n; i_++)                       \
			json_rows_deinit(exchange_rows[kind], &(list)->at[i_]); \
		vec_deinit(list);                                               \
	} while (0)

void harness_test_report_deinit(struct harness_test_report *r)
{
	char *texts[] = { r->test, r->scheduler.ops, r->scheduler.end, r->scheduler.kernel_reason,
			  r->scheduler.events };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	for (size_t i = 0; i < r->notes.n; i++)
		free(r->notes.at[i]);
	vec_deinit(&r->notes);
	DEINIT_LIST(&r->stages, WIRE_REPORT_STAGE);
	DEINIT_LIST(&r->parts, WIRE_REPORT_PART);
	DEINIT_LIST(&r->payloads, WIRE_REPORT_PAYLOAD);
	DEINIT_LIST(&r->workers, WIRE_REPORT_WORKER);
	DEINIT_LIST(&r->cgroups, WIRE_REPORT_CGROUP);
	DEINIT_LIST(&r->texts, WIRE_REPORT_TEXT);
	strbuf_deinit(&r->partial_);
	*r = (struct harness_test_report){ 0 };
}

static struct error *take_line(struct harness_test_report *r, const char *line, size_t n)
{
	r->lines_++;
	return error_wrap(add_line(r, line, n), "line %llu of the report",
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
