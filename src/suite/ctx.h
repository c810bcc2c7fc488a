/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a test's function is given. It lives in the body, the process of that function, which is
 * a child of the suite's parent: nothing here is shared between the two but the report.
 */
#ifndef KTSTR_SUITE_CTX_H
#define KTSTR_SUITE_CTX_H

#include "suite/report_writer.h"

struct suite_payload_set;

struct ktstr_ctx {
	const struct ktstr_entry *entry;
	const struct ktstr_test *test;
	struct suite_report_writer report;
	bool unmet;	 /* a NEED or a REQUIRE did not hold */
	pid_t pid;	 /* of the body: what it forks must not end it */
	double slowness; /* at least 1 */
	bool virtual_clock;
	unsigned int online_cpus;
	unsigned int duration_ms; /* the default resolved; without slowness */
	pid_t scheduler_pid;	  /* 0: the kernel's own */
	int cgroups_fd;		  /* directory of the test's cgroups; -1: this system has none */
	struct suite_payload_set *payloads; /* NULL before the first */
	/* Ends and reports what still runs; set with the first payload, else NULL. */
	void (*end_payloads)(struct ktstr_ctx *ctx);
};

/* A time limit of the author, on this machine. */
uint64_t suite_ctx_scaled_ms(const struct ktstr_ctx *ctx, uint64_t ms);
/*
 * The directory of a cgroup, for clone3() or openat(…, "cgroup.procs"): one of .cgroups, one that
 * is made now when there is none of that name, or for NULL the test's own. *ret_fd is -1 when
 * the name is NULL and this system has no cgroups. A name that cannot be one is BASE_PARSE.
 */
struct error *suite_ctx_open_cgroup(const struct ktstr_ctx *ctx, const char *name,
				    int *ret_fd) MUST_CHECK;

/* The function has ended, in whatever way: payloads are ended, and the process with them. */
_Noreturn void suite_ctx_finish(struct ktstr_ctx *ctx);
/* A part of the verdict, and suite_ctx_finish(). `file` may be NULL. */
_Noreturn void suite_ctx_end_with(struct ktstr_ctx *ctx, enum ktstr_reason reason, const char *file,
				  int line, const char *fmt, ...) PRINTF_LIKE(5, 6);
/* A helper of the author could not do its work: KTSTR_REASON_SETUP. Takes err. */
_Noreturn void suite_ctx_end_broken(struct ktstr_ctx *ctx, struct error *err);

/*
 * The process of the test's function, seen from its parent. Its report comes through a pipe, one
 * line after the other; a mark behind the last one says that the function ended as it should.
 */

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

/* One test, from its first report line to its last. */

/* The exit code: 0 when the report is complete, whatever it says. */
int suite_run_test(const struct ktstr_entry *entry);

#endif
