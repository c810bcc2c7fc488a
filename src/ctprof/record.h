/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a snapshot as JSON, both ways. A writer writes one value. A loader takes what a
 * file says, leaves out what is missing, and complains with the place about what has another type.
 */
#ifndef KTSTR_CTPROF_RECORD_H
#define KTSTR_CTPROF_RECORD_H

#include "ctprof/place.h"
#include "ctprof/presence.h"
#include "ctprof/snapshot.h"
#include "json/writer.h"

/* `presence` is the number of the thread's set. */
void thread_write(const struct snapshot *snapshot, const struct thread_sample *sample,
		  uint32_t presence, struct json_writer *w);

/* Members of threads in the order in which the last thread had them: the next has the same. */
struct thread_hints {
	VEC(uint16_t) members;
};

enum { THREAD_NO_SET = UINT32_MAX };

/* What a file says about one thread besides the sample. */
struct thread_marks {
	uint32_t set; /* THREAD_NO_SET when it does not say */
	/* The flags of files that have no sets. */
	bool taskstats_measured, cpu_delay_active, delay_block_active, xacct_active,
		jemalloc_measured;
};

/*
 * known[] says which members are there; nothing has decided yet whether they were measured.
 * The sample is the caller's and zeroed; smaps and CPU lists go into the snapshot.
 */
struct error *thread_load(const struct json_value *value, const struct place *place,
			  struct snapshot *snapshot, struct thread_hints *hints,
			  struct thread_sample *ret, struct thread_marks *ret_marks) MUST_CHECK;

void cgroup_stats_write(const struct snapshot *snapshot, const struct cgroup_stats *stats,
			struct json_writer *w);
struct error *cgroup_stats_load(const struct json_value *value, const struct place *place,
				struct snapshot *snapshot, struct cgroup_stats *ret) MUST_CHECK;

void pressure_write(const struct pressure *pressure, struct json_writer *w);
struct error *pressure_load(const struct json_value *value, const struct place *place,
			    struct pressure *ret) MUST_CHECK;

void sched_ext_write(const struct snapshot *snapshot, struct json_writer *w);
struct error *sched_ext_load(const struct json_value *value, const struct place *place,
			     struct snapshot *snapshot) MUST_CHECK;

/* null when nobody counted. */
void probe_summary_write(const struct snapshot *snapshot, struct json_writer *w);
void parse_summary_write(const struct snapshot *snapshot, struct json_writer *w);
void taskstats_summary_write(const struct snapshot *snapshot, struct json_writer *w);
struct error *probe_summary_load(const struct json_value *value, const struct place *place,
				 struct snapshot *snapshot) MUST_CHECK;
struct error *parse_summary_load(const struct json_value *value, const struct place *place,
				 struct snapshot *snapshot) MUST_CHECK;
struct error *taskstats_summary_load(const struct json_value *value, const struct place *place,
				     struct snapshot *snapshot) MUST_CHECK;

/* {"key": number, …} */
void named_write(const struct intern *strings, const struct named_readings *rows,
		 struct json_writer *w);
/* True when the object's "absent" lists this name. */
bool absent_lists(const struct json_value *object, const char *name);

#endif
