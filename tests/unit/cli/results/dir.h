/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory with records written by hand. */
#ifndef KTSTR_TESTS_CLI_RESULTS_DIR_H
#define KTSTR_TESTS_CLI_RESULTS_DIR_H

#include <stdlib.h>

#include "base/io.h"
#include "base/paths.h"
#include "cli/results/results.h"
#include "unit.h"

static inline int make_dir(void **state)
{
	char *dir = xstrdup("/tmp/ktstr-results-XXXXXX");

	*state = dir;
	return mkdtemp(dir) ? 0 : -1;
}

static inline int remove_dir(void **state)
{
	assert_success(paths_remove(*state));
	free(*state);
	return 0;
}

static inline void put_record(const char *dir, const char *file, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, file);

	assert_success(io_replace_file(path, text, strlen(text)));
}

#define RECORD(test, state, rest)                                                          \
	"{\"schema\":1,\"state\":\"" state "\",\"test_name\":\"" test "\",\"variant_id\":" \
	"\"0\",\"name\":\"s:" test "\"" rest "}"
#define OUTCOME(verdict, reason, why) \
	",\"verdict\":\"" verdict "\",\"reason\":\"" reason "\",\"why\":\"" why "\""

/* One of every kind; file names are in another order than what is shown. */
static inline void put_every_kind(const char *dir)
{
	put_record(dir, "a.ktstr.json", RECORD("a", "finished", OUTCOME("pass", "none", "")));
	put_record(dir, "b.ktstr.json",
		   RECORD("b", "finished", OUTCOME("skip", "needs-sched-ext", "no sched_ext")));
	put_record(dir, "c.ktstr.json",
		   RECORD("c", "finished", OUTCOME("inconclusive", "host-busy", "busy")));
	put_record(dir, "d.ktstr.json", RECORD("d", "started", ""));
	put_record(dir, "e.ktstr.json", "{ half");
	put_record(dir, "f.ktstr.json", RECORD("f", "finished", OUTCOME("broken", "boot", "")));
	put_record(dir, "g.ktstr.json", RECORD("g", "finished", OUTCOME("fail", "check", "31 %")));
	put_record(dir, "g-10.ktstr.json",
		   RECORD("g", "finished", OUTCOME("fail", "check", "32 %")));
	put_record(dir, "g-2.ktstr.json",
		   RECORD("g", "finished", OUTCOME("fail", "check", "33 %")));
	put_record(dir, "g.ktstr.json.lock", "");
}

#define dir_test(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

#endif
