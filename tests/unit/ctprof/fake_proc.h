/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of a staged machine. */
#ifndef KTSTR_TESTS_FAKE_PROC_H
#define KTSTR_TESTS_FAKE_PROC_H

#include "metric/sample.h"
#include "staged_root.h"

/* Without the waits for a disk that staged_file() has: there are hundreds of these. */
static inline void fake_text(const char *root, const char *path, const char *text)
{
	_cleanup_free_ char *full = staged_path(root, path);
	_cleanup_file_ FILE *file = fopen(full, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
}

/* A file of a thread. */
static inline void fake_file(const char *root, int tgid, int tid, const char *name,
			     const char *text)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task/%d/%s", tgid, tid, name);

	fake_text(root, path, text);
}

/* A stat line whose fields 4 to 52 are 100 more than their number, but for those named. */
static inline char *fake_stat_line(int tid, const char *comm, uint64_t start_ticks, int nice,
				   int policy)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	strbuf_appendf(&s, "%d (%s) S", tid, comm);
	for (int field = 4; field <= 52; field++) {
		if (field == 19)
			strbuf_appendf(&s, " %d", nice);
		else if (field == 22)
			strbuf_appendf(&s, " %llu", (unsigned long long)start_ticks);
		else if (field == 41)
			strbuf_appendf(&s, " %d", policy);
		else
			strbuf_appendf(&s, " %d", 100 + field);
	}
	strbuf_append(&s, "\n");
	return strbuf_take(&s);
}

/* A thread with a name, a stat line and a status file; more files as the test likes. */
static inline void fake_thread(const char *root, int tgid, int tid, const char *comm,
			       uint64_t start_ticks)
{
	_cleanup_free_ char *line = xasprintf("%s\n", comm);
	_cleanup_free_ char *stat = fake_stat_line(tid, comm, start_ticks, 0, 0);
	_cleanup_free_ char *process = xasprintf("/proc/%d/comm", tgid);

	if (tgid == tid)
		fake_text(root, process, line);
	fake_file(root, tgid, tid, "comm", line);
	fake_file(root, tgid, tid, "stat", stat);
	fake_file(root, tgid, tid, "status",
		  "Name:\tx\nState:\tS (sleeping)\nThreads:\t3\nCpus_allowed_list:\t0-1,4\n"
		  "voluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t9\n");
}

#define assert_metric(sample, id, expected)                                  \
	do {                                                                 \
		assert_true(metric_sample_knows((sample), METRIC_##id));     \
		assert_int_equal((sample)->values[METRIC_##id], (expected)); \
	} while (0)
#define assert_unknown(sample, id) assert_false(metric_sample_knows((sample), METRIC_##id))

#endif
