/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ELF objects a process has mapped for execution: its program first, then its libraries. */
#ifndef KTSTR_PROBE_OBJECTS_H
#define KTSTR_PROBE_OBJECTS_H

#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"
#include "elf/image.h"

struct object {
	char *path; /* in the target's view */
	bool is_executable;
	bool deleted;
	/* One mapping of it: start and end name it in map_files, with the offset they give the
	 * bias. */
	uint64_t map_start;
	uint64_t map_end;
	uint64_t map_offset;
	struct elf_image *image; /* NULL until object_image(), or when its file cannot be read */
	struct error *error;	 /* why not */
	bool tried;
};

struct objects {
	char *proc_root;
	char *ns_root; /* "/proc/PID/root" */
	pid_t pid;
	VEC(struct object) rows; /* rows.at[0] is the program */
};

/* Errors of the attach domain. */
struct error *objects_read(const char *proc_root, pid_t pid, struct objects *ret) MUST_CHECK;
void objects_deinit(struct objects *objects);

/*
 * The object's file: what is really mapped (map_files) where we may open that,
 * else the path in the target's own mount namespace. Borrowed; NULL leaves object->error set.
 */
struct elf_image *object_image(const struct objects *objects, struct object *object);
/* Difference between addresses in memory and in the file. */
struct error *object_load_bias(const struct objects *objects, struct object *object,
			       uint64_t *ret) MUST_CHECK;
/*
 * First object whose file name starts with this and that defines the symbol, or
 * NULL: a name alone may be anybody's. Its image is open.
 */
struct object *objects_find_defining(struct objects *objects, const char *name_prefix,
				     const char *symbol);
/* Why the first object of such a file name could not be opened, or NULL. Borrowed. */
const struct error *objects_unreadable(const struct objects *objects, const char *name_prefix);

#endif
