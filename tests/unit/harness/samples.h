/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a binary lists, and tests made of it. */
#ifndef KTSTR_TESTS_HARNESS_SAMPLES_H
#define KTSTR_TESTS_HARNESS_SAMPLES_H

#include "base/alloc.h"
#include "harness/session.h"
#include "unit.h"

/* A test with every member; `name` comes first. No member holds a single quote. */
#define SAMPLE_TEST(name)                                                                                                    \
	"{\"name\":\"" name "\",\"file\":\"mytests.c\",\"line\":12,\"description\":\"two\","                                 \
	"\"topology\":\"1n2l2c1t\",\"memory_mb\":512,\"duration_s\":5,\"timeout_s\":60,"                                     \
	"\"scheduler\":{\"name\":\"cells\",\"argv\":[\"scx_cells\",\"--slice-us\",\"5000\"],"                                \
	"\"files\":[\"cells.cfg\"],\"sysctls\":[\"kernel.sched_schedstats=1\"],"                                             \
	"\"kernel_args\":[\"threadirqs\"],\"attach_timeout_s\":30},\"files\":[\"helper\"],"                                  \
	"\"cgroups\":[{\"name\":\"left\",\"cpus\":\"llc:0\",\"work\":{\"kind\":\"spin\","                                    \
	"\"workers\":4,\"burst_ms\":30,\"sleep_ms\":7}},{\"name\":\"right\",\"cpus\":\"cpus:2-"                              \
	"3\",\"work\":null}],\"checks\":{\"progress\":true,\"isolation\":false,"                                             \
	"\"scheduler_alive\":true,\"max_spread_pct\":12.5,\"declared\":[\"max_spread_pct\"]},\"needs\":{\"sched_ext\":true," \
	"\"smt\":false,\"min_cpus\":2,\"max_cpus\":0,\"min_llcs\":1,\"max_llcs\":8,"                                         \
	"\"min_nodes\":0,\"max_nodes\":0,\"kconfig\":[\"CONFIG_PSI\",\"CONFIG_HZ=250\"]},"                                   \
	"\"expect\":\"check\",\"has_run\":true}"

/* The least. */
#define SAMPLE_PLAIN(name)                                                                      \
	"{\"name\":\"" name "\",\"file\":\"mytests.c\",\"line\":7,\"topology\":\"1n1l2c1t\","   \
	"\"memory_mb\":0,\"duration_s\":2,\"timeout_s\":0,\"scheduler\":null,\"files\":[],"     \
	"\"cgroups\":[],\"checks\":{\"progress\":true,\"isolation\":false,\"scheduler_alive\":" \
	"false},\"needs\":{\"sched_ext\":false,\"smt\":false,\"min_cpus\":0,\"max_cpus\":0,"    \
	"\"min_llcs\":0,\"max_llcs\":0,\"min_nodes\":0,\"max_nodes\":0,\"kconfig\":[]},"        \
	"\"expect\":\"none\",\"has_run\":true}"

#define SAMPLE_LISTING(tests) "{\"ktstr_api\":1,\"tests\":[" tests "]}"

/* A suite as if it had been listed. */
static inline struct exchange_declared_suite sample_suite(const char *path, const char *listing)
{
	struct exchange_declared_suite suite = { 0 };

	assert_success(harness_listing_parse(listing, strlen(listing), path, &suite));
	suite.path = xstrdup(path);
	suite.name = xstrdup(exchange_declared_base_name(path));
	return suite;
}

#endif
