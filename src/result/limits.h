/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of the room. */
#ifndef KTSTR_RESULT_LIMITS_H
#define KTSTR_RESULT_LIMITS_H

enum {
	/* A record, before and after something was added; never more than a JSON document may have.
	 */
	RECORD_BYTES_LIMIT = 64 << 20,
	RECORD_LOCK_BUDGET_MS = 30000,
	LOCK_RETRY_MS = 50,
	/* A lock file that is removed again and again is not worth waiting for. */
	LOCK_REOPEN_LIMIT = 100,
};

#endif
