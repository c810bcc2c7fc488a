/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading one small file below an open folder, into a buffer that is used again and again. */
#ifndef KTSTR_CTPROF_WALK_FILE_H
#define KTSTR_CTPROF_WALK_FILE_H

#include "ctprof/snapshot.h"

struct walk_buffer {
	char *at;
	size_t n;
	size_t capacity;
};

void walk_buffer_init(struct walk_buffer *buffer);
void walk_buffer_deinit(struct walk_buffer *buffer);

/* 0, or the errno; EFBIG beyond the limit. */
int walk_file_read(int folder, const char *path, struct walk_buffer *into);

/*
 * What an errno of walk_file_read() says about `path`, which is TID/file: a file that is not there
 * while its thread's folder is was never there.
 */
enum snapshot_reason walk_file_reason(int folder, const char *path, int errnum);

#endif
