/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of /proc, /sys and cgroups that hold one value or a few lines, below an open folder. */
#ifndef KTSTR_PROCFS_SMALL_FILE_H
#define KTSTR_PROCFS_SMALL_FILE_H

#include "base/strbuf.h"
#include "procfs/reading.h"

enum { SMALL_FILE_BYTES = 1 << 20 };

/* Reads it into *into, which is cleared first; false when it cannot. */
bool small_file_read(int dir, const char *file, struct strbuf *into);
/* Not known, and "", when the file cannot be read. */
struct reading reading_read(int dir, const char *file);
struct limit limit_read(int dir, const char *file);
uint32_t text_read(int dir, const char *file, struct intern *names);
void named_readings_read(int dir, const char *file, struct intern *names,
			 struct named_readings *ret);

#endif
