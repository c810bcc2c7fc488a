// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/results/record_man.h"

#include "harness/job.h"
#include "result/record.h"
#include "result/run_record.h"

/* A list that is not a row: who writes it adds its elements one by one. */
static void format_list(const char *name, const char *means, const struct json_rows *rows,
			struct strbuf *into)
{
	strbuf_appendf(into, "*%s* (list of objects)\n\t%s.\n\n", name, means);
	json_rows_format_man(rows, name, into);
}

void record_format_man(struct strbuf *into)
{
	json_rows_format_man(&result_state_rows, "", into);
	json_rows_format_man(&result_verdict_rows, "", into);
	json_rows_format_man(&result_head_rows, "", into);
	json_rows_format_man(&result_fact_rows, "", into);
	strbuf_append(into, "*stats* (object)\n\tFigures of the whole run.\n\n");
	json_rows_format_man(&job_stats_rows, "stats", into);
	json_rows_format_man(&harness_job_facts_rows, "", into);
	format_list("measures[]", "Figures above that runs can be compared by",
		    &result_measure_rows, into);
	format_list("metrics[]", "What programs measured", &result_metric_payload_rows, into);
}
