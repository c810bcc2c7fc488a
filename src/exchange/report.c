// SPDX-License-Identifier: LGPL-2.1-or-later
#include "exchange/report.h"

#include <string.h>

#include "base/str.h"

#define TEXT(struct_, member) JSON_CUSTOM(struct_, member, &exchange_text_codec)
#define NAME(struct_, member) \
	TEXT(struct_, member), .presence = JSON_REQUIRED, .check = exchange_check_name
#define REQUIRED(struct_, member) JSON_SCALAR(struct_, member), .presence = JSON_REQUIRED
#define LINE_TABLE(kind)	  static const struct json_rows kind##_table = { JSON_TABLE(kind##_rows) }

static const char *check_api(const void *member)
{
	return *(const uint32_t *)member == KTSTR_API_VERSION
		       ? NULL
		       : "is another version: build runner and test from the same source";
}

static const struct json_row begin_rows[] = {
	{ NAME(struct exchange_begin, test), .means = "name of the test" },
	{ REQUIRED(struct exchange_begin, api), .check = check_api,
	  .means = "version of the interface that the test was built with" },
	{ REQUIRED(struct exchange_begin, pid), .means = "process of the test binary" },
};
LINE_TABLE(begin);

const char *const exchange_stage_names[WIRE_N_STAGES] = {
#define WIRE_STAGE(id, word, meaning) [WIRE_STAGE_##id] = word,
#include "wire/stages.def"
#undef WIRE_STAGE
};

static const struct json_row stage_rows[] = {
	{ JSON_WORD(struct exchange_stage, name, exchange_stage_names), .presence = JSON_REQUIRED,
	  .means = "the stage that begins" },
	{ REQUIRED(struct exchange_stage, at_ms), .means = "milliseconds since the test began" },
};
LINE_TABLE(stage);

static const struct json_row note_rows[] = {
	{ TEXT(struct exchange_note, text), .presence = JSON_REQUIRED, .means = "what was noted" },
};
LINE_TABLE(note);

static const struct json_row part_rows[] = {
	{ JSON_WORD(struct exchange_part, reason, exchange_reason_names), .presence = JSON_REQUIRED,
	  .means = "why the test did not pass" },
	{ TEXT(struct exchange_part, text), .presence = JSON_REQUIRED, .means = "what was seen" },
	{ TEXT(struct exchange_part, file), .means = "the source file" },
	{ REQUIRED(struct exchange_part, line), .with = "file", .means = "the line in it" },
};
LINE_TABLE(part);

static const char *check_argv(const void *member)
{
	/* How every list begins. */
	const struct {
		char **at;
		size_t n;
	} *argv = member;

	return argv->n ? NULL : "is empty";
}

static const struct json_row started_rows[] = {
	{ NAME(struct exchange_started, name), .means = "name of the payload" },
	{ REQUIRED(struct exchange_started, pid), .means = "its process" },
	{ JSON_STRINGS(struct exchange_started, argv), .presence = JSON_REQUIRED,
	  .limit = EXCHANGE_LIMIT_ARGS, .check = check_argv,
	  .means = "its arguments, the program first" },
	{ JSON_SCALAR(struct exchange_started, argv_dropped), .absent_zero = true,
	  .means = "how many of them did not fit into the line" },
};
LINE_TABLE(started);
const struct json_rows exchange_started_head = { .at = started_rows,
						 .n = ARRAY_SIZE(started_rows) - 2 };

static const struct json_row metric_rows[] = {
	{ TEXT(struct exchange_metric, name), .presence = JSON_REQUIRED, .means = "flat name" },
	{ .name = "value",
	  .type = JSON_ROW_CUSTOM,
	  .codec = &exchange_number_codec,
	  .offset = offsetof(struct exchange_metric, number),
	  .presence = JSON_REQUIRED,
	  .means = "the number as the payload printed it" },
};
LINE_TABLE(metric);

static const char *const direction_names[] = {
	[KTSTR_NO_DIRECTION] = "neither",
	[KTSTR_LOWER_IS_BETTER] = "lower",
	[KTSTR_HIGHER_IS_BETTER] = "higher",
};

