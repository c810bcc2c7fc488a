/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which memory may be anything but zeros. A file says where it has data. A cloned guest is a
 * process's private copy of files: what it has touched is told by /proc/PID/pagemap, the rest is
 * still what the files hold. Reading everything instead would fill the process with pages of zeros.
 */
#ifndef KTSTR_DUMP_VMCORE_STRETCH_H
#define KTSTR_DUMP_VMCORE_STRETCH_H

#include "kmem/reader.h"

struct dump_stretches {
	const struct kmem_reader *reader;
	pid_t pid; /* whose pagemap is open; 0: none was tried */
	int pagemap;
};

void dump_stretches_init(struct dump_stretches *s, const struct kmem_reader *reader);
void dump_stretches_deinit(struct dump_stretches *s);

/* The next one at or after `from` that begins before `end`; false: there is no more. */
bool dump_stretches_next(struct dump_stretches *s, uint64_t from, uint64_t end, uint64_t *ret_start,
			 uint64_t *ret_end) MUST_CHECK;

#endif
