/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of payloads and of what they say. */
#ifndef KTSTR_SUITE_PAYLOAD_LIMITS_H
#define KTSTR_SUITE_PAYLOAD_LIMITS_H

enum {
	/*
	 * Of one test, also those that ended: their results stay until the test ends. The runner
	 * takes no more of them, and of the metrics of all together.
	 */
	SUITE_LIMIT_PAYLOAD_COUNT = 4096,
	SUITE_LIMIT_PAYLOAD_REPORTED_METRICS = 200000,
	/* Of arguments and metrics in the report, so that there is room for the rest of it. */
	SUITE_LIMIT_PAYLOAD_REPORTED_BYTES = 6 << 20,
	SUITE_LIMIT_PAYLOAD_NAME_BYTES = 128,
	/* Streams whose end goes into the report to be kept, and how much of each. */
	SUITE_LIMIT_PAYLOAD_REPORTED_TEXTS = 24,
	SUITE_PAYLOAD_REPORTED_TEXT_BYTES = 64 << 10,
	/* Kept of each stream unless the program says otherwise. */
	SUITE_PAYLOAD_CAPTURE_BYTES = 16 << 20,
	/* Of standard error in a message. */
	SUITE_PAYLOAD_TAIL_BYTES = 1024,
	/* How often the ready marker is looked for. */
	SUITE_PAYLOAD_READY_POLL_MS = 10,
	/* Of one argument in the line that tells of a start. */
	SUITE_LIMIT_PAYLOAD_ARG_BYTES = 4096,

	/* Numbers of one document; what is more is counted by the sentinel of the leaf walk. */
	SUITE_LIMIT_METRICS_COUNT = 1 << 17,
	SUITE_LIMIT_METRICS_NAME_BYTES = 16 << 20,
	/* Of ktstr_metrics_dump(), which is made for messages. */
	SUITE_LIMIT_METRICS_DUMP_BYTES = 12 << 10,
};

#endif
