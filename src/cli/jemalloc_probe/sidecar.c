// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include "json/doc.h"
#include "result/record.h"

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