static const struct json_row hint_rows[] = {
	{ NAME(struct exchange_hint, metric), .means = "name of metrics, or its end" },
	{ REQUIRED(struct exchange_hint, unit), .limit = EXCHANGE_LIMIT_NAME,
	  .means = "their unit; empty: none" },
	{ JSON_WORD(struct exchange_hint, direction, direction_names), .presence = JSON_REQUIRED,
	  .means = "which way is better" },
};
LINE_TABLE(hint);

/* Codes have a byte, signals are below 65. The smallest number there is: nobody knows. */
static const char *check_exit_code(const void *member)
{
	int32_t code = *(const int32_t *)member;

	return code < -64 && code != INT32_MIN ? "is out of range" : NULL;
}

static const char *check_stream(const void *member)
{
	const char *name = *(char *const *)member;

	return strcmp(name, "stdout") == 0 || strcmp(name, "stderr") == 0
		       ? NULL
		       : "is neither stdout nor stderr";
}

#define PAYLOAD(member) REQUIRED(struct exchange_payload, member)
static const struct json_row payload_rows[] = {
	{ NAME(struct exchange_payload, name), .means = "name of the payload" },
	{ PAYLOAD(pid), .means = "its process" },
	{ PAYLOAD(exit_code), .min = INT32_MIN, .limit = 255, .check = check_exit_code,
	  .means = "exit code, or minus the signal that ended it" },
	{ PAYLOAD(timed_out), .means = "whether it was killed after its time limit" },
	{ PAYLOAD(by_cleanup), .means = "whether it was still running when the test ended" },
	{ PAYLOAD(wall_ms), .means = "how long it ran" },
	{ PAYLOAD(stdout_bytes), .means = "what it wrote to standard output" },
	{ PAYLOAD(stderr_bytes), .means = "what it wrote to standard error" },
	{ PAYLOAD(dropped_bytes), .means = "what was not kept of both" },
	{ JSON_SCALAR(struct exchange_payload, stream), .check = check_stream,
	  .means = "the stream that held the metrics" },
	{ JSON_OBJECTS(struct exchange_payload, hints, &hint_table), .absent_zero = true,
	  .limit = KTSTR_MAX_CHECKS, .means = "how metrics of runs compare" },
	{ JSON_OBJECTS(struct exchange_payload, metrics, &metric_table), .presence = JSON_REQUIRED,
	  .limit = EXCHANGE_LIMIT_METRICS, .means = "numbers that it printed" },
	{ JSON_SCALAR(struct exchange_payload, metrics_dropped),
	  .means = "metrics that did not fit into the line" },
};
LINE_TABLE(payload);
const struct json_rows exchange_payload_head = { .at = payload_rows,
						 .n = ARRAY_SIZE(payload_rows) - 2 };

static const struct json_row cgroup_rows[] = {
	{ NAME(struct exchange_cgroup, name), .means = "name of the cgroup" },
	{ JSON_CUSTOM(struct exchange_cgroup, cpus, &exchange_cpus_codec),
	  .presence = JSON_REQUIRED, .means = "the CPUs that the kernel gave it" },
};
LINE_TABLE(cgroup);

static const char *const state_names[] = {
	[EXCHANGE_STARTED] = "started",
	[EXCHANGE_ATTACHED] = "attached",
	[EXCHANGE_FAILED] = "failed",
	[EXCHANGE_ENDED] = "ended",
};

static const char *check_scheduler(const void *of)
{
	const struct exchange_scheduler_line *line = of;

	if (line->state == EXCHANGE_STARTED && !line->pid)
		return "started without a pid";
	if (line->state == EXCHANGE_ATTACHED && !line->ops)
		return "attached without its ops";
	return line->state == EXCHANGE_ENDED && !line->end ? "ended without an end" : NULL;
}

