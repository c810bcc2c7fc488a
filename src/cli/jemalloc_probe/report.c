// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <stdlib.h>

#include "cli/frame/command.h"
#include "json/doc.h"
#include "result/record.h"

void probe_report_deinit(struct probe_report *report)
{
	for (size_t i = 0; i < report->snapshots.n; i++)
		probe_snapshot_deinit(&report->snapshots.at[i]);
	vec_deinit(&report->snapshots);
	for (size_t i = 0; i < report->others.n; i++) {
		free(report->others.at[i].path);
		free(report->others.at[i].unread);
	}
	vec_deinit(&report->others);
	free(report->object);
	free(report->offsets_from);
}

static bool any_thread(const struct probe_report *report,
		       bool (*matches)(const struct probe_thread *))
{
	for (size_t i = 0; i < report->snapshots.n; i++) {
		const struct probe_snapshot *snapshot = &report->snapshots.at[i];

		for (size_t j = 0; j < snapshot->n_threads; j++) {
			if (matches(&snapshot->threads[j]))
				return true;
		}
	}
	return false;
}

static bool was_read(const struct probe_thread *thread)
{
	return !thread->error;
}

static bool has_allocated(const struct probe_thread *thread)
{
	return !thread->error && thread->allocated_bytes;
}

static bool was_refused(const struct probe_thread *thread)
{
	int errnum = thread->error ? error_errno(thread->error) : 0;

	return errnum == EPERM || errnum == EACCES;
}

bool probe_report_any_read(const struct probe_report *report)
{
	return any_thread(report, was_read);
}

size_t probe_report_whole_snapshots(const struct probe_report *report)
{
	size_t whole = 0;

	for (size_t i = 0; i < report->snapshots.n; i++)
		whole += !report->snapshots.at[i].interrupted;
	return whole;
}

bool probe_report_all_zero(const struct probe_report *report)
{
	return probe_report_any_read(report) && !any_thread(report, has_allocated);
}

bool probe_report_any_refused(const struct probe_report *report)
{
	return any_thread(report, was_refused);
}

bool outcome_all_failed(const struct run_outcome *outcome)
{
	return outcome->n_snapshots > 0 && !outcome->any_read;
}

enum sidecar_plan outcome_sidecar_plan(const struct run_outcome *outcome)
{
	if (!outcome->wants_sidecar)
		return SIDECAR_NOTHING;
	if (outcome->interrupted)
		return SIDECAR_REFUSE;
	/* The numbers were not printed; a failed run is recorded nonetheless, for statistics. */
	if (outcome->output_failed && !outcome_all_failed(outcome))
		return SIDECAR_NOTHING;
	return SIDECAR_APPEND;
}

int outcome_recorded_code(const struct run_outcome *outcome)
{
	return outcome_all_failed(outcome) ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}

int outcome_exit_code(const struct run_outcome *outcome, bool sidecar_failed)
{
	if (outcome->output_failed)
		return CLI_EXIT_FAILED;
	if (outcome_sidecar_plan(outcome) == SIDECAR_REFUSE)
		return EXIT_SIDECAR;
	if (outcome_all_failed(outcome))
		return CLI_EXIT_FAILED;
	return sidecar_failed ? EXIT_SIDECAR : CLI_EXIT_OK;
}

static const struct result_metric_hint hints[] = {
	{ ".allocated_bytes", { .kind = RESULT_POLARITY_LOWER_BETTER }, "bytes" },
	{ ".deallocated_bytes", { .kind = RESULT_POLARITY_LOWER_BETTER }, "bytes" },
};

struct error *sidecar_append(const char *path, const struct probe_report *report, int exit_code,
			     const struct cancel *cancel, struct error **ret_warning)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *output = NULL;
	struct error *err;

	/* Through the very document that is printed, so that both always say the same. */
	output_json(report, &text);
	err = json_doc_parse(strbuf_str(&text), text.n, "the probe's own output", &output);
	if (err)
		return err;
	return result_append_metrics(path,
				     &(struct result_append){
					     .output = json_doc_root(output),
					     .name_prefix = "jemalloc_probe",
					     .hints = { hints, ARRAY_SIZE(hints) },
					     .exit_code = exit_code,
				     },
				     cancel, ret_warning);
}
