/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shell scripts play the scheduler, a directory plays the kernel. Guests have real ones. */
#ifndef KTSTR_TESTS_SUITE_FAKE_SCHEDULER_H
#define KTSTR_TESTS_SUITE_FAKE_SCHEDULER_H

#include "unit.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "suite/dir.h"
#include "suite/heard.h"
#include "suite/scheduler.h"

enum { LONG_MS = 60000 };
static const struct suite_scheduler_patience LONG = { LONG_MS, LONG_MS };

struct fixture {
	struct dir dir;
	struct suite_scheduler_system system;
	struct suite_scheduler scheduler;
	struct heard heard;
};

static inline int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	dir_init(&f->dir);
	dir_write(&f->dir, "scx/state", "disabled\n");
	f->system.sched_ext = xasprintf("%s/scx", f->dir.path);
	f->system.kmsg = "/does/not/exist";
	f->system.tracing = f->dir.path;
	f->system.proc = "/proc";
	dir_write(&f->dir, "scx/enable_seq", "7\n");
	suite_scheduler_init(&f->scheduler, &f->system, 1);
	f->scheduler.is_judged = true;
	heard_init(&f->heard);
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	suite_scheduler_deinit(&f->scheduler);
	heard_deinit(&f->heard);
	dir_deinit(&f->dir);
	free((char *)f->system.sched_ext);
	free(f);
	return 0;
}

/* $1 is the directory of sched_ext. */
static inline void start(struct fixture *f, const char *script)
{
	const char *const argv[] = { "sh", "-c", script, "sh", f->system.sched_ext, NULL };

	assert_success(suite_scheduler_start(&f->scheduler, argv, "fake", &f->heard.report));
}

/* The kernel's order: first the name, which is no name yet, then the state, then the count. */
#define ATTACH                                                              \
	"mkdir \"$1/root\"; echo EVENT 3 > \"$1/root/events\"; "            \
	"echo '(efault)' > \"$1/root/ops\"; echo enabling > \"$1/state\"; " \
	"sleep 0.1; echo fake_ops > \"$1/root/ops\"; "                      \
	"echo enabled > \"$1/state\"; echo 8 > \"$1/enable_seq\"; "
#define DETACH "echo disabled > \"$1/state\"; rm -r \"$1/root\"; "

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
