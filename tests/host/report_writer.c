// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shows outcomes in a format: report-writer FORMAT N_TESTS < outcomes.
 * A line of input is an outcome that ended, seven words: its index in the plan, the reason's word,
 * then suite, test, name, why and a note in hexadecimal ("-": empty).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "report/report.h"

static char *unhex(const char *digits)
{
	struct strbuf s = STRBUF_INIT;
	unsigned int byte;

	for (; digits[0] != '-' && sscanf(digits, "%2x", &byte) == 1; digits += 2)
		strbuf_append_char(&s, (char)byte);
	return strbuf_take(&s);
}

_Noreturn static void fail(const char *what)
{
	fprintf(stderr, "report-writer: %s\n", what);
	exit(2);
}

static void fail_if(struct error *err)
{
	if (err)
		fail(error_message(err));
}

static void tell(struct report_run *r, char *line)
{
	char *words[7];
	size_t index, n = 0;
	int reason = 0;
	_cleanup_result_outcome_ struct result_outcome o = { 0 };
	_cleanup_free_ char *why = NULL;
	_cleanup_free_ char *note = NULL;

	for (char *word = strtok(line, " \n"); word && n < ARRAY_SIZE(words);
	     word = strtok(NULL, " \n"))
		words[n++] = word;
	if (n != ARRAY_SIZE(words))
		fail("an outcome has seven words");
	while (reason < KTSTR_N_REASONS && strcmp(exchange_reason_names[reason], words[1]) != 0)
		reason++;
	if (reason == KTSTR_N_REASONS)
		fail("the second word of an outcome is a reason");
	index = strtoul(words[0], NULL, 10);
	o.suite = unhex(words[2]);
	o.test = unhex(words[3]);
	o.name = unhex(words[4]);
	why = unhex(words[5]);
	note = unhex(words[6]);
	o.id = xasprintf("%016zx", index);
	o.topology = xstrdup(note);
	o.kernel = xstrdup(note);
	o.scheduler = xstrdup(note);
	o.source = xstrdup(note);
	o.record_path = xstrdup(note);
	o.kept_dir = xstrdup(note);
	o.rerun = xstrdup(note);
	o.wall_ns = 1500000000;
	if (reason != KTSTR_REASON_NONE) {
		result_outcome_add_part(&o, (enum ktstr_reason)reason, note, 8, why);
		result_outcome_add_part(&o, KTSTR_REASON_NONE, note, 7, note);
	}
	result_outcome_settle(&o);
	result_outcome_add_note(&o, note);
	report_run_started(r, index, o.name, 0);
	report_run_progress(r, index, note);
	report_run_tick(r, 1);
	report_run_finished(r, index, &o);
}

int main(int argc, char **argv)
{
	_cleanup_report_reporter_ struct report_run *r = NULL;
	struct report_options options = { .fd = STDOUT_FILENO };
	struct report_plan plan = { .kernels = "one\nok 1 two", .jobs = 2, .dir = "/#/<\n" };
	_cleanup_free_ char *line = NULL;
	size_t capacity = 0, format = 0;

	while (argc == 3 && format < REPORT_N_FORMATS &&
	       strcmp(report_format_names[format], argv[1]) != 0)
		format++;
	if (argc != 3 || format == REPORT_N_FORMATS)
		fail("usage: report-writer FORMAT N_TESTS");
	plan.n_tests = strtoul(argv[2], NULL, 10);
	fail_if(report_run_new((enum report_format)format, &options, &r));
	fail_if(report_run_begin(r, &plan));
	while (getline(&line, &capacity, stdin) > 0)
		tell(r, line);
	fail_if(report_run_end(r, &(struct report_ending){ .wall_ns = 1 }));
	return 0;
}
