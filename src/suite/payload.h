/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The payloads of a test. Each has exactly one result: made when its end is first seen, reported,
 * judged, and given again to whoever asks again.
 */
#ifndef KTSTR_SUITE_PAYLOAD_H
#define KTSTR_SUITE_PAYLOAD_H

#include "base/ready_marker.h"
#include "base/vec.h"
#include "exchange/report.h"
#include "suite/ctx.h"
#include "suite/metrics.h"
#include "suite/payload_process.h"

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

/* Kills it if it runs. The result says that nobody asked for its end. */
struct ktstr_metrics *suite_payload_end_by_cleanup(struct ktstr_payload *payload);

#endif
