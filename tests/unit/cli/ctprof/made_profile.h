/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small host, and what show makes of it. */
#ifndef KTSTR_TESTS_CLI_CTPROF_MADE_PROFILE_H
#define KTSTR_TESTS_CLI_CTPROF_MADE_PROFILE_H

#include "cli/ctprof/show.h"
#include "ctprof/made_snapshot.h"
#include "unit.h"

struct made {
	struct ctprof_snapshot snapshot;
	struct ctprof_snapshot_origin origin;
	struct profile_options options;
	struct profile profile;
};

/*
 * web-1 (two threads) and web-2 in services of one template, and db in a scope. Run times in ns;
 * the second thread of web-1 could not be measured.
 */
static inline void made_begin(struct made *m)
{
	struct metric_thread_sample *t;

	*m = (struct made){ 0 };
	ctprof_snapshot_init(&m->snapshot);
	m->snapshot.has_presence = true;
	m->snapshot.captured_at_unix_ns = UINT64_C(1700000000123456789);
	m->origin = (struct ctprof_snapshot_origin){ .path = xstrdup("a.ctprof.zst"),
						     .frame = 1,
						     .frames = 1 };
	t = add_thread(&m->snapshot, 9, 9, "db", "db", "/s/db.scope");
	metric_sample_set(t, METRIC_RUN_TIME_NS, 500);
	metric_sample_set(t, METRIC_WAIT_TIME_NS, 1500);
	metric_sample_set(t, METRIC_NICE, (uint64_t)-5);
	metric_sample_set(t, METRIC_STATE, 'S');
	metric_sample_set(t, METRIC_RCHAR, 0);
	t = add_thread(&m->snapshot, 10, 10, "web-1", "web-1", "/s/web@1.service");
	metric_sample_set(t, METRIC_RUN_TIME_NS, 1000000);
	metric_sample_set(t, METRIC_WAIT_TIME_NS, 3000000);
	metric_sample_set(t, METRIC_NICE, 0);
	metric_sample_set(t, METRIC_STATE, 'R');
	add_thread(&m->snapshot, 10, 11, "web-1", "pool-1", "/s/web@1.service");
	t = add_thread(&m->snapshot, 20, 20, "web-2", "web-2", "/s/web@2.service");
	metric_sample_set(t, METRIC_RUN_TIME_NS, 234567);
	metric_sample_set(t, METRIC_WAIT_TIME_NS, 0);
	metric_sample_set(t, METRIC_NICE, 10);
	metric_sample_set(t, METRIC_STATE, 'R');
	metric_sample_set(t, METRIC_CPU_AFFINITY, 2);
	t->cpu_affinity = ctprof_snapshot_add_cpu_list(&m->snapshot, (const uint32_t[]){ 0, 1 }, 2);
}

static inline void made_show(struct made *m)
{
	profile_make(&m->options, &m->snapshot, &m->origin, &m->profile);
}

static inline void made_end(struct made *m)
{
	profile_deinit(&m->profile);
	ctprof_snapshot_origin_deinit(&m->origin);
	ctprof_snapshot_deinit(&m->snapshot);
}

#endif
