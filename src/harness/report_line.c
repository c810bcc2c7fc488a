// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/report_line.h"

#include <limits.h>
#include <string.h>

#include "harness/limits.h"
#include "harness/report_members.h"

bool report_reason_is_the_guests(enum ktstr_reason reason)
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

void reported_payload_deinit(struct exchange_payload *p)
{
	free(p->name);
	free(p->stream);
	for (size_t i = 0; i < p->metrics.n; i++) {
		free(p->metrics.at[i].name);
		free(p->metrics.at[i].number);
	}
	vec_deinit(&p->metrics);
	*p = (struct exchange_payload){ 0 };
}

static void take_begin(struct test_report *r, struct members *m)
{
	_cleanup_free_ char *test = members_take_name(m, "test");
	uint32_t pid;

	if (members_u64(m, "api") != KTSTR_API_VERSION)
		members_wrong(m, "api", "is of another version: build runner and test of one");
	pid = members_u32(m, "pid");
	if (m->err)
		return;
	r->begun = true;
	r->pid = pid;
	r->test = take_ptr(test);
}

static void take_stage(struct test_report *r, struct members *m)
{
	struct json_text name = members_string(m, "name", false);
	enum wire_stage stage = WIRE_STAGE_SETUP;

	uint64_t at_ms = members_u64(m, "at_ms");

	if (!m->err && !wire_stage_find(name.at, name.n, &stage))
		members_wrong(m, "name", "is no stage");
	if (!members_have_room(m, r->stages.n, REPORT_STAGES_LIMIT))
		return;
	vec_push(&r->stages, (struct reported_stage){ stage, at_ms });
	r->has_stage = true;
	r->stage = stage;
}

static void take_note(struct test_report *r, struct members *m)
{
	_cleanup_free_ char *text = members_take_text(m, "text");

	if (members_have_room(m, r->notes.n, REPORT_NOTES_LIMIT))
		vec_push(&r->notes, take_ptr(text));
}

static enum ktstr_reason get_reason(struct members *m)
{
	struct json_text word = members_string(m, "reason", false);
	enum ktstr_reason reason = KTSTR_REASON_NONE;

	if (m->err)
		return reason;
	if (!reason_find(word.at, word.n, &reason))
		members_wrong(m, "reason", "is no reason");
	else if (!report_reason_is_the_guests(reason))
		m->err = base_error(BASE_PARSE, 0, "part: a test cannot know \"%s\"",
				    reason_word(reason));
	return reason;
}

static void take_part(struct test_report *r, struct members *m)
{
	struct outcome_part part = { .reason = get_reason(m) };
	_cleanup_free_ char *text = members_take_text(m, "text");
	_cleanup_free_ char *file = members_take_optional(m, "file");

	if (file)
		part.line = (int)members_between(m, "line", 0, INT_MAX);
	if (!members_have_room(m, r->parts.n, REPORT_PARTS_LIMIT))
		return;
	part.text = take_ptr(text);
	part.file = take_ptr(file);
	vec_push(&r->parts, part);
}

static void check_argv(struct members *m)
{
	const struct json_value *argv = members_find(m, "argv");
	struct json_iter it = json_iter_over(argv);

	if (!argv || json_type_of(argv) != JSON_ARRAY || json_length(argv) == 0)
		members_wrong(m, "argv", "is no list of arguments");
	while (!m->err && json_iter_next(&it))
		if (json_type_of(it.value) != JSON_STRING)
			members_wrong(m, "argv", "has an element that is no text");
}

static void take_started(struct test_report *r, struct members *m)
{
	struct exchange_payload payload = { 0 };
	_cleanup_free_ char *name = members_take_name(m, "name");

	payload.pid = members_u32(m, "pid");
	check_argv(m);
	if (!members_have_room(m, r->payloads.n, REPORT_PAYLOADS_LIMIT))
		return;
	payload.name = take_ptr(name);
	vec_push(&r->payloads, payload);
}

static struct exchange_payload *find_running(struct test_report *r, const char *name, uint32_t pid)
{
	for (size_t i = 0; i < r->payloads.n; i++) {
		struct exchange_payload *p = &r->payloads.at[i];

		if (!p->ended && p->pid == pid && strcmp(p->name, name) == 0)
			return p;
	}
	return NULL;
}

static size_t count_metrics(const struct test_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->payloads.n; i++)
		n += r->payloads.at[i].metrics.n;
	return n;
}

