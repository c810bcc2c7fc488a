/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ELF objects a process has mapped for execution: its program first, then its libraries. */
#ifndef KTSTR_PROBE_OBJECTS_H
#define KTSTR_PROBE_OBJECTS_H

#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"
#include "elf/image.h"
#include "probe/object_facts.h"

struct probe_object {
	char *path; /* in the target's view */
	bool is_executable;
	bool deleted;
	/* One mapping of it: start and end name it in map_files, with the offset they give the
	 * bias. */
	uint64_t map_start;
	uint64_t map_end;
	uint64_t map_offset;
	struct elf_image
		*image;	     /* NULL until probe_object_image(), or when its file cannot be read */
	struct error *error; /* why not */
	bool tried;
	const struct probe_object_facts *facts; /* NULL until probe_object_facts() */
	struct probe_object_facts *own_facts;	/* the same, unless a source lent them */
};

struct probe_objects;

/* A source of facts about objects, so that none has to be opened here. */
struct probe_object_source {
	/* Complete facts, borrowed as long as the objects live; or NULL, and why in *ret_error. */
	const struct probe_object_facts *(*look)(const struct probe_object_source *source,
						 const struct probe_objects *objects,
						 const struct probe_object *object,
						 struct error **ret_error);
	/* Of an object that is_jemalloc. */
	struct error *(*counters)(const struct probe_object_source *source,
				  const struct probe_objects *objects,
				  const struct probe_object *object,
				  struct probe_counter_offsets *ret);
};

struct probe_objects {
	const struct probe_object_source *source; /* NULL: the files are read here */
	const struct cancel *cancel;		  /* of reading them; may be NULL */
	char *proc_root;
	char *ns_root; /* "/proc/PID/root" */
	pid_t pid;
	VEC(struct probe_object) rows; /* rows.at[0] is the program */
};

/* Errors of the attach domain, except BASE_CANCELLED. */
struct error *probe_objects_read(const char *proc_root, pid_t pid,
				 const struct probe_object_source *source,
				 const struct cancel *cancel, struct probe_objects *ret) MUST_CHECK;
/* Which objects there are; not even the program's file is looked at. */
struct error *probe_objects_list(const char *proc_root, pid_t pid,
				 struct probe_objects *ret) MUST_CHECK;
void probe_objects_deinit(struct probe_objects *objects);

/*
 * The object's file: what is really mapped (map_files) where we may open that,
 * else the path in the target's own mount namespace. Borrowed; NULL leaves object->error set.
 */
struct elf_image *probe_object_image(const struct probe_objects *objects,
				     struct probe_object *object);
/* The file for reading, -1 with errno. */
int probe_object_open(const struct probe_objects *objects,
		      const struct probe_object *object) MUST_CHECK;
/*
 * True when an object with this error may hold jemalloc nevertheless: it is neither something
 * else, nor gone, nor refused, which have words of their own. False for NULL.
 */
bool probe_object_error_leaves_open(const struct error *err);
/* Borrowed; NULL leaves object->error set. */
const struct probe_object_facts *probe_object_facts(const struct probe_objects *objects,
						    struct probe_object *object);
/* What it says about glibc; nothing when it cannot be read. */
const struct probe_glibc_facts *probe_object_glibc(const struct probe_objects *objects,
						   struct probe_object *object);
/* Of an object that is_jemalloc: by debug information, in the file that goes to ret_source. */
struct error *probe_object_counters(const struct probe_objects *objects,
				    struct probe_object *object, const struct cancel *cancel,
				    struct probe_counter_offsets *ret,
				    struct strbuf *ret_source) MUST_CHECK;
/* Difference between addresses in memory and in the file. */
struct error *probe_object_load_bias(const struct probe_objects *objects,
				     struct probe_object *object, uint64_t *ret) MUST_CHECK;
/*
 * First object whose file name starts with this and that defines the symbol, or
 * NULL: a name alone may be anybody's. A source knows the symbols of probe_object_facts.h only.
 */
struct probe_object *probe_objects_find_defining(struct probe_objects *objects,
						 const char *name_prefix, const char *symbol);
/* The first object whose file name starts with this, or NULL. */
const struct probe_object *probe_objects_find_named(const struct probe_objects *objects,
						    const char *name_prefix);
/* Why the first object of such a file name could not be opened, or NULL. Borrowed. */
const struct error *probe_objects_unreadable(const struct probe_objects *objects,
					     const char *name_prefix);

/* EACCES or EPERM when that is why one of them could not be opened, else 0. */
int probe_objects_denied(const struct probe_objects *objects);

#endif
