/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report to the runner: lines of JSON. The suite's parent writes them where WIRE_REPORT_ENV
 * says, or readable on standard error when a person runs the binary. The body, the process of
 * the test's function, writes to a pipe that the parent forwards line by line: a line that a
 * crash cut in two never leaves the guest.
 *
 * A report that cannot be written is fatal: every function here ends the process with
 * SUITE_EXIT_REPORT then.
 */
#ifndef KTSTR_SUITE_REPORT_WRITER_H
#define KTSTR_SUITE_REPORT_WRITER_H

#include <ktstr/ktstr.h>
#include <pthread.h>
#include <stdio.h>

#include "exchange/report.h"
#include "suite/limits.h"

struct suite_report_writer {
	int fd;		  /* lines go here; -1: readable, to standard error */
	uint64_t from_ns; /* CLOCK_MONOTONIC; stages are told from here */
	uint64_t parts;	  /* written, and forwarded */
	uint64_t bytes_, notes_, dropped_;
	pthread_mutex_t lock_; /* held while a line is open: the author's threads may report */
	struct strbuf line_;
	struct json_writer json_;
};

/*
 * From WIRE_REPORT_ENV, which is removed; the descriptor is closed by exec() from now on. A
 * descriptor that is not open, or no number, is BASE_PARSE or BASE_IO.
 */
struct error *suite_report_writer_open(struct suite_report_writer *ret) MUST_CHECK;
/* Takes the descriptor. */
void suite_report_writer_init(struct suite_report_writer *report, int fd, uint64_t from_ns);
void suite_report_writer_deinit(struct suite_report_writer *report);

/* The line of that kind, from its struct of exchange/report.h. */
void suite_report_write(struct suite_report_writer *report, enum wire_report_kind kind,
			const void *of);
/* A line of one's own: members are added to what is returned, then the line is written. */
struct json_writer *suite_report_open_line(struct suite_report_writer *report,
					   enum wire_report_kind kind);
/* Bytes that may still be added to the open line, closing brackets included. */
size_t suite_report_line_room(const struct suite_report_writer *report);
/* A line longer than WIRE_REPORT_LINE_BYTES is a bug of the caller: the process ends. */
void suite_report_close_line(struct suite_report_writer *report);

void suite_report_begin(struct suite_report_writer *report, const char *test);
void suite_report_stage(struct suite_report_writer *report, enum wire_stage stage);
void suite_report_note(struct suite_report_writer *report, const char *text);
/* `file` may be NULL. */
void suite_report_part(struct suite_report_writer *report, enum ktstr_reason reason,
		       const char *file, int line, const char *text);
void suite_report_partf(struct suite_report_writer *report, enum ktstr_reason reason,
			const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A piece of a kept file; several lines when it is long. `name`: letters, digits, "._-". */
void suite_report_text(struct suite_report_writer *report, const char *name, const void *bytes,
		       size_t n);
void suite_report_end(struct suite_report_writer *report);

/*
 * A whole line of the body, newline included, goes on; parts are counted. Past the limits it is
 * dropped, which the end of the report tells.
 */
void suite_report_forward(struct suite_report_writer *report, const char *line, size_t n);

/* A report for a person who runs a test by hand. */

/* One line of a report, newline included. */
void suite_report_text_print(FILE *to, const char *line, size_t n);

#endif
