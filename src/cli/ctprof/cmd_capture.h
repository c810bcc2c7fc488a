/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `ktstr ctprof capture` share. */
#ifndef KTSTR_CLI_CTPROF_CMD_CAPTURE_H
#define KTSTR_CLI_CTPROF_CMD_CAPTURE_H

#include "base/strbuf.h"
#include "cli/frame/command.h"
#include "cli/frame/screen.h"
#include "ctprof/capture.h"
#include "ctprof/file/file.h"
#include "ctprof/snapshot.h"
#include "json/writer.h"

extern const struct cli_command cmd_ctprof_capture;

#define SNAPSHOT_SUFFIX ".ctprof.zst"

/*
 * HOST-20260131T235959Z.ctprof.zst, of bytes that need no quotes anywhere; with -2, -3 … when such
 * a file is there.
 */
char *snapshot_name_new(const char *host, uint64_t unix_sec) MUST_CHECK;

/* "500ms", "2s", "1.5m", "1h"; false when it is not one or not from 1 ms to 24 h. */
bool interval_parse(const char *text, uint64_t *ret_ns);

/*
 * When the next of a row of moments is, that begin at start_ns and are interval_ns apart: the first
 * that is not over. Counts those that are over already. A late start shifts no later moment.
 */
uint64_t interval_next(uint64_t start_ns, uint64_t interval_ns, uint64_t *slot, uint64_t now_ns,
		       uint64_t *missed);

/* The line of progress, without escape sequences; for tests. */
void screen_format_progress(const struct ctprof_progress *progress, struct strbuf *into);

/* Callbacks of a capture; the argument is the screen. */
void screen_progress(const struct ctprof_progress *progress, void *screen);
void screen_note(const char *line, void *screen);

/* What a capture cost: time on the wall and on CPUs, bytes, threads in a second. */

struct cost {
	uint64_t snapshots, threads;
	uint64_t wall_ns, cpu_ns; /* CPU time of helpers counts */
	uint64_t json_bytes, file_bytes;
};

struct cost_clock {
	uint64_t wall_ns, cpu_ns;
};

struct cost_clock cost_clock_read(void);
void cost_add(struct cost *cost, const struct cost_clock *since,
	      const struct ctprof_snapshot *snapshot,
	      const struct ctprof_snapshot_frame_size *size);
uint64_t cost_threads_per_second(const struct cost *cost);
/* "ctprof cost: …" without a newline. */
void cost_format(const struct cost *cost, struct strbuf *into);
/* Members of an open object. */
void cost_write(const struct cost *cost, struct json_writer *w);

/* What `ktstr ctprof capture` says when it is done: lines for people, or one JSON object. */

struct capture_report {
	uint64_t wanted;     /* snapshots */
	struct strbuf lines; /* the summaries of the last snapshot */
	struct strbuf json;  /* the object, still open */
	struct json_writer writer;
};

void capture_report_init(struct capture_report *report, const char *file, uint64_t wanted);
void capture_report_deinit(struct capture_report *report);
#define _cleanup_capture_report_ _cleanup_(capture_report_deinit)

/* A snapshot was written. Its own line of a series goes into *ret_line, which stays empty else. */
void capture_report_add(struct capture_report *report, const struct ctprof_snapshot *snapshot,
			const struct cost *cost, uint64_t number, struct strbuf *ret_line);
/* The end; nothing is added after it. */
void capture_report_format(const struct capture_report *report, const struct cost *total,
			   uint64_t missed, struct strbuf *into);
void capture_report_finish_json(struct capture_report *report, const struct cost *total,
				uint64_t missed, struct strbuf *into);

/* Taking one snapshot, or several at even distances, into one file. */

typedef struct error *(*series_take_fn)(const struct ctprof_options *options,
					struct ctprof_snapshot *ret);

struct series {
	/* Given. */
	const struct ctprof_options *options;
	uint64_t interval_ns; /* any when count is 1 */
	uint64_t count;
	struct cli_screen *screen;
	struct ctprof_snapshot_output *output;
	series_take_fn take; /* ctprof_capture_take(), except in tests */
	struct capture_report *report;
	/* What came of it, also when it was ended early. */
	struct cost cost;
	uint64_t missed; /* moments at which the last snapshot was not yet done */
};

/* BASE_CANCELLED when a signal ended it: what was written until then is whole. */
struct error *series_run(struct series *series) MUST_CHECK;

#endif
