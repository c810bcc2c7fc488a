/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that a snapshot says, as rows of one form: the metrics of groups of threads, and
 * cgroups, pressure, memory of processes, sched_ext. Text, JSON and CSV are made of them.
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
	/* Of metrics only: */
	ROW_RANGE, /* least and most */
	ROW_LABEL, /* the most frequent of them */
	ROW_CPUS,  /* a set, and the least and most CPUs of a thread */
	ROW_COMPUTED,
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

	/* Of a metric; NULL for all other rows. */
	const struct group *group;
	size_t metric;		       /* below N_SPEC_METRICS */
	const struct reduced *reduced; /* NULL when computed */
	int64_t least, most;
	const uint32_t *cpus; /* `least` ids; NULL when the sets differ */
	long double computed;
	uint32_t measured, of;
};

typedef void (*row_fn)(const struct row *row, void *arg);

/* The chosen metrics of a group, from `from` to before `to`. */
void rows_of_group(const struct profile *profile, const struct group *group, size_t from, size_t to,
		   row_fn take, void *arg);
/* All other rows of a section, group by group; none when it is not chosen. */
void rows_of_section(const struct profile *profile, enum metric_section section, row_fn take,
		     void *arg);

/* Neither absent nor 0 nor no limit. */
bool row_says_something(const struct row *row);
/* Measured in only some of the threads. */
bool row_is_partial(const struct row *row);
/* "1.5MiB", "max", "-" */
void row_format_value(const struct row *row, struct strbuf *into);
/* Of ROW_TEXT, ROW_LABEL and ROW_CPUS, for programs. */
void row_format_text(const struct row *row, struct strbuf *into);
/* "bytes", "percent" */
const char *row_unit_word(const struct row *row);

#endif
