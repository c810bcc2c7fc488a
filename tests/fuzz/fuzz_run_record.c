// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/result/run_record.c src/result/run_record_rows.c src/result/run_record_text.c */
/*
 * Any bytes as the record of a run. What is accepted has a verdict that its reason gives, and
 * says the same again when it is written and read once more.
 */
#include "fuzz.h"
#include "fuzz_json.h"
#include "result/run_record.h"

static void must_match(const char *a, const char *b)
{
	FUZZ_MUST(!a == !b);
	FUZZ_MUST(!a || strcmp(a, b) == 0);
}

static void must_match_texts(const struct exchange_text_list *a, const struct exchange_text_list *b)
{
	FUZZ_MUST(a->n == b->n);
	for (size_t i = 0; i < a->n; i++)
		must_match(a->at[i], b->at[i]);
}

static void must_match_file(const struct result_file *a, const struct result_file *b)
{
	must_match(a->name, b->name);
	must_match(a->path, b->path);
	must_match(a->hash, b->hash);
	must_match(a->build_id, b->build_id);
}

static void must_match_runs(const struct result_run *a, const struct result_run *b)
{
	must_match(a->test, b->test);
	must_match(a->id, b->id);
	must_match(a->name, b->name);
	must_match(a->topology, b->topology);
	must_match(a->scheduler, b->scheduler);
	must_match(a->kernel.build_id, b->kernel.build_id);
	must_match(a->rerun.command, b->rerun.command);
	FUZZ_MUST(a->runner_pid == b->runner_pid);
	FUZZ_MUST(a->clock.kind == b->clock.kind && a->clock.seed == b->clock.seed);
	FUZZ_MUST(a->has_seed == b->has_seed && a->has_speed == b->has_speed);
	must_match_texts(&a->rerun.kernel_args, &b->rerun.kernel_args);
	must_match_texts(&a->rerun.scheduler_argv, &b->rerun.scheduler_argv);
	must_match_file(&a->rerun.binary, &b->rerun.binary);
	FUZZ_MUST(a->rerun.files.n == b->rerun.files.n);
	for (size_t i = 0; i < a->rerun.files.n; i++)
		must_match_file(&a->rerun.files.at[i], &b->rerun.files.at[i]);
	FUZZ_MUST(a->state == b->state);
	if (a->state != RESULT_FINISHED)
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

static void write_again(const struct result_run *run, struct strbuf *into)
{
	struct result_outcome outcome = {
		.verdict = run->verdict,
		.reason = run->reason,
		.why = (char *)(uintptr_t)run->why,
		.kept_dir = (char *)(uintptr_t)run->kept_dir,
	};
	struct result_record_result result = { .outcome = &outcome };
	struct result_stamp stamp = { .unix_sec = 1, .pid = run->runner_pid };
	_cleanup_strbuf_ struct strbuf head_text = STRBUF_INIT;
	struct result_run head = *run;

	/* Borrowed: the outcome is not released here. */
	outcome.parts.at = (struct exchange_part *)(uintptr_t)run->parts.at;
	outcome.parts.n = run->parts.n;
	outcome.notes.at = (char **)(uintptr_t)run->notes.at;
	outcome.notes.n = run->notes.n;
	/* The record has these twice, and the first counts. */
	head.kernel_args = run->rerun.kernel_args;
	result_format_head(&head, &stamp, &head_text);
	if (run->state == RESULT_FINISHED)
		FUZZ_MUST(!result_format_finished(&head_text, &result, (struct json_text){ 0 }, 0,
						  NULL, into));
	else
		result_format_started(&head_text, into);
}

/* Past the first validation: the bytes are a document of the right schema. */
static bool has_schema(const char *text, size_t n)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_error_ struct error *err = json_doc_parse(text, n, "fuzz", &doc);
	uint64_t schema;

	return !err && json_get_u64(json_find(json_doc_root(doc), "schema"), &schema) &&
	       schema >= RESULT_OLDEST_SCHEMA && schema <= RESULT_SCHEMA;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed UNUSED)
{
	return fuzz_mutate_json(data, n, limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_result_run_ struct result_run run = { 0 }, again = { 0 };
	_cleanup_error_ struct error *refused = result_run_parse((const char *)data, n, "fuzz",
								 &run);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (has_schema((const char *)data, n))
		fuzz_mark_deep();
	if (refused) {
		FUZZ_MUST(!run.test && !run.parts.at && !run.rerun.files.at);
		return 0;
	}
	FUZZ_MUST(run.test && run.id);
	FUZZ_MUST(run.state != RESULT_FINISHED ||
		  (run.why && result_reason_verdict(run.reason) == run.verdict));
	write_again(&run, &text);
	FUZZ_MUST(!result_run_parse(text.at, text.n, "again", &again));
	must_match_runs(&run, &again);
	return 0;
}