static void take_metrics(struct members *m, size_t already, struct exchange_payload *payload)
{
	const struct json_value *list = members_find(m, "metrics");
	struct json_iter it = json_iter_over(list);

	if (!list || json_type_of(list) != JSON_ARRAY)
		members_wrong(m, "metrics", list ? "is no list" : "is missing");
	while (!m->err && json_iter_next(&it)) {
		struct members one = { .object = it.value, .word = "payload: a metric" };
		_cleanup_free_ char *name = members_take_text(&one, "name");
		struct json_text number = json_number_text(members_find(&one, "value"));

		if (!number.at)
			members_wrong(&one, "value", "is no number");
		m->err = one.err;
		if (members_have_room(m, already + payload->metrics.n, REPORT_METRICS_LIMIT)) {
			struct exchange_metric metric = {
				.name = take_ptr(name),
				.number = xstrndup(number.at, number.n),
			};

			vec_push(&payload->metrics, metric);
		}
	}
}

/* Codes have a byte, signals are below 65. The smallest number there is: nobody knows. */
static int get_exit_code(struct members *m)
{
	int64_t code = members_between(m, "exit_code", INT32_MIN, 255);

	if (code < -64 && code != INT32_MIN)
		members_wrong(m, "exit_code", "is out of range");
	return (int)code;
}

/* What did not fit into the line is not lost silently. */
static void note_dropped(struct test_report *r, const char *name, uint64_t dropped)
{
	char *text;

	if (dropped == 0 || r->notes.n >= REPORT_NOTES_LIMIT)
		return;
	text = xasprintf("payload %s: %llu metrics more than a line can hold", name,
			 (unsigned long long)dropped);
	vec_push(&r->notes, text);
}

static void take_payload(struct test_report *r, struct members *m)
{
	struct exchange_payload end = { .name = members_take_name(m, "name"), .ended = true };
	struct exchange_payload *running;
	uint64_t dropped = 0;

	end.pid = members_u32(m, "pid");
	end.exit_code = get_exit_code(m);
	end.timed_out = members_bool(m, "timed_out");
	end.by_cleanup = members_bool(m, "by_cleanup");
	end.wall_ms = members_u64(m, "wall_ms");
	end.stdout_bytes = members_u64(m, "stdout_bytes");
	end.stderr_bytes = members_u64(m, "stderr_bytes");
	end.dropped_bytes = members_u64(m, "dropped_bytes");
	end.stream = members_take_optional(m, "stream");
	if (end.stream && strcmp(end.stream, "stdout") != 0 && strcmp(end.stream, "stderr") != 0)
		members_wrong(m, "stream", "is neither stdout nor stderr");
	take_metrics(m, count_metrics(r), &end);
	(void)members_optional_u64(m, "metrics_dropped", &dropped);
	running = m->err ? NULL : find_running(r, end.name, end.pid);
	if (!running) {
		members_refuse(m, "it was never started, or has ended before");
		reported_payload_deinit(&end);
		return;
	}
	note_dropped(r, end.name, dropped);
	reported_payload_deinit(running);
	*running = end;
}

static void take_cgroup(struct test_report *r, struct members *m)
{
	struct exchange_cgroup cgroup = { 0 };
	_cleanup_free_ char *name = members_take_name(m, "name");

	members_cpus(m, "cpus", &cgroup.cpus);
	for (size_t i = 0; !m->err && i < r->cgroups.n; i++)
		if (strcmp(r->cgroups.at[i].name, name) == 0)
			members_wrong(m, "name", "was told before");
	if (!members_have_room(m, r->cgroups.n, REPORT_CGROUPS_LIMIT))
		return;
	cgroup.name = take_ptr(name);
	vec_push(&r->cgroups, cgroup);
}

/* "finished", "never-started", "exited 3": a word, and a number where there is one. */
static bool is_end(const char *text)
{
	size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
	size_t digits;

	if (word == 0 || text[word] == '\0')
		return word > 0;
	digits = text[word] == ' ' ? strspn(text + word + 1, "0123456789") : 0;
	return digits > 0 && digits <= 3 && text[word + 1 + digits] == '\0';
}

static char *take_end(struct members *m, bool optional)
{
	char *text = members_take_string(m, "end", REPORT_NAME_BYTES_LIMIT, optional);

	if (text && !is_end(text))
		members_wrong(m, "end", "is no way to end");
	return text;
}

