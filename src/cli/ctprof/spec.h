/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The little languages of --metrics, --sections and --sort-by: words between commas, blanks
 * around them ignored. An empty text is no choice; an empty word, a word twice and an unknown word
 * are errors of the command line that name the option, the word, and what would be right.
 */
#ifndef KTSTR_CLI_CTPROF_SPEC_H
#define KTSTR_CLI_CTPROF_SPEC_H

#include "metric/derived.h"

/* Metrics and derived metrics share one space of names and one order. */
enum { N_SPEC_METRICS = N_METRICS + N_DERIVED };

struct metric_choice {
	size_t n; /* 0: no choice was made, all are meant */
	bool chosen[N_SPEC_METRICS];
	size_t order[N_SPEC_METRICS]; /* the first n: as they were named */
};

struct section_choice {
	size_t n; /* 0: all are meant */
	bool chosen[N_METRIC_SECTIONS];
};

struct sort_term {
	size_t metric; /* below N_SPEC_METRICS */
	bool ascending;
};

struct sort_order {
	size_t n;
	struct sort_term terms[N_SPEC_METRICS];
};

const char *spec_metric_name(size_t metric);
/* False when there is no such metric. */
bool spec_metric_find(const char *name, size_t *ret);

struct error *spec_parse_metrics(const char *text, struct metric_choice *ret) MUST_CHECK;
/* METRIC_SOURCE_BIT of what the chosen need, and of what tells threads apart: name and start. */
uint32_t spec_sources(const struct metric_choice *choice);
/* Words in any case. */
struct error *spec_parse_sections(const char *text, struct section_choice *ret) MUST_CHECK;
/* METRIC[:asc|:desc]; labels cannot be sorted by. */
struct error *spec_parse_sort(const char *text, struct sort_order *ret) MUST_CHECK;

static inline bool section_is_chosen(const struct section_choice *choice,
				     enum metric_section section)
{
	return choice->n == 0 || choice->chosen[section];
}

#endif
