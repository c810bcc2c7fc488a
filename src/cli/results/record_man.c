// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/results/record_man.h"

#include "result/metric.h"
#include "result/run_record_rows.h"

void record_format_man(struct strbuf *into)
{
	json_rows_format_man(&run_record_state_rows, "", into);
	json_rows_format_man(&run_record_verdict_rows, "", into);
	json_rows_format_man(&run_record_head_rows, "", into);
	json_rows_format_man(&run_record_fact_rows, "", into);
	strbuf_append(into, "*metrics[]* (list of objects)\n\tWhat programs measured.\n\n");
	json_rows_format_man(&metric_payload_rows, "metrics[]", into);
}
