/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The payloads of a test. Each has exactly one result: made when its end is first seen, reported,
 * judged, and given again to whoever asks again.
 */
#ifndef KTSTR_SUITE_PAYLOAD_H
#define KTSTR_SUITE_PAYLOAD_H

#include "base/ready_marker.h"
#include "suite/ctx.h"
#include "suite/metrics.h"

struct ktstr_payload {
	struct ktstr_ctx *ctx;
	struct suite_payload_process *process; /* NULL once there is a result */
	struct ktstr_metrics *result;	       /* NULL while it runs */
	char *name;			       /* never empty */
	pid_t pid;
	char pid_text[16];
	enum ktstr_output output;
	unsigned int timeout_ms;				/* as declared; 0: none */
	struct ktstr_metric_check checks[KTSTR_MAX_CHECKS + 1]; /* with names of their own */
	VEC(struct exchange_hint) hints;
	char ready_path[256]; /* empty: it has an override that is too long for a path */
};

struct suite_payload_set {
	VEC(struct ktstr_payload *) all;
	uint64_t reported_metrics, reported_bytes, reported_texts; /* see payload_limits.h */
};

/*
 * For the end of the test's function: what still runs is killed, the results that nobody asked for
 * are reported and judged as all others, and everything is released.
 */
void suite_payload_end_all(struct ktstr_ctx *ctx);

/* Our environment with a few things changed, for a program that is started. */

struct suite_payload_env {
	VEC(const char *) all; /* ends with NULL; the texts are borrowed */
};

/*
 * Each "NAME=value" of `added` replaces what had that name; the last of a name counts. `added` ends
 * with NULL and may be NULL.
 */
void suite_payload_env_init(struct suite_payload_env *env, char *const *ours,
			    const char *const *added);
void suite_payload_env_deinit(struct suite_payload_env *env);
#define _cleanup_suite_payload_env_ __attribute__((cleanup(suite_payload_env_deinit)))

/* NULL when there is none. */
const char *suite_payload_env_find(const struct suite_payload_env *env, const char *name);
/* True for "NAME=value" with a name. */
bool suite_payload_env_is_setting(const char *text);

/*
 * exec() says "no such file" for a program that is not there and for one whose interpreter is
 * not. Whoever reads the message has to do different things.
 */

/* What is missing for `program`, which exec() did not find, and what to do; `path` is PATH. */
void suite_payload_missing_explain(const char *program, const char *path, struct strbuf *into);

/*
 * A program that runs in its own process group, and the thread that keeps it: it collects both
 * streams all the time, so that the program never waits for a reader, ends it when its time is
 * over, and sees its end. The program has ended when its leader has: a descendant that still holds
 * the pipes is not waited for, and what it writes later is not read.
 */

struct suite_payload_process;

struct suite_payload_process_request {
	const char *const *argv;
	const char *const *env; /* whole; NULL: ours */
	int cgroup_procs;	/* as in struct spawn_request */
	size_t capture_bytes;	/* of each stream */
	uint64_t timeout_ms;	/* 0: none */
};

struct suite_payload_end {
	bool known;	/* false: somebody else reaped it */
	int exit_code;	/* minus the signal; INT32_MIN when not known */
	bool timed_out; /* we killed it, because its time was over */
	bool killed;	/* suite_payload_process_kill() is what ended it */
	uint64_t wall_ns;
	struct suite_capture out, err;
};

/* Returns once the program was executed. As spawn_child(): BASE_IO with errno. */
struct error *suite_payload_process_start(const struct suite_payload_process_request *request,
					  struct suite_payload_process **ret) MUST_CHECK;
/* Kills what still runs. */
void suite_payload_process_free(struct suite_payload_process *process);

pid_t suite_payload_process_pid(const struct suite_payload_process *process);
enum { SUITE_PAYLOAD_WAIT_FOREVER = -1 };
/* True when it has ended. */
bool suite_payload_process_wait(struct suite_payload_process *process, int timeout_ms);
/*
 * SIGKILL to the group and its leader. Does not wait. What a leader that has ended left behind is
 * killed as well, but not once suite_payload_process_end() was called: the numbers may be another's
 * then.
 */
void suite_payload_process_kill(struct suite_payload_process *process);
/* Only after the end; reaps it. Borrowed; the captures may be taken out of it. */
struct suite_payload_end *suite_payload_process_end(struct suite_payload_process *process);

/* What is reported to the runner about a payload. */

/*
 * Long arguments are cut; those that do not fit the line are counted in "argv_dropped". The first
 * is always told.
 */
void suite_payload_report_started(const struct ktstr_payload *payload, const char *const *argv);
/*
 * Metrics that do not fit the line, or that no report can name, are counted in "metrics_dropped".
 * An end that is not known is not told.
 */
void suite_payload_report_ended(const struct ktstr_payload *payload);
/*
 * The end of what it wrote, to be kept beside the record of a test that did not pass. Only of the
 * first payloads: a runner keeps so many texts.
 */
void suite_payload_report_output(const struct ktstr_payload *payload);

#endif
