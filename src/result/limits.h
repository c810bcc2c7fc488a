/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of the room. */
#ifndef KTSTR_RESULT_LIMITS_H
#define KTSTR_RESULT_LIMITS_H

enum {
	/* A record, before and after something was added; never more than a JSON document may have.
	 */
	RECORD_BYTES_LIMIT = 64 << 20,
	RECORD_LOCK_BUDGET_MS = 30000,
	/* Of a run that was interrupted: people wait for its end. */
	RECORD_HURRY_BUDGET_MS = 500,
	LOCK_RETRY_MS = 50,
	/* A lock file that is removed again and again is not worth waiting for. */
	LOCK_REOPEN_LIMIT = 100,

	/* Temporary names tried, and names for runs of one variant in one folder. */
	NEW_FILE_TRIES_LIMIT = 1000,
	RECORD_NAMES_LIMIT = 1 << 20,
	/* With id, number and ".ktstr.json.lock" it must fit a file name. */
	RECORD_TEST_NAME_LIMIT = 200,
	RUN_FOLDERS_LIMIT = 10000,
	/* Records or runs that are listed together. */
	RUN_NAMES_LIMIT = 1 << 20,

	/* What is read back of a record. */
	RECORD_TEXT_BYTES_LIMIT = 1 << 20,
	RECORD_LIST_LIMIT = 4096,

	/* Files of a git repository. */
	RESULT_LIMIT_GIT_LINE = 4096,
	RESULT_LIMIT_GIT_REFS = 16 << 20,
};

#endif
