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
 * A value out of a foreign document, and where it stands: "threads[3].nice: …" in errors. One that
 * is missing or null is absent, which is not an error here; another type is.
 */
struct ctprof_value {
	const struct json_value *json;
	const struct ctprof_value *outer; /* NULL: the document itself */
	const char *key;		  /* of a member; NULL: an element of an array */
	size_t index;
};

static inline struct ctprof_value ctprof_value_find(const struct ctprof_value *object,
						    const char *key)
{
	return (struct ctprof_value){ json_find(object->json, key), object, key, 0 };
}

static inline struct ctprof_value ctprof_value_at(const struct ctprof_value *container,
						  const struct json_iter *it)
{
	return (struct ctprof_value){ it->value, container, it->key.at, it->index };
}

/* BASE_PARSE with the place in front. */
struct error *ctprof_value_error(const struct ctprof_value *value, const char *fmt, ...)
	PRINTF_LIKE(2, 3) MUST_CHECK;

/* True unless it is missing or null. */
bool ctprof_value_is_there(const struct ctprof_value *value);
/* NULL when it is absent or of this type. */
struct error *ctprof_value_expect(const struct ctprof_value *value, enum json_type type) MUST_CHECK;

/* Untouched outputs when absent. */
struct error *ctprof_value_u64(const struct ctprof_value *value, uint64_t *ret) MUST_CHECK;
struct error *ctprof_value_i64(const struct ctprof_value *value, int64_t min, int64_t max,
			       int64_t *ret) MUST_CHECK;
struct error *ctprof_value_bool(const struct ctprof_value *value, bool *ret) MUST_CHECK;
/* Not known when absent. */
struct error *ctprof_value_reading(const struct ctprof_value *value,
				   struct procfs_reading *ret) MUST_CHECK;
/* A string into the table; 0 when absent. */
struct error *ctprof_value_string(const struct ctprof_value *value, struct intern *strings,
				  uint32_t *ret) MUST_CHECK;
/* An object of numbers; known when it is there. */
struct error *ctprof_value_named(const struct ctprof_value *value, struct intern *strings,
				 struct procfs_named_readings *ret) MUST_CHECK;

/* Members of an object, which are members of a struct. The rows are walked by writer and loader. */
enum ctprof_member_type {
	CTPROF_MEMBER_U64,
	CTPROF_MEMBER_U32,
	CTPROF_MEMBER_PERCENT,	    /* a uint64_t in hundredths, bounded */
	CTPROF_MEMBER_READING,	    /* not written when it is not known */
	CTPROF_MEMBER_MARKED,	    /* a reading: 0 when it is not known, and listed in "absent" */
	CTPROF_MEMBER_NAMED,	    /* an object of numbers, not written when it is not known */
	CTPROF_MEMBER_TEXT,	    /* a string of the snapshot, "" for none */
	CTPROF_MEMBER_TEXT_OR_NULL, /* the same, null for none */
	CTPROF_MEMBER_BOOL,
	CTPROF_MEMBER_SOURCE, /* a bit of a uint32_t of sources: a bool */
	CTPROF_MEMBER_FILES,  /* a count for each source: an object of those that are not 0 */
	CTPROF_MEMBER_OBJECT, /* a struct that begins with a bool: null when that is false */
	CTPROF_MEMBER_HOST,   /* of the snapshot */
	CTPROF_MEMBER_PRESSURE,
	/* From here on: whoever has such a row writes and loads it. */
	CTPROF_MEMBER_PRESENCE,
	CTPROF_MEMBER_CGROUPS,
	CTPROF_MEMBER_THREADS,
	CTPROF_MEMBER_SMAPS,
	CTPROF_MEMBER_SET,
};

struct ctprof_member {
	const char *key;
	enum ctprof_member_type type;
	size_t offset;
	const struct ctprof_members *members; /* of an OBJECT */
	enum metric_source source;	      /* of a SOURCE */
};

#define CTPROF_MEMBER(struct_, member, key_, type_) \
	.key = (key_), .type = CTPROF_MEMBER_##type_, .offset = offsetof(struct_, member)

struct ctprof_members {
	const struct ctprof_member *at;
	size_t n;
	size_t size; /* of the struct */
};

/* Of the outermost object, in the order in which they are written: offsets in the snapshot. */
extern const struct ctprof_members ctprof_snapshot_members;
/* NULL when there is none of this name. */
const struct ctprof_member *ctprof_snapshot_member_find(const char *key);

/* With its key. */
void ctprof_member_write(const struct ctprof_member *member, const struct intern *strings,
			 const void *from, struct json_writer *w);
struct error *ctprof_member_load(const struct ctprof_member *member,
				 const struct ctprof_value *value, struct intern *strings,
				 void *into) MUST_CHECK;
/* The object of a struct that begins with a bool, which says after loading whether it was there. */
void ctprof_members_write(const struct ctprof_members *members, const struct intern *strings,
			  const void *from, struct json_writer *w);
struct error *ctprof_members_load(const struct ctprof_members *members,
				  const struct ctprof_value *value, struct intern *strings,
				  void *into) MUST_CHECK;

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
/* Of those the members paths and reasons. */
void ctprof_presence_write_reasons(const struct ctprof_snapshot *snapshot, struct json_writer *w);
struct error *ctprof_presence_load(const struct ctprof_value *value,
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

/*
 * known[] says which members are there; nothing has decided yet whether they were measured.
 * `sources` has the flags of files that have no sets; *ret_set is CTPROF_THREAD_NO_SET in those.
 * Smaps and CPU lists go into the snapshot.
 */
struct error *ctprof_thread_load(const struct ctprof_value *value, struct ctprof_snapshot *snapshot,
				 struct ctprof_thread_hints *hints,
				 struct metric_thread_sample *ret, uint32_t *ret_set) MUST_CHECK;

void ctprof_cgroup_stats_write(const struct ctprof_snapshot *snapshot,
			       const struct procfs_cgroup_stats *stats, struct json_writer *w);
struct error *ctprof_cgroup_stats_load(const struct ctprof_value *value,
				       struct ctprof_snapshot *snapshot,
				       struct procfs_cgroup_stats *ret) MUST_CHECK;

void ctprof_pressure_write(const struct procfs_pressure *pressure, struct json_writer *w);
struct error *ctprof_pressure_load(const struct ctprof_value *value,
				   struct procfs_pressure *ret) MUST_CHECK;

/* {"key": number, …} */
void ctprof_named_write(const struct intern *strings, const struct procfs_named_readings *rows,
			struct json_writer *w);
/* True when the object's "absent" lists this name. */
bool ctprof_absent_lists(const struct ctprof_value *object, const char *name);

#endif
