/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The process of the test's function, seen from its parent. Its report comes through a pipe, one
 * line after the other; a mark behind the last one says that the function ended as it should.
 */
#ifndef KTSTR_SUITE_BODY_H
#define KTSTR_SUITE_BODY_H

#include <sys/types.h>

#include "suite/ctx.h"

struct suite_body {
	pid_t pid; /* 0: none was started */
	int pidfd; /* readable when it has ended */
	int report_fd;
	struct strbuf partial; /* a line that has not ended yet */
	bool skipping;	       /* the rest of a line that was too long */
	bool finished;	       /* it said so */
	bool ended;
	int status; /* as waitpid() has it, once ended */
};

/* The exit code of a body that finished because a NEED was not met. */
enum { SUITE_BODY_EXIT_UNMET = 4 };

#define SUITE_BODY_INIT ((struct suite_body){ .pidfd = -1, .report_fd = -1 })
void suite_body_deinit(struct suite_body *body);

/*
 * Forks it: a process group of its own, in the test's own cgroup, dead when its parent dies. `ctx`
 * is what the function gets, without report and pid. `parents_report` is closed in the body.
 */
struct error *suite_body_start(struct suite_body *body, const struct ktstr_ctx *ctx,
			       const struct suite_report_writer *parents_report) MUST_CHECK;
/* Forwards what there is to read; does not wait. */
void suite_body_pump(struct suite_body *body, struct suite_report_writer *report);
/* It has ended: what it still said is forwarded, its status kept, its zombie gone. */
void suite_body_reap(struct suite_body *body, struct suite_report_writer *report);
/* It and its group. */
void suite_body_kill(const struct suite_body *body);
/* It ended because a NEED or a REQUIRE did not hold: that is the end of the test. */
bool suite_body_is_unmet(const struct suite_body *body);
/* A part when it did not end as it should. */
void suite_body_judge(const struct suite_body *body, struct suite_report_writer *report);

/* In the body, as its last word. */
void suite_body_say_finished(struct suite_report_writer *report);

#endif
