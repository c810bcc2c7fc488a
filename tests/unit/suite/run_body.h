/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A test's function in a process of its own, as the suite runs it, and the report it gave. The
 * process of the unit test starts no thread: the thread sanitizer wants one when it forks.
 */
#ifndef KTSTR_TESTS_UNIT_SUITE_RUN_BODY_H
#define KTSTR_TESTS_UNIT_SUITE_RUN_BODY_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "json/doc.h"
#include "suite/payload.h"
#include "unit.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/* It would let every process with threads sleep for a second before it ends. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "atexit_sleep_ms=0";
}
#endif
#endif

struct body_report {
	struct strbuf text; /* lines */
	int status;	    /* of waitpid(); 0 when the function ended as functions do */
};

static inline void body_report_deinit(struct body_report *report)
{
	strbuf_deinit(&report->text);
}
#define _cleanup_body_report_ __attribute__((cleanup(body_report_deinit)))

typedef void (*body_fn)(struct ktstr_ctx *ctx);

/* cgroups_fd may be -1. */
static inline struct body_report run_body_in(body_fn body, double slowness, int cgroups_fd)
{
	static const struct ktstr_test test;
	struct body_report report = { 0 };
	int fd = memfd_create("report", MFD_CLOEXEC);
	pid_t child;

	assert_true(fd >= 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		static struct ktstr_ctx ctx;

		ctx = (struct ktstr_ctx){ .test = &test,
					  .pid = getpid(),
					  .slowness = slowness,
					  .online_cpus = 1,
					  .cgroups_fd = cgroups_fd };
		suite_report_writer_init(&ctx.report, fd, clock_monotonic_ns());
		body(&ctx);
		suite_ctx_finish(&ctx);
	}
	assert_int_equal(waitpid(child, &report.status, 0), child);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_success(io_read_fd(fd, "report", 64 << 20, &report.text));
	close(fd);
	return report;
}

static inline struct body_report run_body(body_fn body)
{
	return run_body_in(body, 1, -1);
}

/* The n-th line of that kind, from 0, or NULL; the document ends with the process. */
static inline const struct json_value *find_line(const struct body_report *report, const char *kind,
						 size_t n)
{
	static struct json_doc *doc;
	const char *at = strbuf_str(&report->text);

	for (; *at; at += strcspn(at, "\n") + 1) {
		json_doc_free(take_ptr(doc));
		if (*at != '{')
			continue;
		assert_success(json_doc_parse(at, strcspn(at, "\n"), "line", &doc));
		if (json_text_is(json_string(json_find(json_doc_root(doc), "report")), kind) &&
		    n-- == 0)
			return json_doc_root(doc);
	}
	json_doc_free(take_ptr(doc));
	return NULL;
}

static inline size_t count_lines(const struct body_report *report, const char *kind)
{
	size_t n = 0;

	while (find_line(report, kind, n))
		n++;
	return n;
}

static inline const char *string_member(const struct json_value *line, const char *name)
{
	struct json_text text = json_string(json_find(line, name));

	return text.at ? text.at : "";
}

static inline int64_t number_member(const struct json_value *line, const char *name)
{
	int64_t value;

	if (!json_get_i64(json_find(line, name), &value))
		fail_msg("there is no number %s", name);
	return value;
}

static inline bool bool_member(const struct json_value *line, const char *name)
{
	bool value;

	if (!json_get_bool(json_find(line, name), &value))
		fail_msg("there is no %s", name);
	return value;
}

/* The only part, of that reason, and what it says. */
static inline void assert_one_part(const struct body_report *report, const char *reason,
				   const char *needle)
{
	const struct json_value *part;

	if (count_lines(report, "part") != 1)
		fail_msg("not one part in\n%s", strbuf_str(&report->text));
	part = find_line(report, "part", 0);
	assert_string_equal(string_member(part, "reason"), reason);
	assert_contains(string_member(part, "text"), needle);
}

#endif
