/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of the room. */
#ifndef KTSTR_RESULT_LIMITS_H
#define KTSTR_RESULT_LIMITS_H

enum {
	/* A record, before and after something was added; never more than a JSON document may have.
	 */
	RESULT_LIMIT_RECORD_BYTES = 64 << 20,
	RESULT_LIMIT_LOCK_MS = 30000,
	/* Of a run that was interrupted: people wait for its end. */
	RESULT_LIMIT_HURRY_MS = 500,
	RESULT_LOCK_RETRY_MS = 50,
	/* A lock file that is removed again and again is not worth waiting for. */
	RESULT_LIMIT_LOCK_REOPEN = 100,

	/* Temporary names tried, and names for runs of one variant in one directory. */
	RESULT_LIMIT_NEW_FILE_TRIES = 1000,
	RESULT_LIMIT_RECORD_NAMES = 1 << 20,
	/* With id, number and ".ktstr.json.lock" it must fit a file name. */
	RESULT_LIMIT_TEST_NAME = 200,
	RESULT_LIMIT_DIRS = 10000,
	/* Records or runs that are listed together. */
	RESULT_LIMIT_NAMES = 1 << 20,

	/* What is read back of a record. */
	RESULT_LIMIT_TEXT_BYTES = 1 << 20,
	RESULT_LIMIT_LIST = 4096,

	/* Frames of one run that have a line, and the file with all of them. */
	RESULT_LIMIT_FRAMES = 1 << 19,
	RESULT_LIMIT_FRAMES_BYTES = 64 << 20,

	/* Files of a git repository. */
	RESULT_LIMIT_GIT_LINE = 4096,
	RESULT_LIMIT_GIT_REFS = 16 << 20,
};

#endif