#define SCHEDULER(member) JSON_SCALAR(struct exchange_scheduler_line, member)
static const struct json_row scheduler_rows[] = {
	{ JSON_WORD(struct exchange_scheduler_line, state, state_names), .presence = JSON_REQUIRED,
	  .means = "what happened to the scheduler" },
	{ SCHEDULER(pid), .absent_zero = true, .means = "its process" },
	{ TEXT(struct exchange_scheduler_line, ops), .means = "its name in the kernel" },
	{ SCHEDULER(attach_ms), JSON_HAS(struct exchange_scheduler_line, has_attach_ms),
	  .means = "how long it took to attach" },
	{ TEXT(struct exchange_scheduler_line, end), .check = exchange_check_end,
	  .means = "how it ended" },
	{ SCHEDULER(asked), JSON_HAS(struct exchange_scheduler_line, has_asked),
	  .means = "whether it ran when it was asked to end" },
	{ SCHEDULER(restarts), JSON_HAS(struct exchange_scheduler_line, has_restarts),
	  .means = "how often it was detached and attached again" },
	{ TEXT(struct exchange_scheduler_line, kernel_reason),
	  .means = "what the kernel said about its end" },
	{ TEXT(struct exchange_scheduler_line, events), .means = "the kernel's event counters" },
};
static const struct json_rows scheduler_table = {
	JSON_TABLE(scheduler_rows),
	.check = check_scheduler,
};

/* It becomes the name of a file. */
static const char *check_file_name(const void *member)
{
	const char *name = *(char *const *)member;
	size_t n = strspn(name,
			  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");

	return n == 0 || n > EXCHANGE_LIMIT_FILE_NAME || name[n] || name[0] == '.'
		       ? "cannot name a file"
		       : NULL;
}

static const struct json_row text_rows[] = {
	{ TEXT(struct exchange_text, name), .presence = JSON_REQUIRED, .check = check_file_name,
	  .means = "name of the file that is kept" },
	{ JSON_CUSTOM(struct exchange_text, text, &exchange_bytes_codec), .presence = JSON_REQUIRED,
	  .means = "the next piece of it" },
};
LINE_TABLE(text);

static const struct json_row end_rows[] = {
	{ REQUIRED(struct exchange_end, parts), .means = "how many parts were reported" },
};
LINE_TABLE(end);

const struct exchange_hint *exchange_hint_find(const struct exchange_hint *hints, size_t n,
					       const char *metric)
{
	for (size_t i = 0; i < n; i++)
		if (str_ends_with(metric, hints[i].metric))
			return &hints[i];
	return NULL;
}

bool exchange_hint_is_rate(const struct exchange_hint *hint)
{
	return hint && hint->direction != KTSTR_LOWER_IS_BETTER && str_ends_with(hint->unit, "/s");
}

const struct json_rows *const exchange_rows[WIRE_N_REPORT_KINDS] = {
	[WIRE_REPORT_BEGIN] = &begin_table,
	[WIRE_REPORT_STAGE] = &stage_table,
	[WIRE_REPORT_NOTE] = &note_table,
	[WIRE_REPORT_PART] = &part_table,
	[WIRE_REPORT_STARTED] = &started_table,
	[WIRE_REPORT_PAYLOAD] = &payload_table,
	[WIRE_REPORT_CGROUP] = &cgroup_table,
	[WIRE_REPORT_WORKER] = &exchange_worker_table,
	[WIRE_REPORT_SCHEDULER] = &scheduler_table,
	[WIRE_REPORT_TEXT] = &text_table,
	[WIRE_REPORT_END] = &end_table,
};

void exchange_line_deinit(struct exchange_line *line)
{
	json_rows_deinit(exchange_rows[line->kind], &line->begin);
}

void exchange_payload_deinit(struct exchange_payload *payload)
{
	json_rows_deinit(&payload_table, payload);
	*payload = (struct exchange_payload){ 0 };
}

struct error *exchange_line_parse(const char *text, size_t n, struct exchange_line *ret)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct exchange_line line = { 0 };
	struct json_text word;
	struct error *err = json_doc_parse(text, n, "JSON", &doc);

	if (err)
		return err;
	if (json_type_of(json_doc_root(doc)) != JSON_OBJECT)
		return base_error(BASE_PARSE, 0, "it is not an object");
	word = json_string(json_find(json_doc_root(doc), "report"));
	if (!word.at || !wire_report_find(word.at, word.n, &line.kind))
		return base_error(BASE_PARSE, 0, "\"report\" is not the kind of a line");
	err = json_rows_read(exchange_rows[line.kind], json_doc_root(doc),
			     wire_report_name(line.kind), &line.begin);
	if (err) {
		exchange_line_deinit(&line);
		return err;
	}
	*ret = line;
	return NULL;
}

