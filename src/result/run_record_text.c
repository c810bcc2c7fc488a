// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/run_record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "json/scan.h"
#include "result/limits.h"

static struct json_writer begin(struct strbuf *into, enum result_state state)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);
	struct result_run run = { .state = state };

	json_begin_object(&w);
	json_add_u64(&w, result_state_rows.version_name, result_state_rows.version);
	json_rows_write_members(&result_state_rows, &run, &w);
	return w;
}

/* Inserts the members of the head after the last member written. */
static void add_head(struct json_writer *w, const struct strbuf *head)
{
	strbuf_append_char(w->out, ',');
	strbuf_append_bytes(w->out, head->at, head->n);
}

void result_format_started(const struct strbuf *head, struct strbuf *into)
{
	struct json_writer w = begin(into, RESULT_STARTED);

	add_head(&w, head);
	json_open_array(&w, "metrics");
	json_end_document(&w);
}

/* What came of it, in the words of the record. All of it is borrowed. */
static struct result_run run_of(const struct result_record_result *r, const char *problem,
				bool whole)
{
	const struct result_outcome *o = r->outcome;
	struct result_run run = r->run;

	run.verdict = o->verdict;
	run.reason = o->reason;
	run.why = o->why;
	run.passed = o->verdict == KTSTR_PASS || o->verdict == KTSTR_SKIP;
	run.skipped = o->verdict == KTSTR_SKIP;
	run.problem = problem;
	if (!whole)
		run.left_out = "metrics and raw facts: the record would be larger than its limit";
	run.parts.at = o->parts.at;
	run.parts.n = o->parts.n;
	run.notes = (struct exchange_text_list){ o->notes.at, o->notes.n };
	run.has_wall = true;
	run.wall_ms = o->wall_ns / NS_PER_MS;
	run.kept_dir = o->kept_dir;
	return run;
}

static bool is_number(const char *text)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_error_ struct error *err = json_doc_parse(text, strlen(text), "a number", &doc);

	return !err && json_type_of(json_doc_root(doc)) == JSON_NUMBER;
}

static struct result_metric_entry entry_of(const struct exchange_payload *payload,
					   const struct exchange_metric *metric, bool virtual_clock)
{
	const struct exchange_hint *hint = exchange_hint_find(payload->hints.at, payload->hints.n,
							      metric->name);
	struct json_text name = { metric->name, strlen(metric->name) };
	bool is_stderr = payload->stream && strcmp(payload->stream, "stderr") == 0;
	struct result_metric_entry entry = {
		.name = name,
		.value = { metric->number, strlen(metric->number) },
		.unit = "",
		.source = "Json",
		.stream = is_stderr ? "Stderr" : "Stdout",
	};

	if (!hint)
		return entry;
	entry.unit = hint->unit;
	if (virtual_clock && exchange_hint_is_rate(hint))
		entry.not_judged = RESULT_RATE_NOT_JUDGED;
	else
		entry.polarity.kind = (enum result_polarity_kind)hint->direction;
	return entry;
}

/* Those that are numbers, in the words of the record. The caller owns the list. */
static struct result_metric_payload payload_of(const struct exchange_payload *payload, size_t index,
					       bool whole, bool virtual_clock)
{
	struct result_metric_entry *entries = xcalloc(payload->metrics.n + 1, sizeof(*entries));
	size_t n = 0;

	for (size_t i = 0; whole && i < payload->metrics.n; i++)
		if (is_number(payload->metrics.at[i].number))
			entries[n++] = entry_of(payload, &payload->metrics.at[i], virtual_clock);
	return (struct result_metric_payload){
		.payload_index = index,
		.payload = payload->name,
		.metrics = { entries, n },
		.ended = payload->ended,
		.exit_code = payload->exit_code,
	};
}

static bool has_virtual_clock(const struct result_record_result *r)
{
	return r->outcome->clock.kind == RESULT_CLOCK_VIRTUAL;
}

/* Where the text of `metrics` begins, behind its bracket. */
static size_t add_metrics(struct json_writer *w, const struct result_record_result *r,
			  size_t n_kept, bool whole)
{
	size_t behind_bracket;

	json_open_array(w, "metrics");
	behind_bracket = w->out->n;
	for (size_t i = 0; i < r->n_payloads; i++) {
		struct result_metric_payload payload = payload_of(&r->payloads[i], n_kept + i,
								  whole, has_virtual_clock(r));

		json_rows_write(&result_metric_payload_rows, &payload, w);
		free((void *)(uintptr_t)payload.metrics.at);
	}
	json_end_array(w);
	return behind_bracket;
}

/* The elements go behind the bracket, before ours. */
static void splice(const struct strbuf *text, size_t at, struct json_text kept, bool ours,
		   struct strbuf *into)
{
	while (kept.n && json_is_blank(kept.at[kept.n - 1]))
		kept.n--;
	strbuf_append_bytes(into, text->at, at);
	if (kept.n) {
		strbuf_append_bytes(into, kept.at, kept.n);
		strbuf_append(into, ours ? "," : "\n  ");
	}
	strbuf_append_bytes(into, text->at + at, text->n - at);
}

