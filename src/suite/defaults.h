/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a declaration means where it says nothing, once for listing, checking and running. */
#ifndef KTSTR_SUITE_DEFAULTS_H
#define KTSTR_SUITE_DEFAULTS_H

#include <ktstr/ktstr.h>

#include "checks/check.h"
#include "topo/topology.h"

enum {
	SUITE_DEFAULT_DURATION_S = 2,
	SUITE_DEFAULT_WORKERS = 2,
};

/* Numbers only: topo_check() says whether it is possible. */
struct topo suite_declared_topology(const struct ktstr_test *test);
unsigned int suite_declared_duration_s(const struct ktstr_test *test);
/* Whether the test lasts for its duration, and not just as long as its function. */
bool suite_declared_is_timed(const struct ktstr_test *test);
bool suite_declared_has_scheduler(const struct ktstr_test *test);
/* .name, or the last part of argv[0]; NULL without a scheduler. */
const char *suite_declared_scheduler_name(const struct ktstr_test *test);
/* 0: 30 s without progress, 90 s in all. */
unsigned int suite_declared_attach_timeout_s(const struct ktstr_test *test);
unsigned int suite_declared_workers(const struct ktstr_work *work);
/* With the number of workers and the kind's parameters; the kind must be one. */
struct ktstr_work suite_declared_work(const struct ktstr_work *work);
struct checks_scene suite_declared_scene(const struct ktstr_test *test);
/* No demand is left to its default. */
struct ktstr_checks suite_declared_checks(const struct ktstr_test *test);

/* Rows before the first that is not there; more than `limit` means there were too many. */
size_t suite_declared_count(const char *const *texts, size_t limit);
size_t suite_declared_cgroup_count(const struct ktstr_test *test);

#endif
