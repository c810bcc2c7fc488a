/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* jemalloc's counters of all threads, without stopping any. */
#ifndef KTSTR_CTPROF_HEAP_HEAP_H
#define KTSTR_CTPROF_HEAP_HEAP_H

#include <pthread.h>

#include "base/cancel.h"
#include "base/hash.h"
#include "ctprof/capture.h"
#include "ctprof/snapshot.h"
#include "probe/objects.h"
#include "probe/probe.h"

/*
 * Work on foreign bytes in helper processes: whatever the bytes do to a helper,
 * the caller lives and goes on with the next.
 */

struct ctprof_helper_limits {
	uint64_t memory_bytes; /* beyond what the caller itself has */
	unsigned int cpu_sec;  /* of one item */
	unsigned int wall_ms;  /* of one item */
};

extern const struct ctprof_helper_limits ctprof_helper_default_limits;

enum { CTPROF_HELPER_RESULT_BYTES = 16384 };

struct ctprof_helper_work {
	size_t n;	     /* items */
	size_t result_bytes; /* of each; at most CTPROF_HELPER_RESULT_BYTES */
	/* In a child, which has the caller's memory as it was when the work began. */
	void (*run)(void *arg, size_t item, void *result);
	/* In the caller; NULL: the child died of the item, or took longer than it may. */
	void (*done)(void *arg, size_t item, const void *result);
	void *arg;
};

/*
 * Each item once, `jobs` at a time. One that kills its child is done with NULL, and another child
 * goes on. When the cancel fires no more are begun and those under way are dropped: done() is not
 * called for them. Call it while no other thread holds a lock that run() needs.
 */
void ctprof_helper_run(const struct ctprof_helper_work *work, unsigned int jobs,
		       const struct ctprof_helper_limits *limits, const struct cancel *cancel);

/*
 * The ELF objects that processes have mapped, each once: by device, inode, size and time of the
 * last change; and what they contain, found in helper processes. Where jemalloc's counters are is
 * found once per build-id.
 */

enum {
	CTPROF_HEAP_OBJECTS = 1 << 20,
	/* Processes through which one may be opened: they end when they like. */
	CTPROF_HEAP_PLACES = 4,
	CTPROF_HEAP_WHY = 192,
};
#define CTPROF_HEAP_NO_OBJECT UINT32_MAX

struct ctprof_heap_key {
	uint64_t dev, ino, size;
	int64_t mtime_sec, mtime_nsec;
};

struct ctprof_heap_place {
	pid_t pid;
	struct probe_object object; /* how it is opened there */
};

enum ctprof_heap_state {
	CTPROF_HEAP_UNKNOWN,
	CTPROF_HEAP_KNOWN,
	CTPROF_HEAP_FAILED, /* with an error */
	CTPROF_HEAP_PANIC,  /* the helper that read it died */
};

/* An error on its way from a helper. */
struct ctprof_heap_error {
	bool is_elf; /* of the domain elf, else of base */
	int kind, errnum;
	char why[CTPROF_HEAP_WHY];
};

/* What became of a question that a helper was asked. */
struct ctprof_heap_finding {
	enum ctprof_heap_state state;
	struct ctprof_heap_error error; /* CTPROF_HEAP_FAILED */
};

struct ctprof_heap_object {
	struct ctprof_heap_key key;
	struct ctprof_heap_place places[CTPROF_HEAP_PLACES];
	unsigned int n_places;

	struct ctprof_heap_finding file;
	struct probe_object_facts *facts; /* CTPROF_HEAP_KNOWN */

	uint32_t twin; /* the object of the same build that is asked for the counters; or itself */
	struct ctprof_heap_finding debug_info;
	struct probe_counter_offsets counters; /* CTPROF_HEAP_KNOWN */
};

struct ctprof_heap_objects {
	const char *proc_root;
	pthread_mutex_t lock; /* while objects are added */
	VEC(struct ctprof_heap_object) rows;
	struct hash_index index; /* of the rows, by key */
};

void ctprof_heap_objects_init(struct ctprof_heap_objects *table, const char *proc_root);
void ctprof_heap_objects_deinit(struct ctprof_heap_objects *table);

/* Opens the file to see which it is; CTPROF_HEAP_NO_OBJECT with errno. Threads may call it at once.
 */
uint32_t ctprof_heap_objects_add(struct ctprof_heap_objects *table,
				 const struct probe_objects *objects,
				 const struct probe_object *object);
/* Finds what was added, likewise. */
uint32_t ctprof_heap_objects_find(const struct ctprof_heap_objects *table,
				  const struct probe_objects *objects,
				  const struct probe_object *object);

/* Looks into every object, then into the debug information of those that are jemalloc. */
void ctprof_heap_objects_resolve(struct ctprof_heap_objects *table, unsigned int jobs,
				 const struct ctprof_helper_limits *limits,
				 const struct cancel *cancel);

/* True when it holds jemalloc for a program of this machine. */
bool ctprof_heap_object_is_candidate(const struct ctprof_heap_object *object);
/* What a helper could not do, as an error again; the caller owns it. */
struct error *ctprof_heap_error_make(const struct ctprof_heap_error *error) MUST_CHECK;

/*
 * How many processes and threads gave their heap counters, and why others did not. A failure
 * counts under the tag of its error. Two tags are not failures unless permission was denied:
 * most processes do not use jemalloc, and a program's link is gone with its process.
 */

/* The tag of a process whose files crashed the helper. */
#define CTPROF_HEAP_WORKER_PANIC "worker-panic"

struct ctprof_heap_tally {
	uint64_t tgids_walked, jemalloc_detected, probed_ok, failed;
	uint64_t denied; /* failures that privileges would cure */
	/* Failures, by kind; the last of the first is CTPROF_HEAP_WORKER_PANIC. */
	uint64_t attach[PROBE_ATTACH_N_ERROR_KINDS + 1];
	uint64_t thread[PROBE_THREAD_N_ERROR_KINDS];
};

void ctprof_heap_tally_attached(struct ctprof_heap_tally *tally);
/* False when that is not a failure. */
bool ctprof_heap_tally_not_attached(struct ctprof_heap_tally *tally,
				    enum probe_attach_error_kind kind, int errnum);
void ctprof_heap_tally_panic(struct ctprof_heap_tally *tally);
void ctprof_heap_tally_read(struct ctprof_heap_tally *tally);
void ctprof_heap_tally_not_read(struct ctprof_heap_tally *tally, enum probe_thread_error_kind kind,
				int errnum);

/* The most frequent tag, of equal ones the first in the alphabet; NULL when nothing failed. */
const char *ctprof_heap_tally_dominant(const struct ctprof_heap_tally *tally);
/* At least half of the failures are for want of privileges. */
bool ctprof_heap_tally_is_denied(const struct ctprof_heap_tally *tally);
void ctprof_heap_tally_summarise(const struct ctprof_heap_tally *tally,
				 struct ctprof_snapshot *snapshot);

/*
 * After the walk: sets allocated_bytes and deallocated_bytes of every sample whose
 * process uses jemalloc, the reasons of the heap source, and snapshot->probe. Our own process is
 * left out, and so is everybody when the capture is not live. Lines about processes that failed go
 * to options->note.
 */
void ctprof_read_heap(const struct ctprof_options *options, struct ctprof_snapshot *snapshot);
/* The same with other limits for who reads foreign files. */
void ctprof_read_heap_within(const struct ctprof_options *options,
			     const struct ctprof_helper_limits *limits,
			     struct ctprof_snapshot *snapshot);

#endif
