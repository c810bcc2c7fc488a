/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ELF objects that processes have mapped, each once: by device, inode, size and time of the
 * last change; and what they contain, found in helper processes. Where jemalloc's counters are is
 * found once per build-id.
 */
#ifndef KTSTR_CTPROF_HEAP_OBJECTS_H
#define KTSTR_CTPROF_HEAP_OBJECTS_H

#include <pthread.h>

#include "base/hash.h"
#include "ctprof/heap/helper.h"
#include "probe/objects.h"

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
	bool is_executable, deleted;
	uint64_t map_start, map_end;
	char *path;
};

enum ctprof_heap_state {
	CTPROF_HEAP_UNKNOWN,
	CTPROF_HEAP_KNOWN,
	CTPROF_HEAP_FAILED, /* with an error */
	CTPROF_HEAP_PANIC,  /* whoever read it died */
};

/* An error on its way from a helper. */
struct ctprof_heap_error {
	bool is_elf; /* of the domain elf, else of base */
	int kind, errnum;
	char why[CTPROF_HEAP_WHY];
};

struct ctprof_heap_object {
	struct ctprof_heap_key key;
	struct ctprof_heap_place places[CTPROF_HEAP_PLACES];
	unsigned int n_places;

	enum ctprof_heap_state state;
	struct probe_object_facts *facts; /* CTPROF_HEAP_KNOWN */
	struct ctprof_heap_error error;	  /* CTPROF_HEAP_FAILED */

	uint32_t twin; /* the object of the same build that is asked for the counters; or itself */
	enum ctprof_heap_state counters_state;
	struct probe_counter_offsets counters; /* CTPROF_HEAP_KNOWN */
	struct ctprof_heap_error counters_error;
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

#endif
