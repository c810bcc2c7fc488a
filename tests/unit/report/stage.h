/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reporter that writes into memory, and outcomes to tell it. */
#ifndef KTSTR_TESTS_REPORT_STAGE_H
#define KTSTR_TESTS_REPORT_STAGE_H

#include "unit.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "report/report.h"

struct stage {
	int fd;
	struct report_run *r;
	struct strbuf text;
};

static inline struct stage stage_with(enum report_format format, struct report_options options,
				      struct report_plan plan)
{
	struct stage s = { .fd = memfd_create("report", MFD_CLOEXEC) };

	assert_true(s.fd >= 0);
	options.fd = s.fd;
	assert_success(report_run_new(format, &options, &s.r));
	assert_success(report_run_begin(s.r, &plan));
	return s;
}

static inline struct stage stage_for(enum report_format format, size_t n_tests)
{
	return stage_with(format, (struct report_options){ 0 },
			  (struct report_plan){ .n_tests = n_tests, .jobs = 1 });
}

static inline void stage_deinit(struct stage *s)
{
	report_run_free(s->r);
	close(s->fd);
	strbuf_deinit(&s->text);
}
#define _cleanup_stage_ __attribute__((cleanup(stage_deinit)))

/* Everything written so far. */
static inline const char *stage_text(struct stage *s)
{
	assert_int_equal(lseek(s->fd, 0, SEEK_SET), 0);
	strbuf_clear(&s->text);
	assert_success(io_read_fd(s->fd, "memory", 1 << 24, &s->text));
	return strbuf_str(&s->text);
}

/* What was written since the last look. */
static inline const char *stage_news(struct stage *s)
{
	size_t before = s->text.n;

	return stage_text(s) + before;
}

static inline void stage_end(struct stage *s)
{
	assert_success(report_run_end(
		s->r, &(struct report_ending){ .wall_ns = UINT64_C(34) * NS_PER_SEC }));
}

/* "suite:test", everything else as plain as can be. */
static inline struct result_outcome made_outcome(const char *suite, const char *test)
{
	struct result_outcome o = {
		.suite = xstrdup(suite),
		.test = xstrdup(test),
		.name = xasprintf("%s:%s", suite, test),
		.id = xstrdup("0123456789abcdef"),
		.topology = xstrdup("1n2l2c1t"),
		.kernel = xstrdup("6.1"),
		.scheduler = xstrdup(""),
		.source = xstrdup("fair.c:12"),
		.wall_ns = UINT64_C(5312) * NS_PER_MS,
	};

	result_outcome_settle(&o);
	return o;
}

static inline struct result_outcome made_failure(const char *suite, const char *test,
						 enum ktstr_reason reason, const char *why)
{
	struct result_outcome o = made_outcome(suite, test);

	result_outcome_add_part(&o, reason, NULL, 0, why);
	result_outcome_settle(&o);
	return o;
}

/* Tells it and forgets it. */
static inline void stage_finish(struct stage *s, size_t index, struct result_outcome outcome)
{
	report_run_finished(s->r, index, &outcome);
	result_outcome_deinit(&outcome);
}

#endif
