/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The three forms of a report. */
#ifndef KTSTR_CLI_JEMALLOC_PROBE_OUTPUT_H
#define KTSTR_CLI_JEMALLOC_PROBE_OUTPUT_H

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/jemalloc_probe/report.h"
#include "text/table.h"

enum { PROBE_SCHEMA_VERSION = 3 };

/* One pretty-printed document and a newline. */
void output_json(const struct probe_report *report, struct strbuf *into);

/* The line of one thread, without its newline: counters, or what went wrong. */
void output_thread_line(const struct probe_thread *thread, struct strbuf *into);
/*
 * key=value lines to out_fd and a warning line to err_fd for each thread that
 * could not be read, in the order of the report.
 */
struct error *output_lines(const struct probe_report *report, int out_fd, int err_fd) MUST_CHECK;

/* For a terminal: one row per thread, with rates when there were several snapshots. */
void output_table(const struct probe_report *report, const struct table_look *look,
		  struct strbuf *into);
/* Warnings alone; the table shows only threads that were read. */
void output_warnings(const struct probe_report *report, struct strbuf *into);

#endif
