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
	PROC_MAPS_MAX_BYTES = 256 << 20,
	PROC_MAPS_MAX_ROWS = 4 << 20,
};

struct proc_map {
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

struct proc_maps {
	VEC(struct proc_map) rows;
	char *text; /* owns what the paths point into */
};

/* Takes all of it or nothing: a line that is not a mapping is BASE_PARSE with its number. */
struct error *proc_maps_parse(const char *text, size_t n, struct proc_maps *ret) MUST_CHECK;
struct error *proc_maps_read(const char *proc_root, pid_t pid, struct proc_maps *ret) MUST_CHECK;
void proc_maps_deinit(struct proc_maps *maps);

#define _cleanup_proc_maps_ _cleanup_(proc_maps_deinit)

#endif
