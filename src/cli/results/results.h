/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `ktstr results` share. */
#ifndef KTSTR_CLI_RESULTS_RESULTS_H
#define KTSTR_CLI_RESULTS_RESULTS_H

#include "result/run_record.h"
#include "text/table.h"

/* The records of a directory, with a place for each, also for those that cannot be read. */

/* In the order they are shown. */
enum shown_state {
	SHOWN_FAIL,
	SHOWN_BROKEN,
	SHOWN_UNREADABLE,
	SHOWN_UNFINISHED,
	SHOWN_INCONCLUSIVE,
	SHOWN_SKIP,
	SHOWN_PASS,
	N_SHOWN_STATES
};

struct shown_record {
	char *file; /* its name in the directory */
	enum shown_state state;
	struct result_run run; /* empty when unreadable */
	char *why;	       /* one line; "" for a plain pass */
};

struct shown_dir {
	char *dir;
	VEC(struct shown_record) records; /* failures first, then by name */
	size_t counts[N_SHOWN_STATES];
};

/* "fail", "unreadable", …; and behind a number: "failed". */
struct shown_state_row {
	const char *name, *counted;
};
extern const struct shown_state_row shown_states[N_SHOWN_STATES];

/* BASE_ABSENT, BASE_IO, BASE_LIMIT for the directory; whatever a record is, it has its place. */
struct error *shown_dir_read(const char *dir, struct shown_dir *ret) MUST_CHECK;
/* A directory with this one record. */
void shown_file_read(const char *path, struct shown_dir *ret);
void shown_dir_deinit(struct shown_dir *dir);
#define _cleanup_shown_dir_ __attribute__((cleanup(shown_dir_deinit)))

/* Past runs on a screen and as JSON. */

/* Many runs: their directories below `dir`, the newest first. A directory that vanished has no
 * records. */
struct shown_runs {
	char *dir;
	VEC(struct shown_dir) runs;
};

void shown_runs_deinit(struct shown_runs *runs);
#define _cleanup_shown_runs_ __attribute__((cleanup(shown_runs_deinit)))

void results_format_table(const struct shown_dir *dir, const struct text_look *look,
			  struct strbuf *into);
/* For each record but a plain pass: the parts of the verdict, and where to look. */
void results_format_details(const struct shown_dir *dir, struct strbuf *into);
/* "3 records in DIR: 1 failed, 2 passed" */
void results_format_summary(const struct shown_dir *dir, struct strbuf *into);
void results_format_json(const struct shown_dir *dir, struct strbuf *into);

void runs_format_table(const struct shown_runs *runs, const struct text_look *look,
		       struct strbuf *into);
void runs_format_json(const struct shown_runs *runs, struct strbuf *into);

/* Every member of a record, in the order in which they are written, in the language of scdoc. */
void record_format_man(struct strbuf *into);

#endif
