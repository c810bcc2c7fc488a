/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `ktstr ctprof show` share. */
#ifndef KTSTR_CLI_CTPROF_SHOW_H
#define KTSTR_CLI_CTPROF_SHOW_H

#include "cli/frame/command.h"
#include "ctprof/group/group.h"
#include "ctprof/file/file.h"
#include "metric/reduce.h"
#include "text/table.h"

extern const struct cli_command cmd_ctprof_show;

/*
 * The little languages of --metrics, --sections and --sort-by: words between commas, blanks
 * around them ignored. An empty text chooses none; an empty word, a word twice and an unknown word
 * are errors of the command line that name the option, the word, and what would be right.
 */

/* Metrics and derived metrics share one space of names and one order. */
enum { N_SPEC_METRICS = METRIC_N + METRIC_N_DERIVED };

struct metric_choice {
	size_t n; /* 0: no choice was made, all are meant */
	bool chosen[N_SPEC_METRICS];
	size_t order[N_SPEC_METRICS]; /* the first n: as they were named */
};

struct section_choice {
	size_t n; /* 0: all are meant */
	bool chosen[METRIC_N_SECTIONS];
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

/* What `ktstr ctprof show` shows, before it has a form: groups in their order, and what is chosen.
 */

struct profile_options {
	struct ctprof_group_rules rules;
	struct metric_choice metrics;
	struct section_choice sections;
	struct sort_order sort;
	uint32_t top;	     /* only so many groups; 0: all */
	const char *threads; /* only threads that match, each alone; NULL: all, in groups */
	bool everything;     /* what is 0 or absent, too */
};

struct profile {
	const struct profile_options *options;
	const struct ctprof_snapshot *snapshot;
	const struct ctprof_snapshot_origin *origin;
	struct ctprof_group_keys *keys;
	struct ctprof_grouping grouping;
	size_t n_groups; /* of grouping->groups: those that are shown, in their order */
	struct ctprof_merged_cgroups cgroups; /* on the axis cgroup, in the order of the groups */
	struct ctprof_smaps_groups smaps;
};

/* Borrows all three. */
void profile_make(const struct profile_options *options, const struct ctprof_snapshot *snapshot,
		  const struct ctprof_snapshot_origin *origin, struct profile *ret);
void profile_deinit(struct profile *profile);
#define _cleanup_profile_ _cleanup_(profile_deinit)

/* Whether the row of a metric (below N_SPEC_METRICS) belongs to what was asked for. */
bool profile_wants(const struct profile *profile, size_t metric);
/*
 * PATTERN of --threads: a number is a tid or a process; anything else is a glob over the names of
 * the thread and its process, or what show calls their group: pool-{N}, name[7].
 */
bool profile_thread_matches(const char *pattern, const struct ctprof_snapshot *snapshot,
			    const struct metric_thread_sample *sample);
/* "/a/b", "-" for a group without a name. */
void profile_format_label(const struct profile *profile, const struct ctprof_group_key *key,
			  struct strbuf *into);

/*
 * Everything that a snapshot says, as rows of one form: the metrics of groups of threads, and
 * cgroups, pressure, memory of processes, sched_ext. Text, JSON and CSV are made of them.
 */

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
	struct ctprof_group_key key; /* nothing in it for what belongs to the host */
	const char *name;
	enum row_state state;
	enum metric_unit unit;
	uint64_t number; /* ROW_SIGNED: two's complement */
	const char *text;
	/* A number for people made of two, which programs get one by one. */
	bool for_people, for_programs;

	/* Of a metric; NULL for all other rows. */
	const struct ctprof_group *group;
	size_t metric;			      /* below N_SPEC_METRICS */
	const struct metric_reduced *reduced; /* NULL when computed */
	int64_t least, most;
	const uint32_t *cpus; /* `least` ids; NULL when the sets differ */
	long double computed;
	uint32_t measured, of;
};

typedef void (*row_fn)(const struct row *row, void *arg);

/* The chosen metrics of a group, from `from` to before `to`. */
void rows_of_group(const struct profile *profile, const struct ctprof_group *group, size_t from,
		   size_t to, row_fn take, void *arg);
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
const char *row_unit_name(const struct row *row);

/*
 * Rows that read best as one line per group: a few of them as columns. A column that says nothing
 * in any group is left out, unless the user named it, and so is a group that says nothing.
 */

enum {
	COLUMNS_MOST = 8,
	/* A list of CPUs can be as long as a page. */
	COLUMNS_WIDEST_VALUE = 36,
};

struct columns_group {
	char *label;
	uint32_t threads;
	char *cells[COLUMNS_MOST]; /* NULL: there was no such row */
	bool says_something;
};

struct columns {
	const char *title, *names[COLUMNS_MOST];
	bool all, counts_threads;
	bool says_something[COLUMNS_MOST];
	struct ctprof_group_key key; /* of the last group */
	VEC(struct columns_group) groups;
};

/* The most telling rows of a section; false when it has no such form. */
bool columns_of_section(struct columns *columns, enum metric_section section);
/* The metrics the user named; false when these are none or too many. */
bool columns_of_metrics(struct columns *columns, const struct profile *profile);
void columns_deinit(struct columns *columns);
#define _cleanup_columns_ _cleanup_(columns_deinit)

void columns_add(struct columns *columns, const struct profile *profile, const struct row *row);
/* Prints nothing when all values are 0 or absent. Returns how many groups were left out. */
size_t columns_format(const struct columns *columns, const struct text_look *look, bool everything,
		      struct strbuf *into);
/* Cuts a value that is too wide for a cell. */
void columns_cut(struct strbuf *text);

/* The forms of `ktstr ctprof show`. */

/* When and where the snapshot was taken and how well it could be read. */
void show_format_header(const struct profile *profile, const struct text_look *look,
			struct strbuf *into);
/* Tables of metrics: one line per group for a few of them, else one line per metric. */
void show_format_groups(const struct profile *profile, const struct text_look *look,
			struct strbuf *into);
/* Everything else, section by section. */
void show_format_rows(const struct profile *profile, const struct text_look *look,
		      struct strbuf *into);

void show_format_json(const struct profile *profile, struct strbuf *into);
void show_format_csv(const struct profile *profile, struct strbuf *into);

#endif
