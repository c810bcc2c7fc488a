/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/maps */
#ifndef KTSTR_PROCFS_MAPS_H
#define KTSTR_PROCFS_MAPS_H

#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"

enum {
	/* A process may have vm.max_map_count areas, 65530 unless raised; lines are at most a path
	   long. */
	PROCFS_MAPS_MAX_BYTES = 256 << 20,
	PROCFS_MAPS_MAX_ROWS = 4 << 20,
};

struct procfs_map {
	uint64_t start;
	uint64_t end;
	uint64_t file_offset;
	unsigned int dev_major;
	unsigned int dev_minor;
	uint64_t inode;
	bool readable, writable, executable, shared;
	/* The file was removed or replaced since; ` (deleted)` is cut from the path. */
	bool deleted;
	/* As the kernel shows it in the target's view; "" for anonymous memory, "[stack]" and the
	 * like for special areas. */
	const char *path;
};

struct procfs_maps {
	VEC(struct procfs_map) rows;
	char *text; /* owns what the paths point into */
};

/* Takes all of it or nothing: a line that is not a mapping is BASE_PARSE with its number. */
struct error *procfs_maps_parse(const char *text, size_t n, struct procfs_maps *ret) MUST_CHECK;
struct error *procfs_maps_read(const char *proc_root, pid_t pid,
			       struct procfs_maps *ret) MUST_CHECK;
void procfs_maps_deinit(struct procfs_maps *maps);

#define _cleanup_procfs_proc_maps_ _cleanup_(procfs_maps_deinit)

#endif
