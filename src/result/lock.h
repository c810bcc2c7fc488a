/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A lock file beside a file that is replaced by rename: a lock on the file
 * itself would stay with the old inode. When missing, "<file>.lock" is made for whom the file
 * belongs to, 0600 and more where others may write the file, and stays in place; the lock ends
 * when the descriptor is closed, so also with the process, however it dies.
 */
#ifndef KTSTR_RESULT_LOCK_H
#define KTSTR_RESULT_LOCK_H

#include "base/cancel.h"

/* BASE_CANCELLED, BASE_LIMIT when the budget is over, BASE_IO when refused. */
struct error *result_lock_acquire(const char *lock_path, uint64_t budget_ns,
				  const struct cancel *cancel, int *ret_fd) MUST_CHECK;

#endif
