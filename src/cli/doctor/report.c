// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include "base/alloc.h"
#include "cli/frame/command.h"
#include "json/writer.h"
#include "text/escape.h"
#include "text/terminal.h"

enum {
	NAME_COLUMNS = 13,
	STATE_COLUMNS = 9,
};

void doctor_report_make(const struct check *checks, size_t n, const char *root,
			struct doctor_report *ret)
{
	*ret = (struct doctor_report){
		.checks = checks,
		.findings = xcalloc(n + 1, sizeof(struct finding)),
		.n = n,
	};
	for (size_t i = 0; i < n; i++)
		checks[i].run(root, &ret->findings[i]);
}

void doctor_report_deinit(struct doctor_report *report)
{
	for (size_t i = 0; i < report->n; i++)
		finding_deinit(&report->findings[i]);
	free(report->findings);
	*report = (struct doctor_report){ 0 };
}

static void format_row(const struct check *check, const struct finding *finding, size_t columns,
		       struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	/* Paths and programs speak here. */
	text_escape(&text, strbuf_str(&finding->text));
	strbuf_appendf(into, "%-*s%-*s", NAME_COLUMNS, check->name, STATE_COLUMNS,
		       check_state_name(finding->state));
	text_wrap(into, strbuf_str(&text), NAME_COLUMNS + STATE_COLUMNS, columns);
	strbuf_append_char(into, '\n');
	if (!finding->fix.n)
		return;
	/* In one piece, to be copied. */
	strbuf_append_repeated(into, ' ', NAME_COLUMNS + STATE_COLUMNS);
	strbuf_append(into, "fix: ");
	text_escape(into, strbuf_str(&finding->fix));
	strbuf_append_char(into, '\n');
}

void doctor_report_format(const struct doctor_report *report, size_t columns, struct strbuf *into)
{
	for (size_t i = 0; i < report->n; i++)
		format_row(&report->checks[i], &report->findings[i], columns ? columns : SIZE_MAX,
			   into);
}

void doctor_report_format_json(const struct doctor_report *report, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_begin_object(&w);
	json_open_array(&w, "checks");
	for (size_t i = 0; i < report->n; i++) {
		const struct finding *finding = &report->findings[i];

		json_begin_object(&w);
		json_add_string(&w, "name", report->checks[i].name);
		json_add_string(&w, "state", check_state_name(finding->state));
		json_add_string(&w, "text", strbuf_str(&finding->text));
		json_add_string(&w, "fix", finding->fix.n ? strbuf_str(&finding->fix) : NULL);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_add_bool(&w, "complete", doctor_report_exit_code(report) == CLI_EXIT_OK);
	json_end_document(&w);
}

int doctor_report_exit_code(const struct doctor_report *report)
{
	for (size_t i = 0; i < report->n; i++) {
		if (report->findings[i].state == CHECK_MISSING)
			return CLI_EXIT_FAILED;
	}
	return CLI_EXIT_OK;
}