#define WORKER(member)		JSON_SCALAR(struct exchange_worker, member)
#define WORKER_REQUIRED(member) WORKER(member), .presence = JSON_REQUIRED
#define WORKER_TEXT(member) \
	JSON_CUSTOM(struct exchange_worker, member, &exchange_text_codec), .presence = JSON_REQUIRED
#define CPUS(member) JSON_CUSTOM(struct exchange_worker, member, &exchange_cpus_codec)

static const struct json_row worker_rows[] = {
	{ WORKER_TEXT(cgroup), .check = exchange_check_name, .means = "its cgroup" },
	{ WORKER_TEXT(kind), .check = exchange_check_name, .means = "its kind of work" },
	{ WORKER_REQUIRED(pid), .means = "its process" },
	{ WORKER_TEXT(end), .check = exchange_check_end, .means = "how it ended" },
#define COUNTED(name, meaning) { WORKER_REQUIRED(name), .means = meaning },
#define DERIVED		       COUNTED
#define KNOWN(name, has_, meaning) \
	{ WORKER(name), JSON_HAS(struct exchange_worker, has_), .means = meaning },
#include "exchange/figures.def"
#undef KNOWN
#undef DERIVED
#undef COUNTED
	{ WORKER(gap_cpu), JSON_HAS(struct exchange_worker, has_gap_cpu),
	  .limit = TOPO_LIMIT_CPUS - 1,
	  .means = "the CPU on which it ran next; the last one before, if it did not run again" },
	{ WORKER_REQUIRED(stall_ns),
	  .means = "how long it had wanted a CPU when the work was over" },
	{ CPUS(cpus), .presence = JSON_REQUIRED, .means = "CPUs that it was on" },
	{ CPUS(outside), JSON_HAS(struct exchange_worker, has_outside),
	  .means = "CPUs that it was on while its cgroup did not have them" },
	{ WORKER(ext_samples), JSON_HAS(struct exchange_worker, has_class),
	  .means = "samples that found it under sched_ext" },
	{ WORKER_REQUIRED(other_samples), .with = "ext_samples",
	  .means = "samples in another class" },
	{ WORKER_REQUIRED(ext_ns), .with = "ext_samples", .means = "CPU time under sched_ext" },
	{ WORKER_REQUIRED(other_ns), .with = "ext_samples", .means = "CPU time in another class" },
	/* Records do not keep these. */
	{ CPUS(outside_had), .with = "outside", .presence = JSON_REQUIRED,
	  .means = "CPUs that the cgroup had then" },
	{ WORKER_REQUIRED(outside_at_ns), .with = "outside", .means = "when that was first so" },
};

const struct json_rows exchange_worker_table = { JSON_TABLE(worker_rows) };
const struct json_rows exchange_worker_record = { .at = worker_rows,
						  .n = ARRAY_SIZE(worker_rows) - 2 };

bool exchange_worker_never_started(const struct exchange_worker *worker)
{
	return strcmp(worker->end, "never-started") == 0;
}

bool exchange_worker_was_killed(const struct exchange_worker *worker)
{
	return strcmp(worker->end, "killed") == 0 || strcmp(worker->end, "stuck") == 0;
}

bool exchange_worker_worked_to_the_end(const struct exchange_worker *worker)
{
	return strcmp(worker->end, "finished") == 0 || exchange_worker_was_killed(worker);
}
