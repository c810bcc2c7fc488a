/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing to somebody who may not read: a pager that waits, a stopped terminal. */
#ifndef KTSTR_REPORT_DELIVER_H
#define KTSTR_REPORT_DELIVER_H

#include "base/cancel.h"
#include "base/error.h"

/*
 * Waits for as long as it takes, but not for long once `cancel` (may be NULL) is requested:
 * BASE_CANCELLED. BASE_IO. A descriptor that does not block is waited for as well.
 */
struct error *deliver(int fd, const char *label, const void *bytes, size_t n,
		      const struct cancel *cancel) MUST_CHECK;

#endif
