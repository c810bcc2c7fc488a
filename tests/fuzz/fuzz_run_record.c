// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/result/past_run.c src/result/run_record_head.c */
/*
 * Any bytes as the record of a run. What is accepted has a verdict that its reason gives, and
 * says the same again when it is written and read once more.
 */
#include "fuzz.h"
#include "fuzz_json.h"
#include "result/past_run.h"
#include "result/run_record_text.h"

static void must_match(const char *a, const char *b)
{
	FUZZ_MUST(!a == !b);
	FUZZ_MUST(!a || strcmp(a, b) == 0);
}

static void must_match_texts(const struct past_texts *a, const struct past_texts *b)
{
	FUZZ_MUST(a->list.n == b->list.n);
	for (size_t i = 0; i < a->list.n; i++)
		must_match(a->list.at[i], b->list.at[i]);
}

static void must_match_file(const struct past_file *a, const struct past_file *b)
{
	must_match(a->name, b->name);
	must_match(a->path, b->path);
	must_match(a->hash, b->hash);
	must_match(a->build_id, b->build_id);
}

static void must_match_runs(const struct past_run *a, const struct past_run *b)
{
	must_match(a->test, b->test);
	must_match(a->id, b->id);
	must_match(a->name, b->name);
	must_match(a->topology, b->topology);
	must_match(a->scheduler, b->scheduler);
	must_match(a->kernel.build_id, b->kernel.build_id);
	must_match(a->rerun.command, b->rerun.command);
	FUZZ_MUST(a->runner_pid == b->runner_pid);
	must_match_texts(&a->rerun.kernel_args, &b->rerun.kernel_args);
	must_match_texts(&a->rerun.scheduler_argv, &b->rerun.scheduler_argv);
	must_match_file(&a->rerun.binary, &b->rerun.binary);
	FUZZ_MUST(a->rerun.files.n == b->rerun.files.n);
	for (size_t i = 0; i < a->rerun.files.n; i++)
		must_match_file(&a->rerun.files.at[i], &b->rerun.files.at[i]);
	FUZZ_MUST(a->finished == b->finished);
	if (!a->finished)
		return;
	FUZZ_MUST(a->verdict == b->verdict && a->reason == b->reason);
	must_match(a->why, b->why);
	must_match(a->kept_dir, b->kept_dir);
	must_match_texts(&a->notes, &b->notes);
	FUZZ_MUST(a->parts.n == b->parts.n);
	for (size_t i = 0; i < a->parts.n; i++) {
		FUZZ_MUST(a->parts.at[i].reason == b->parts.at[i].reason);
		must_match(a->parts.at[i].text, b->parts.at[i].text);
		must_match(a->parts.at[i].file, b->parts.at[i].file);
	}
}

static struct run_record_texts texts_of(const struct past_texts *texts)
{
	return (struct run_record_texts){ (const char *const *)texts->list.at, texts->list.n };
}

static struct run_record_file file_of(const struct past_file *file)
{
	return (struct run_record_file){ file->name, file->path, file->hash, file->build_id };
}

static void write_again(const struct past_run *run, struct strbuf *into)
{
	struct outcome outcome = {
		.verdict = run->verdict,
		.reason = run->reason,
		.why = run->why,
		.kept_dir = run->kept_dir,
	};
	struct run_record_result result = { .outcome = &outcome };
	struct run_record_stamp stamp = { .unix_sec = 1, .pid = run->runner_pid };
	_cleanup_strbuf_ struct strbuf head_text = STRBUF_INIT;
	VEC(struct run_record_file) files = VEC_INIT;
	struct run_record_head head = {
		.test = run->test,
		.id = run->id,
		.name = run->name,
		.topology = run->topology,
		.scheduler = run->scheduler,
		.kernel = { .build_id = run->kernel.build_id },
		.scheduler_argv = texts_of(&run->rerun.scheduler_argv),
		.kernel_args = texts_of(&run->rerun.kernel_args),
		.binary = file_of(&run->rerun.binary),
		.command = run->rerun.command,
	};

	/* Borrowed: the outcome is not released here. */
	outcome.parts.at = run->parts.at;
	outcome.parts.n = run->parts.n;
	outcome.notes.at = run->notes.list.at;
	outcome.notes.n = run->notes.list.n;
	for (size_t i = 0; i < run->rerun.files.n; i++)
		vec_push(&files, file_of(&run->rerun.files.at[i]));
	head.files = files.at;
	head.n_files = files.n;
	run_record_format_head(&head, &stamp, &head_text);
	if (run->finished)
		FUZZ_MUST(!run_record_format_finished(&head_text, &result, (struct json_text){ 0 },
						      0, NULL, into));
	else
		run_record_format_started(&head_text, into);
	vec_deinit(&files);
}

/* Past the first validation: the bytes are a document of the right schema. */
static bool has_schema(const char *text, size_t n)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_error_ struct error *err = json_doc_parse(text, n, "fuzz", &doc);
	uint64_t schema;

	return !err && json_get_u64(json_find(json_doc_root(doc), "schema"), &schema) &&
	       schema == RUN_RECORD_SCHEMA;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed UNUSED)
{
	return fuzz_mutate_json(data, n, limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_past_run_ struct past_run run = { 0 }, again = { 0 };
	_cleanup_error_ struct error *refused = past_run_parse((const char *)data, n, "fuzz", &run);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (has_schema((const char *)data, n))
		fuzz_mark_deep();
	if (refused) {
		FUZZ_MUST(!run.test && !run.parts.at && !run.rerun.files.at);
		return 0;
	}
	FUZZ_MUST(run.test && run.id);
	FUZZ_MUST(!run.finished || (run.why && reason_verdict(run.reason) == run.verdict));
	write_again(&run, &text);
	FUZZ_MUST(!past_run_parse(text.at, text.n, "again", &again));
	must_match_runs(&run, &again);
	return 0;
}
