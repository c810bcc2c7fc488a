/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A suite that stands on disk, so that its files can be looked for. */
#ifndef KTSTR_TESTS_CLI_SHOW_TEST_DECLARED_H
#define KTSTR_TESTS_CLI_SHOW_TEST_DECLARED_H

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/show_test/show_test.h"
#include "harness/session.h"
#include "staged_root.h"

#define NEEDS_NOTHING                                                                 \
	"\"needs\":{\"sched_ext\":false,\"smt\":false,\"min_cpus\":0,\"max_cpus\":0," \
	"\"min_llcs\":0,\"max_llcs\":0,\"min_nodes\":0,\"max_nodes\":0,\"kconfig\":[]}"

#define LISTED_TESTS                                                                          \
	"{\"ktstr_api\":1,\"tests\":[{\"name\":\"fair\",\"file\":\"my.c\",\"line\":12,"       \
	"\"description\":\"two cells\",\"topology\":\"2n4l2c1t\",\"memory_mb\":0,"            \
	"\"duration_s\":5,\"timeout_s\":0,\"scheduler\":{\"name\":\"x\",\"argv\":[\"scx_x\"," \
	"\"a b\"],\"files\":[],\"sysctls\":[\"a.b=1\"],\"kernel_args\":[\"nosmt\"],"          \
	"\"attach_timeout_s\":9},\"files\":[\"gone\"],\"cgroups\":[{\"name\":\"left\","       \
	"\"cpus\":\"llc:1\",\"work\":{\"kind\":\"bursty\",\"workers\":4,\"burst_ms\":50,"     \
	"\"sleep_ms\":100}},{\"name\":\"right\",\"cpus\":\"node:1\",\"work\":null}],"         \
	"\"checks\":{\"progress\":true,\"isolation\":true,\"scheduler_alive\":true,"          \
	"\"max_spread_pct\":12.5,\"declared\":[\"isolation\",\"max_spread_pct\"]},"           \
	"\"needs\":{\"sched_ext\":true,\"smt\":false,\"min_cpus\":2,\"max_cpus\":0,"          \
	"\"min_llcs\":1,\"max_llcs\":8,\"min_nodes\":0,\"max_nodes\":4,"                      \
	"\"kconfig\":[\"CONFIG_PSI\"]},\"expect\":\"check\",\"has_run\":true,"                \
	"\"later\":[{\"a\":null}]},"                                                          \
	"{\"name\":\"plain\",\"file\":\"my.c\",\"line\":40,\"topology\":\"1n1l2c1t\","        \
	"\"memory_mb\":256,\"duration_s\":2,\"timeout_s\":3,\"scheduler\":null,\"files\":[]," \
	"\"cgroups\":[],\"checks\":{\"progress\":false,\"isolation\":false,"                  \
	"\"scheduler_alive\":false}," NEEDS_NOTHING ",\"expect\":\"none\",\"has_run\":true}]}"

struct declared {
	char *root;
	struct exchange_declared_suite suite;
	struct harness_file_finder finder;
	struct kernel kernel;
	struct shown_host host;
};

static inline int declared_set_up(void **state)
{
	struct declared *d = xnew(struct declared);
	_cleanup_free_ char *scheduler = NULL;

	assert_success(harness_listing_parse(LISTED_TESTS, strlen(LISTED_TESTS), "my", &d->suite));
	d->root = staged_root_new();
	d->suite.path = xasprintf("%s/my", d->root);
	d->suite.name = xstrdup("my");
	staged_file(d->root, "/my", "binary", 6);
	staged_file(d->root, "/scx_x", "x", 1);
	scheduler = xasprintf("%s/scx_x", d->root);
	assert_int_equal(chmod(scheduler, 0755), 0);
	d->kernel.release = (char *)(uintptr_t)"9.9.9";
	d->kernel.scx = KERNEL_SCX_ABSENT;
	d->host = (struct shown_host){
		.finder = &d->finder,
		.kernel = &d->kernel,
		.emulated = true,
		.accel = "tcg",
		.accel_reason = "asked for",
	};
	*state = d;
	return 0;
}

static inline int declared_tear_down(void **state)
{
	struct declared *d = *state;

	harness_file_finder_deinit(&d->finder);
	exchange_declared_suite_deinit(&d->suite);
	staged_root_free(d->root);
	free(d);
	return 0;
}

#define DECLARED_TEST(name) \
	cmocka_unit_test_setup_teardown(name, declared_set_up, declared_tear_down)

#endif
