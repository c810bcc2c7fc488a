/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Past runs on a screen and as JSON. */
#ifndef KTSTR_CLI_RESULTS_OUTPUT_H
#define KTSTR_CLI_RESULTS_OUTPUT_H

#include "cli/results/collect.h"
#include "text/table.h"

/* Many runs: their folders below `dir`, the newest first. A folder that vanished has no records. */
struct shown_runs {
	char *dir;
	VEC(struct shown_folder) runs;
};

void shown_runs_deinit(struct shown_runs *runs);
#define _cleanup_shown_runs_ __attribute__((cleanup(shown_runs_deinit)))

void results_format_table(const struct shown_folder *folder, const struct table_look *look,
			  struct strbuf *into);
/* For each that is no plain pass: what is behind the verdict, and where to look. */
void results_format_details(const struct shown_folder *folder, struct strbuf *into);
/* "3 records in DIR: 1 failed, 2 passed" */
void results_format_summary(const struct shown_folder *folder, struct strbuf *into);
void results_format_json(const struct shown_folder *folder, struct strbuf *into);

void runs_format_table(const struct shown_runs *runs, const struct table_look *look,
		       struct strbuf *into);
void runs_format_json(const struct shown_runs *runs, struct strbuf *into);

#endif
