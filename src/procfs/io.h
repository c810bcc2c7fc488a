/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/task/TID/io: what a thread read and wrote; see proc(5). */
#ifndef KTSTR_PROCFS_IO_H
#define KTSTR_PROCFS_IO_H

#include "procfs/fields.h"

/* PROC_IO(id, key). */
#define PROC_IO_FIELDS(X)             \
	X(RCHAR, "rchar")             \
	X(WCHAR, "wchar")             \
	X(SYSCR, "syscr")             \
	X(SYSCW, "syscw")             \
	X(READ_BYTES, "read_bytes")   \
	X(WRITE_BYTES, "write_bytes") \
	X(CANCELLED_WRITE_BYTES, "cancelled_write_bytes")
#define PROC_IO_ENUM_(id, key) PROC_IO_##id,
enum proc_io_field { PROC_IO_FIELDS(PROC_IO_ENUM_) N_PROC_IO_FIELDS };
#undef PROC_IO_ENUM_

/* The last line of a key counts, even when it makes no sense. False when not one is known. */
bool proc_io_parse(const char *text, size_t n, struct proc_fields *ret);

#endif
