/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of this room, and the exit codes of a test binary. */
#ifndef KTSTR_SUITE_LIMITS_H
#define KTSTR_SUITE_LIMITS_H

enum {
	SUITE_EXIT_USAGE = 2,  /* wrong arguments, or mistakes in declarations */
	SUITE_EXIT_REPORT = 3, /* the report could not be written, or not to its end */

	/* Bytes of one piece of a kept file; each may become six in JSON. */
	SUITE_LIMIT_PIECE = 32 << 10,
	/* Of one report. What is more is counted and told in one note. */
	SUITE_LIMIT_PARTS = 1000,
	SUITE_LIMIT_NOTES = 4000,
	SUITE_LIMIT_REPORT_BYTES = 48 << 20,
	/* More than that, for what failed. */
	SUITE_LIMIT_PARTS_BYTES = 4 << 20,

	SUITE_LIMIT_TESTS = 4096,
	SUITE_LIMIT_WORKERS = 4096, /* of a test */
	SUITE_LIMIT_DURATION_S = 24 * 3600,
	SUITE_LIMIT_MEMORY_MB = 1 << 20,
	SUITE_LIMIT_NAME = 128, /* bytes of the name of a test, of a cgroup */

	SUITE_LIMIT_DECLARED_TEXT = 4096, /* bytes of any other text of a declaration */
	SUITE_LIMIT_WORK_MS = 3600 * 1000,

	/* Kept of each stream of a scheduler: the first part and the last part of it. */
	SUITE_LIMIT_STREAM_HEAD = 256 << 10,
	SUITE_LIMIT_STREAM_TAIL = 768 << 10,
	SUITE_LIMIT_LAST_WORDS = 200, /* of its output, in the reason of a failure */
	SUITE_LIMIT_KERNEL_LOG = 1 << 20,
	SUITE_LIMIT_DUMP = 4 << 20,
	SUITE_LIMIT_SYSFS = 64 << 10,

	SUITE_LIMIT_CGROUPS = 4096, /* of a subtree, and how deep it may be */
	SUITE_LIMIT_CGROUP_DEPTH = 16,
	SUITE_LIMIT_PIDS_BYTES = 4 << 20,

	/* Milliseconds on real hardware; slow machines get more. */
	SUITE_CGROUP_WRITE_MS = 5000,
	SUITE_WORKERS_READY_MS = 10000,
	SUITE_WORKERS_STOP_MS = 5000,
	SUITE_SCHEDULER_STOP_MS = 5000,	    /* for each signal */
	SUITE_SCHEDULER_RESTART_MS = 10000, /* that one which may restart is away */
	SUITE_LEFTOVER_MS = 5000,

	/* Milliseconds of the guest's clock, the same on every machine. */
	SUITE_ATTACH_IDLE_MS = 30000,
	SUITE_ATTACH_TOTAL_MS = 90000,

	/*
	 * Payloads of one test, also those that ended: their results stay until the test ends. The
	 * runner takes no more of them, and of the metrics of all together.
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
