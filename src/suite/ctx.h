/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a test's function is given. It lives in the body, the process of that function, which is
 * a child of the suite's parent: nothing here is shared between the two but the report.
 */
#ifndef KTSTR_SUITE_CTX_H
#define KTSTR_SUITE_CTX_H

#include <ktstr/ktstr.h>

#include "base/error.h"
#include "suite/report_writer.h"

struct suite_payload_set;

struct ktstr_ctx {
	const struct ktstr_entry *entry;
	const struct ktstr_test *test;
	struct suite_report_writer report;
	bool unmet;	 /* a NEED or a REQUIRE did not hold */
	pid_t pid;	 /* of the body: what it forks must not end it */
	double slowness; /* at least 1 */
	unsigned int online_cpus;
	unsigned int duration_ms; /* the default resolved; without slowness */
	pid_t scheduler_pid;	  /* 0: the kernel's own */
	int cgroups_fd;		  /* folder of the test's cgroups; -1: this system has none */
	struct suite_payload_set *payloads; /* NULL before the first */
	/* Ends and reports what still runs; set with the first payload, else NULL. */
	void (*end_payloads)(struct ktstr_ctx *ctx);
};

/* A time limit of the author, on this machine. */
uint64_t suite_ctx_scaled_ms(const struct ktstr_ctx *ctx, uint64_t ms);
/*
 * The folder of a cgroup, for clone3() or openat(…, "cgroup.procs"): one of .cgroups, one that
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

#endif
