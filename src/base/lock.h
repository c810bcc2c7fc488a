/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks that die with their holder: flock() on a file that may be removed while
 * others wait for it. Closing the descriptor lets go.
 */
#ifndef KTSTR_BASE_LOCK_H
#define KTSTR_BASE_LOCK_H

#include "base/cancel.h"
#include "base/error.h"

enum lock_mode {
	LOCK_SHARED,
	LOCK_EXCLUSIVE,
};

/*
 * Makes the file (mode 0600) if need be and waits. What is held on return is the file that has
 * this name now: one that was removed meanwhile does not count. Cancelled: BASE_CANCELLED.
 */
struct error *lock_wait(const char *path, enum lock_mode mode, const struct cancel *cancel,
			int *ret_fd) MUST_CHECK;
/* Does not wait: *ret_fd is -1 when somebody holds it. */
struct error *lock_try(const char *path, enum lock_mode mode, int *ret_fd) MUST_CHECK;

#endif
