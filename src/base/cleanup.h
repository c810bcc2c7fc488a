/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scope guards. A variable marked with one of these releases what it owns on
 * every way out of its scope; take_ptr() and take_fd() hand ownership out.
 */
#ifndef KTSTR_BASE_CLEANUP_H
#define KTSTR_BASE_CLEANUP_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

/* Defines cleanup_<name>() for `_cleanup_(cleanup_<name>) type variable`. */
#define DEFINE_CLEANUP(name, type, empty, release) \
	static inline void cleanup_##name(type *p) \
	{                                          \
		int saved_errno = errno;           \
		if (*p != (empty))                 \
			release(*p);               \
		errno = saved_errno;               \
	}                                          \
	struct cleanup_##name##_swallows_semicolon

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

DEFINE_CLEANUP(file, FILE *, NULL, fclose);
DEFINE_CLEANUP(dir, DIR *, NULL, closedir);

static inline void cleanup_fd(int *fd)
{
	int saved_errno = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved_errno;
}

#define _cleanup_free_	_cleanup_(cleanup_free)
#define _cleanup_close_ _cleanup_(cleanup_fd)
#define _cleanup_file_	_cleanup_(cleanup_file)
#define _cleanup_dir_	_cleanup_(cleanup_dir)

#define take_ptr(p)                       \
	({                                \
		__auto_type taken_ = (p); \
		(p) = NULL;               \
		taken_;                   \
	})

#define take_fd(fd)                \
	({                         \
		int taken_ = (fd); \
		(fd) = -1;         \
		taken_;            \
	})

#endif
