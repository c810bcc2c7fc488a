/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a snapshot as JSON, both ways. A writer writes one value. A loader takes what a
 * file says, leaves out what is missing, and complains with the place about what has another type.
 */
#ifndef KTSTR_CTPROF_FILE_RECORD_H
#define KTSTR_CTPROF_FILE_RECORD_H

#include "ctprof/snapshot.h"
#include "json/doc.h"
#include "json/writer.h"
#include "procfs/reading.h"

/*
 * Values out of a foreign document, and errors that say where they stand: "threads[3].nice: …".
 * A value that is missing or null is absent, which is no error here; one of another type is.
 */

/* A member of an object, or an element of an array when key is NULL. */
struct ctprof_place {
	const struct ctprof_place *outer; /* NULL: the document itself */
	const char *key;
	size_t index;
};

/* BASE_PARSE with the place in front. */
struct error *ctprof_place_error(const struct ctprof_place *place, const char *fmt, ...)
	PRINTF_LIKE(2, 3) MUST_CHECK;

/* True unless value is NULL or null. */
bool ctprof_value_is_there(const struct json_value *value);

/* Untouched outputs when absent; *ret_there (may be NULL) says whether it was there. */
struct error *ctprof_value_u64(const struct json_value *value, const struct ctprof_place *place,
			       uint64_t *ret, bool *ret_there) MUST_CHECK;
struct error *ctprof_value_i64(const struct json_value *value, const struct ctprof_place *place,
			       int64_t min, int64_t max, int64_t *ret, bool *ret_there) MUST_CHECK;
struct error *ctprof_value_bool(const struct json_value *value, const struct ctprof_place *place,
				bool *ret, bool *ret_there) MUST_CHECK;
struct error *ctprof_value_reading(const struct json_value *value, const struct ctprof_place *place,
				   struct procfs_reading *ret) MUST_CHECK;
/* A string into the table; 0 when absent. */
struct error *ctprof_value_string(const struct json_value *value, const struct ctprof_place *place,
				  struct intern *strings, uint32_t *ret) MUST_CHECK;
/* An object of numbers; known when it is there. */
struct error *ctprof_value_named(const struct json_value *value, const struct ctprof_place *place,
				 struct intern *strings,
				 struct procfs_named_readings *ret) MUST_CHECK;
/* NULL when it is absent or of this type. */
struct error *ctprof_value_expect(const struct json_value *value, const struct ctprof_place *place,
				  enum json_type type) MUST_CHECK;

/*
 * What is known of each thread. Most threads of a host have the same set, so the file keeps each
 * set once and a thread only its number.
 */
struct ctprof_presence_set {
	uint32_t sources;
	uint64_t known[METRIC_SAMPLE_WORDS];
};

struct ctprof_presence_sets {
	VEC(struct ctprof_presence_set) sets;
	size_t last; /* neighbours are mostly alike */
};

void ctprof_presence_sets_deinit(struct ctprof_presence_sets *sets);
#define _cleanup_ctprof_presence_sets_ _cleanup_(ctprof_presence_sets_deinit)

/* The number of the sample's set. */
uint32_t ctprof_presence_add(struct ctprof_presence_sets *sets,
			     const struct metric_thread_sample *sample);

/* Sources, reasons, paths and sets of the whole snapshot. */
void ctprof_presence_write(const struct ctprof_snapshot *snapshot,
			   const struct ctprof_presence_sets *sets, struct json_writer *w);
struct error *ctprof_presence_load(const struct json_value *value, const struct ctprof_place *place,
				   struct ctprof_snapshot *snapshot,
				   struct ctprof_presence_sets *ret) MUST_CHECK;

/* Takes away what the file does not vouch for. */
void ctprof_presence_apply(const struct ctprof_presence_set *set,
			   struct metric_thread_sample *sample);

/* `presence` is the number of the thread's set. */
void ctprof_thread_write(const struct ctprof_snapshot *snapshot,
			 const struct metric_thread_sample *sample, uint32_t presence,
			 struct json_writer *w);

/* Members of threads in the order in which the last thread had them: the next has the same. */
struct ctprof_thread_hints {
	VEC(uint16_t) members;
};

enum { CTPROF_THREAD_NO_SET = UINT32_MAX };

/* What a file says about one thread besides the sample. */
struct ctprof_thread_marks {
	uint32_t set; /* CTPROF_THREAD_NO_SET when it does not say */
	/* The flags of files that have no sets. */
	bool taskstats_measured, cpu_delay_active, delay_block_active, xacct_active,
		jemalloc_measured;
};

/*
 * known[] says which members are there; nothing has decided yet whether they were measured.
 * The sample is the caller's and zeroed; smaps and CPU lists go into the snapshot.
 */
struct error *ctprof_thread_load(const struct json_value *value, const struct ctprof_place *place,
				 struct ctprof_snapshot *snapshot,
				 struct ctprof_thread_hints *hints,
				 struct metric_thread_sample *ret,
				 struct ctprof_thread_marks *ret_marks) MUST_CHECK;

void ctprof_cgroup_stats_write(const struct ctprof_snapshot *snapshot,
			       const struct procfs_cgroup_stats *stats, struct json_writer *w);
struct error *ctprof_cgroup_stats_load(const struct json_value *value,
				       const struct ctprof_place *place,
				       struct ctprof_snapshot *snapshot,
				       struct procfs_cgroup_stats *ret) MUST_CHECK;

void ctprof_pressure_write(const struct procfs_pressure *pressure, struct json_writer *w);
struct error *ctprof_pressure_load(const struct json_value *value, const struct ctprof_place *place,
				   struct procfs_pressure *ret) MUST_CHECK;

void ctprof_sched_ext_write(const struct ctprof_snapshot *snapshot, struct json_writer *w);
struct error *ctprof_sched_ext_load(const struct json_value *value,
				    const struct ctprof_place *place,
				    struct ctprof_snapshot *snapshot) MUST_CHECK;

/* null when nobody counted. */
void ctprof_probe_summary_write(const struct ctprof_snapshot *snapshot, struct json_writer *w);
void ctprof_parse_summary_write(const struct ctprof_snapshot *snapshot, struct json_writer *w);
void ctprof_taskstats_summary_write(const struct ctprof_snapshot *snapshot, struct json_writer *w);
struct error *ctprof_probe_summary_load(const struct json_value *value,
					const struct ctprof_place *place,
					struct ctprof_snapshot *snapshot) MUST_CHECK;
struct error *ctprof_parse_summary_load(const struct json_value *value,
					const struct ctprof_place *place,
					struct ctprof_snapshot *snapshot) MUST_CHECK;
struct error *ctprof_taskstats_summary_load(const struct json_value *value,
					    const struct ctprof_place *place,
					    struct ctprof_snapshot *snapshot) MUST_CHECK;

/* {"key": number, …} */
void ctprof_named_write(const struct intern *strings, const struct procfs_named_readings *rows,
			struct json_writer *w);
/* True when the object's "absent" lists this name. */
bool ctprof_absent_lists(const struct json_value *object, const char *name);

#endif