static void format(const struct strbuf *head, const struct result_record_result *r,
		   struct json_text kept, size_t n_kept, const char *problem, bool whole,
		   struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = begin(&text, RESULT_FINISHED);
	struct result_run run = run_of(r, problem, whole);
	size_t metrics_at;

	json_rows_write_members(&result_verdict_rows, &run, &w);
	add_head(&w, head);
	json_rows_write_members(&result_fact_rows, &run, &w);
	json_open_object(&w, "stats");
	if (whole && r->write_stats)
		r->write_stats(r->context, &w);
	json_end_object(&w);
	json_open_array(&w, "measures");
	if (whole && r->stats_rows)
		result_write_measures(r->stats_rows, "stats", has_virtual_clock(r), &w);
	json_end_array(&w);
	if (whole && r->write_facts)
		r->write_facts(r->context, &w);
	metrics_at = add_metrics(&w, r, n_kept, whole);
	json_end_object(&w);
	strbuf_append_char(&text, '\n');
	splice(&text, metrics_at, kept, r->n_payloads > 0, into);
}

struct error *result_format_finished(const struct strbuf *head,
				     const struct result_record_result *r, struct json_text kept,
				     size_t n_kept, const char *problem, struct strbuf *into)
{
	for (int whole = 1; whole >= 0; whole--) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		format(head, r, kept, n_kept, problem, whole, &text);
		if (text.n <= RESULT_LIMIT_RECORD_BYTES) {
			strbuf_append_bytes(into, text.at, text.n);
			return NULL;
		}
	}
	return base_error(BASE_LIMIT, 0, "the record would be larger than %d bytes",
			  RESULT_LIMIT_RECORD_BYTES);
}

struct error *result_find_kept(const char *record, size_t n, const char *label, const char *run_id,
			       struct json_text *ret_kept, size_t *ret_n)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct error *err = json_doc_parse(record, n, label, &doc);
	struct result_metrics_place place;
	const char *why = "its run_id is another";

	if (err)
		return error_wrap(err, "the record was damaged meanwhile");
	if (json_text_is(json_string(json_find(json_doc_root(doc), "run_id")), run_id))
		why = result_find_metrics(record, n, json_doc_root(doc), &place);
	if (why)
		return base_error(BASE_PARSE, 0, "%s is no longer the record of this run: %s",
				  label, why);
	*ret_kept = (struct json_text){ record + place.open + 1, place.close - place.open - 1 };
	*ret_n = place.length;
	return NULL;
}

/* What a record says from the start. */

char *result_format_time(uint64_t unix_sec)
{
	time_t sec = (time_t)unix_sec;
	char text[32];
	struct tm tm;

	if (!gmtime_r(&sec, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return xstrdup("");
	return xstrdup(text);
}

char *result_format_run_id(const struct result_stamp *stamp)
{
	_cleanup_free_ char *at = result_format_time(stamp->unix_sec);

	return xasprintf("%s-%llu-%u", at, (unsigned long long)stamp->pid, stamp->counter);
}

/* What the reference has and this harness does not measure. */
static const struct result_absent unmeasured[] = {
	{ "payload", "a test is not about one program alone" },
	{ "monitor", "runqueues are not sampled while a test runs" },
	{ "kvm_stats", "statistics of KVM are not read" },
	{ "stimulus_events", "tests have no steps that are recorded" },
	{ "active_flags", "flags of a scheduler are not varied" },
	{ "verifier_stats", "statistics of the BPF verifier are not read" },
};

/* All absent members: those the caller could not find out, and those never measured. */
static struct result_absent *list_absent(const struct result_absences *more, size_t *ret_n)
{
	size_t n = ARRAY_SIZE(unmeasured);
	struct result_absent *all = xcalloc(n + more->n, sizeof(*all));

	for (size_t i = 0; i < more->n; i++)
		all[i] = more->at[i];
	memcpy(all + more->n, unmeasured, sizeof(unmeasured));
	*ret_n = n + more->n;
	return all;
}

void result_format_head(const struct result_run *head, const struct result_stamp *stamp,
			struct strbuf *into)
{
	_cleanup_free_ char *at = result_format_time(stamp->unix_sec);
	_cleanup_free_ char *run_id = result_format_run_id(stamp);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_PRETTY);
	const char *ci = getenv("KTSTR_CI");
	struct result_run run = *head;
	_cleanup_free_ struct result_absent *absent = list_absent(&head->absent, &run.absent.n);

	run.absent.at = absent;
	run.timestamp = at;
	run.run_id = run_id;
	run.run_source = ci && *ci ? "ci" : "local";
	run.runner_pid = stamp->pid;
	run.runner_start_jiffies = stamp->start_time_jiffies;
	run.rerun.test = head->test;
	run.rerun.topology = head->topology;
	run.rerun.memory_bytes = head->memory_bytes;
	run.rerun.kernel_id = head->kernel.id;
	run.rerun.kernel_build_id = head->kernel.build_id;
	run.rerun.kernel_args = head->kernel_args;
	json_begin_object(&w);
	json_rows_write_members(&result_head_rows, &run, &w);
	/* The brace and what would end the object are not part of the members. */
	strbuf_append_bytes(into, text.at + 1, text.n - 1);
}
