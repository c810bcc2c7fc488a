/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls that a broken scheduler can keep from ever returning: the kernel waits in them for tasks to
 * run. Each is made by a child, which we leave behind when it is late; nothing can end it then.
 */
#ifndef KTSTR_SUITE_BOUNDED_H
#define KTSTR_SUITE_BOUNDED_H

#include "base/error.h"

/* As a limit: while no scheduler runs that could be broken the call is made here, which is cheaper.
 */
enum { SUITE_BOUNDED_AT_ONCE = 0 };

/* BASE_IO with the call's errno; BASE_CANCELLED when it was late. `label` is for the message. */
struct error *suite_bounded_write(int dir_fd, const char *file, const char *text, const char *label,
				  uint64_t limit_ms) MUST_CHECK;
struct error *suite_bounded_mkdir(int dir_fd, const char *name, const char *label,
				  uint64_t limit_ms) MUST_CHECK;
struct error *suite_bounded_rmdir(int dir_fd, const char *name, const char *label,
				  uint64_t limit_ms) MUST_CHECK;

#endif