static void take_outside(struct members *m, struct exchange_worker *w)
{
	w->has_outside = members_find(m, "outside") != NULL;
	if (!w->has_outside)
		return;
	members_cpus(m, "outside", &w->outside);
	members_cpus(m, "outside_had", &w->outside_had);
	w->outside_at_ns = members_u64(m, "outside_at_ns");
}

static void take_worker(struct test_report *r, struct members *m)
{
	struct exchange_worker w = { .cgroup = members_take_name(m, "cgroup"),
				     .kind = members_take_name(m, "kind") };

	w.pid = members_u32(m, "pid");
	w.end = take_end(m, false);
	w.iterations = members_u64(m, "iterations");
	w.units = members_u64(m, "units");
	w.cpu_ns = members_u64(m, "cpu_ns");
	w.wall_ns = members_u64(m, "wall_ns");
	w.sleep_ns = members_u64(m, "sleep_ns");
	w.has_run_delay = members_optional_u64(m, "run_delay_ns", &w.run_delay_ns);
	w.migrations = members_u64(m, "migrations");
	w.samples = members_u64(m, "samples");
	w.max_gap_ns = members_u64(m, "max_gap_ns");
	w.gap_at_ns = members_u64(m, "gap_at_ns");
	w.has_gap_cpu = members_find(m, "gap_cpu") != NULL;
	if (w.has_gap_cpu)
		w.gap_cpu = (uint32_t)members_between(m, "gap_cpu", 0, TOPO_LIMIT_CPUS - 1);
	w.stall_ns = members_u64(m, "stall_ns");
	members_cpus(m, "cpus", &w.cpus);
	take_outside(m, &w);
	if (members_optional_u64(m, "ext_samples", &w.ext_samples)) {
		w.other_samples = members_u64(m, "other_samples");
		w.ext_ns = members_u64(m, "ext_ns");
		w.other_ns = members_u64(m, "other_ns");
	}
	if (members_have_room(m, r->workers.n, REPORT_WORKERS_LIMIT))
		vec_push(&r->workers, w);
	else
		exchange_worker_deinit(&w);
}

static void replace(char **old, char **new)
{
	if (!*new)
		return;
	free(*old);
	*old = take_ptr(*new);
}

enum scheduler_state { STARTED, ATTACHED, FAILED, ENDED, N_STATES };
static const char *const scheduler_states[N_STATES] = { "started", "attached", "failed", "ended" };

static enum scheduler_state get_state(const struct exchange_scheduler *s, struct members *m)
{
	struct json_text word = members_string(m, "state", false);
	enum scheduler_state state = N_STATES;

	for (size_t i = 0; !m->err && i < N_STATES; i++)
		if (json_text_is(word, scheduler_states[i]))
			state = (enum scheduler_state)i;
	if (state == N_STATES)
		members_wrong(m, "state", "is no state");
	else if (s->ended || (state == STARTED && s->started) ||
		 (state == ATTACHED && (!s->started || s->attached)))
		members_wrong(m, "state", "cannot follow what came before");
	return state;
}

static void take_scheduler(struct test_report *r, struct members *m)
{
	struct exchange_scheduler *s = &r->scheduler;
	enum scheduler_state state = get_state(s, m);
	bool has_pid = members_find(m, "pid");
	uint32_t pid = has_pid || state == STARTED ? members_u32(m, "pid") : 0;
	_cleanup_free_ char *ops = members_take_string(m, "ops", REPORT_NAME_BYTES_LIMIT,
						       state != ATTACHED);
	_cleanup_free_ char *end = take_end(m, state != ENDED);
	_cleanup_free_ char *kernel_reason = members_take_optional(m, "kernel_reason");
	_cleanup_free_ char *events = members_take_optional(m, "events");
	uint64_t attach_ms = s->attach_ms, restarts = 0;
	bool asked = members_find(m, "asked") && members_bool(m, "asked");
	bool has_restarts = members_optional_u64(m, "restarts", &restarts);

	(void)members_optional_u64(m, "attach_ms", &attach_ms);
	if (m->err)
		return;
	s->started |= state == STARTED;
	s->attached |= state == ATTACHED;
	/* One that failed may still run; then somebody ends it and says so. */
	s->ended |= state == ENDED;
	s->attach_ms = attach_ms;
	s->asked |= asked;
	if (has_restarts) {
		s->has_restarts = true;
		s->restarts = restarts;
	}
	if (has_pid)
		s->pid = pid;
	replace(&s->ops, &ops);
	replace(&s->end, &end);
	replace(&s->kernel_reason, &kernel_reason);
	replace(&s->events, &events);
}

