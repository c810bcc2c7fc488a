/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `ktstr ctprof capture` says when it is done: lines for people, or one JSON object. */
#ifndef KTSTR_CLI_CTPROF_CAPTURE_REPORT_H
#define KTSTR_CLI_CTPROF_CAPTURE_REPORT_H

#include "cli/ctprof/cost.h"
#include "ctprof/snapshot.h"
#include "json/writer.h"

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
void capture_report_add(struct capture_report *report, const struct snapshot *snapshot,
			const struct cost *cost, uint64_t number, struct strbuf *ret_line);
/* The end; nothing is added after it. */
void capture_report_format(const struct capture_report *report, const struct cost *total,
			   uint64_t missed, struct strbuf *into);
void capture_report_finish_json(struct capture_report *report, const struct cost *total,
				uint64_t missed, struct strbuf *into);

#endif
