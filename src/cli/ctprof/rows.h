/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a snapshot says besides the values of threads: cgroups, pressure, memory of processes,
 * sched_ext. All of it is rows of one form, so that text, JSON and CSV have the same.
 */
#ifndef KTSTR_CLI_CTPROF_ROWS_H
#define KTSTR_CLI_CTPROF_ROWS_H

#include "cli/ctprof/profile.h"

enum row_state {
	ROW_ABSENT,
	ROW_NUMBER,
	ROW_SIGNED,
	ROW_PERCENT, /* hundredths of one */
	ROW_NO_LIMIT,
	ROW_TEXT,
};

struct row {
	enum metric_section section;
	struct group_key key; /* nothing in it for what belongs to the host */
	const char *name;
	enum row_state state;
	enum metric_unit unit;
	uint64_t number; /* ROW_SIGNED: two's complement */
	const char *text;
	/* A number for people made of two, which programs get one by one. */
	bool for_people, for_programs;
};

/* Calls take() for every row of the chosen sections, section by section, group by group. */
void rows_each(const struct profile *profile, void (*take)(const struct row *row, void *arg),
	       void *arg);
/* Neither absent nor 0 nor no limit. */
bool row_says_something(const struct row *row);
/* "1.5MiB", "max", "-" */
void row_format_value(const struct row *row, struct strbuf *into);
/* "bytes", "percent" */
const char *row_unit_word(const struct row *row);

#endif
