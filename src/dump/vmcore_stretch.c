// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/vmcore.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "kmem/limits.h"

enum { PAGE = KMEM_PAGE_BYTES, BATCH = 512 };
/* Documentation/admin-guide/mm/pagemap.rst: present, or swapped out. */
#define PAGE_TOUCHED (UINT64_C(3) << 62)

void dump_stretches_init(struct dump_stretches *s, const struct kmem_reader *reader)
{
	*s = (struct dump_stretches){ .reader = reader, .pagemap = -1 };
}

void dump_stretches_deinit(struct dump_stretches *s)
{
	if (s->pagemap >= 0)
		close(s->pagemap);
	s->pagemap = -1;
}

static bool open_pagemap(struct dump_stretches *s, pid_t pid)
{
	char path[64];

	if (s->pid != pid) {
		dump_stretches_deinit(s);
		s->pid = pid;
		snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
		s->pagemap = open(path, O_RDONLY | O_CLOEXEC);
	}
	return s->pagemap >= 0;
}

/* The next pages that were touched, as far as one look goes; empty at `end`: there are none. */
static bool next_touched(const struct dump_stretches *s, const struct physmap_segment *segment,
			 uint64_t from, uint64_t end, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t entries[BATCH], at = from, start = end;

	while (at < end && start == end) {
		uint64_t address = segment->offset + (at - segment->start);
		ssize_t got = pread(s->pagemap, entries, sizeof(entries),
				    (off_t)(address / PAGE * 8));

		if (got < 8)
			return false;
		for (size_t i = 0; i < (size_t)got / 8 && at < end; i++) {
			bool touched = entries[i] & PAGE_TOUCHED;

			if (touched && start == end)
				start = at;
			if (!touched && start != end)
				break;
			at += PAGE - (segment->offset + (at - segment->start)) % PAGE;
		}
	}
	*ret_start = start;
	*ret_end = at < end ? at : end;
	return true;
}

/* `from` and `end` lie in the segment. */
static bool next_of_process(struct dump_stretches *s, const struct physmap_segment *segment,
			    uint64_t from, uint64_t end, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t touched, touched_end, in_file, in_file_end;

	*ret_start = from;
	*ret_end = end;
	/* Unknown which pages were touched: all count as data. */
	if (!open_pagemap(s, segment->pid) ||
	    !next_touched(s, segment, from, end, &touched, &touched_end))
		return true;
	if (!s->reader->next_data(s->reader, from, &in_file, &in_file_end) || in_file >= end)
		in_file = in_file_end = end;
	*ret_start = in_file <= touched ? in_file : touched;
	*ret_end = in_file <= touched ? in_file_end : touched_end;
	if (*ret_end > end)
		*ret_end = end;
	return *ret_start < end;
}

bool dump_stretches_next(struct dump_stretches *s, uint64_t from, uint64_t end, uint64_t *ret_start,
			 uint64_t *ret_end)
{
	const struct physmap *map = s->reader->map;

	while (map && s->reader->data_map && from < end) {
		const struct physmap_segment *segment = physmap_find(map, from);
		uint64_t stop;

		if (!segment || segment->kind != PHYSMAP_PROCESS)
			break;
		stop = segment->start + segment->length;
		if (stop > end)
			stop = end;
		if (next_of_process(s, segment, from, stop, ret_start, ret_end))
			return true;
		from = stop;
	}
	if (from >= end)
		return false;
	if (map && s->reader->data_map) {
		/* The files are older than what is not a process's copy of them. */
		*ret_start = from;
		*ret_end = end;
		return true;
	}
	return s->reader->next_data(s->reader, from, ret_start, ret_end) && *ret_start < end;
}