/* It becomes the name of a file. */
static bool is_file_name(struct json_text name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";

	if (name.n == 0 || name.n > REPORT_FILE_NAME_BYTES_LIMIT || name.at[0] == '.')
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!memchr(letters, name.at[i], sizeof(letters) - 1))
			return false;
	return true;
}

static struct reported_text *find_text(struct test_report *r, struct json_text name)
{
	for (size_t i = 0; i < r->texts.n; i++)
		if (json_text_is(name, r->texts.at[i].name))
			return &r->texts.at[i];
	return NULL;
}

static void take_kept_text(struct test_report *r, struct members *m)
{
	struct json_text name = members_string(m, "name", false);
	struct json_text text = members_string(m, "text", false);
	struct reported_text *kept;

	if (!m->err && !is_file_name(name))
		members_wrong(m, "name", "cannot name a file");
	if (m->err)
		return;
	kept = find_text(r, name);
	if (!kept) {
		struct reported_text fresh = { 0 };

		if (!members_have_room(m, r->texts.n, REPORT_TEXTS_LIMIT))
			return;
		fresh.name = xstrndup(name.at, name.n);
		vec_push(&r->texts, fresh);
		kept = &r->texts.at[r->texts.n - 1];
	}
	if (text.n > REPORT_TEXT_BYTES_LIMIT - kept->text.n)
		m->err = base_error(BASE_LIMIT, 0, "text: %s is longer than %d bytes", kept->name,
				    REPORT_TEXT_BYTES_LIMIT);
	else
		strbuf_append_bytes(&kept->text, text.at, text.n);
}

static void take_last(struct test_report *r, struct members *m)
{
	uint64_t parts = members_u64(m, "parts");

	if (!m->err && parts != r->parts.n)
		m->err = base_error(BASE_PARSE, 0, "end: %llu parts are told, %zu came",
				    (unsigned long long)parts, r->parts.n);
	if (!m->err)
		r->ended = true;
}

static void (*const takers[WIRE_N_REPORT_KINDS])(struct test_report *, struct members *) = {
	[WIRE_REPORT_BEGIN] = take_begin,
	[WIRE_REPORT_STAGE] = take_stage,
	[WIRE_REPORT_NOTE] = take_note,
	[WIRE_REPORT_PART] = take_part,
	[WIRE_REPORT_STARTED] = take_started,
	[WIRE_REPORT_PAYLOAD] = take_payload,
	[WIRE_REPORT_CGROUP] = take_cgroup,
	[WIRE_REPORT_WORKER] = take_worker,
	[WIRE_REPORT_SCHEDULER] = take_scheduler,
	[WIRE_REPORT_TEXT] = take_kept_text,
	[WIRE_REPORT_END] = take_last,
};

static struct error *check_order(const struct test_report *r, enum wire_report_kind kind)
{
	const char *word = wire_report_word(kind);

	if (r->ended)
		return base_error(BASE_PARSE, 0, "%s: it stands behind the end", word);
	if (!r->begun && kind != WIRE_REPORT_BEGIN)
		return base_error(BASE_PARSE, 0, "%s: it stands before the begin", word);
	if (r->begun && kind == WIRE_REPORT_BEGIN)
		return base_error(BASE_PARSE, 0, "begin: a second one");
	return NULL;
}

struct error *report_line_take(struct test_report *r, const char *line, size_t n)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct members m = { .word = "report" };
	enum wire_report_kind kind;
	struct json_text word;
	struct error *err;

	err = json_doc_parse(line, n, "JSON", &doc);
	if (err)
		return err;
	m.object = json_doc_root(doc);
	if (json_type_of(m.object) != JSON_OBJECT)
		return base_error(BASE_PARSE, 0, "it is no object");
	word = members_string(&m, "report", false);
	if (m.err)
		return m.err;
	if (!wire_report_find(word.at, word.n, &kind))
		return base_error(BASE_PARSE, 0, "\"report\" is no word of a report");
	err = check_order(r, kind);
	if (err)
		return err;
	m.word = wire_report_word(kind);
	takers[kind](r, &m);
	return m.err;
}
