/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The registry: what can be known about a thread, and how it is named, reduced and shown.
 * metrics.def and sources.def are the only places where a metric or a source is named.
 */
#ifndef KTSTR_METRIC_METRIC_H
#define KTSTR_METRIC_METRIC_H

#include "base/macros.h"

/*
 * METRIC_KIND(id, word, what a group of threads is reduced to). SUM saturates. PEAK is an extreme
 * since the thread's birth, GAUGE a value of the moment; both reduce to the largest. LEAST is an
 * extreme the other way: the smallest that is not 0, since 0 says that there was no event.
 */
#define METRIC_KINDS(X)                               \
	X(TALLY, "tally", "number of threads")        \
	X(SUM, "sum", "sum")                          \
	X(PEAK, "peak", "largest")                    \
	X(LEAST, "least", "smallest that is not 0")   \
	X(GAUGE, "gauge", "largest")                  \
	X(ORDINAL, "ordinal", "smallest and largest") \
	X(POLICY, "policy", "most frequent")          \
	X(STATE, "state", "most frequent")            \
	X(FLAG, "flag", "most frequent")              \
	X(CPUSET, "cpuset", "sizes, and the set when equal")

#define METRIC_UNITS(X) X(NONE) X(COUNT) X(NS) X(US) X(TICKS) X(BYTES) X(RATIO)

/* Tables of `show` and `compare`: METRIC_SECTION(id, word, heading, what). */
#define METRIC_SECTIONS(X)                                                                       \
	X(PRIMARY, "primary", "Primary metrics", "values of threads")                            \
	X(TASKSTATS_DELAY, "taskstats-delay", "Primary metrics", "delays and memory watermarks") \
	X(DERIVED, "derived", "Derived metrics", "ratios and averages of reduced values")        \
	X(CGROUP_STATS, "cgroup-stats", "Cgroup statistics", "counters of cgroups")              \
	X(CGROUP_LIMITS, "cgroup-limits", "Cgroup limits", "limits and weights of cgroups")      \
	X(MEMORY_STAT, "memory-stat", "memory.stat", "memory of cgroups by kind")                \
	X(MEMORY_EVENTS, "memory-events", "memory.events", "reclaim, limits hit, kills")         \
	X(PRESSURE, "pressure", "Pressure", "stalls inside cgroups")                             \
	X(HOST_PRESSURE, "host-pressure", "Host pressure", "stalls of the whole host")           \
	X(SMAPS_ROLLUP, "smaps-rollup", "smaps_rollup", "memory of processes by kind")           \
	X(SCHED_EXT, "sched-ext", "sched_ext", "state of sched_ext and its counters")

/* In which scheduling classes the kernel keeps the value. */
#define METRIC_CLASSES(X)                                                               \
	X(ANY, "", "every class")                                                       \
	X(CFS_ONLY, "cfs-only", "counted only in the fair class")                       \
	X(NON_EXT, "non-ext", "counted in fair, real-time and deadline, not sched_ext") \
	X(FAIR_POLICY, "fair-policy", "shown only for SCHED_OTHER, BATCH and EXT")

#define METRIC_KIND_(id, word, what) METRIC_KIND_##id,
enum metric_kind { METRIC_KINDS(METRIC_KIND_) METRIC_N_KINDS };
#undef METRIC_KIND_

#define METRIC_UNIT_(id) METRIC_UNIT_##id,
enum metric_unit { METRIC_UNITS(METRIC_UNIT_) METRIC_N_UNITS };
#undef METRIC_UNIT_

#define METRIC_SECTION_(id, word, heading, what) METRIC_SECTION_##id,
enum metric_section { METRIC_SECTIONS(METRIC_SECTION_) METRIC_N_SECTIONS };
#undef METRIC_SECTION_

#define METRIC_CLASS_(id, word, what) METRIC_CLASS_##id,
enum metric_class { METRIC_CLASSES(METRIC_CLASS_) METRIC_N_CLASSES };
#undef METRIC_CLASS_

#define METRIC_SOURCE(id, word, file, what) METRIC_SOURCE_##id,
enum metric_source {
#include "metric/sources.def"
	METRIC_N_SOURCES,
	METRIC_SOURCE_NONE = METRIC_N_SOURCES, /* not read from anywhere: counted */
};
#undef METRIC_SOURCE

#define METRIC(id, ...) METRIC_##id,
enum metric_id {
#include "metric/metrics.def"
	METRIC_N,
};
#undef METRIC

struct metric {
	const char *name;
	enum metric_kind kind;
	enum metric_unit unit;
	enum metric_source source;
	enum metric_section section;
	enum metric_class class;
	const char *configs; /* "TASKSTATS TASK_XACCT", "" for none */
	const char *key;     /* in the source's file; "-" for none */
	const char *description;
};

extern const struct metric metric_rows[METRIC_N];

struct metric_source_row {
	const char *word;
	const char *file;
	const char *what;
};

extern const struct metric_source_row metric_sources[METRIC_N_SOURCES];

struct metric_section_row {
	const char *word;
	const char *heading; /* of its table */
	const char *what;
};

extern const struct metric_section_row metric_sections[METRIC_N_SECTIONS];

/* A word of a closed vocabulary and what it means. */
struct metric_word {
	const char *word;
	const char *what;
};

extern const struct metric_word metric_kinds[METRIC_N_KINDS];
extern const struct metric_word metric_classes[METRIC_N_CLASSES];

/* False when there is no such name. */
bool metric_find(const char *name, enum metric_id *ret);

#define METRIC_SOURCE_BIT(id) (UINT32_C(1) << METRIC_SOURCE_##id)
#define METRIC_ALL_SOURCES    ((UINT32_C(1) << METRIC_N_SOURCES) - 1)

#endif
