// SPDX-License-Identifier: GPL-2.0-or-later
/* Shell scripts play the scheduler, a folder plays the kernel. Guests have real ones. */
#include "unit.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "suite/folder.h"
#include "suite/heard.h"
#include "suite/scheduler.h"

enum { LONG_MS = 60000 };

struct fixture {
	struct folder folder;
	struct scheduler_system system;
	struct scheduler scheduler;
	struct heard heard;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	folder_init(&f->folder);
	folder_write(&f->folder, "scx/state", "disabled\n");
	f->system.sched_ext = xasprintf("%s/scx", f->folder.path);
	f->system.kmsg = "/does/not/exist";
	f->system.tracing = f->folder.path;
	scheduler_init(&f->scheduler, &f->system, 1);
	heard_init(&f->heard);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	scheduler_deinit(&f->scheduler);
	heard_deinit(&f->heard);
	folder_deinit(&f->folder);
	free((char *)f->system.sched_ext);
	free(f);
	return 0;
}

/* $1 is the folder of sched_ext. */
static void start(struct fixture *f, const char *script)
{
	const char *const argv[] = { "sh", "-c", script, "sh", f->system.sched_ext, NULL };

	assert_success(scheduler_start(&f->scheduler, argv, "fake", &f->heard.report));
}

#define ATTACH \
	"mkdir \"$1/root\"; echo EVENT 3 > \"$1/root/events\"; echo fake_ops > \"$1/root/ops\"; "

static void attached_and_stopped(void **state)
{
	struct fixture *f = *state;

	start(f, "echo out; echo err >&2; " ATTACH "exec sleep 1000");
	assert_true(scheduler_wait_attached(&f->scheduler, LONG_MS, &f->heard.report));
	assert_true(scheduler_is_alive(&f->scheduler));
	scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "{\"report\":\"scheduler\",\"state\":\"started\","
					       "\"pid\":");
	assert_contains(heard_text(&f->heard), "{\"report\":\"scheduler\",\"state\":\"attached\","
					       "\"ops\":\"fake_ops\",\"attach_ms\":");
	assert_contains(heard_text(&f->heard), "{\"report\":\"scheduler\",\"state\":\"ended\","
					       "\"end\":\"stopped\",\"events\":\"EVENT 3\"}\n");
	assert_contains(heard_text(&f->heard), "{\"report\":\"text\",\"name\":\"scheduler.stdout\","
					       "\"text\":\"out\\n\"}\n");
	assert_contains(heard_text(&f->heard), "{\"report\":\"text\",\"name\":\"scheduler.stderr\","
					       "\"text\":\"err\\n\"}\n");
	assert_int_equal(f->heard.report.parts, 0);
}

static void ended_before_it_was_attached(void **state)
{
	struct fixture *f = *state;

	start(f, "echo why >&2; exit 3");
	assert_false(scheduler_wait_attached(&f->scheduler, LONG_MS, &f->heard.report));
	scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard),
			"{\"report\":\"part\",\"reason\":\"scheduler-load\",\"text\":\"fake ended "
			"with exit code 3 before it was attached; it says: why\"}\n");
	assert_contains(heard_text(&f->heard), "{\"report\":\"scheduler\",\"state\":\"failed\"}\n");
	assert_contains(heard_text(&f->heard), "\"end\":\"exited 3\"");
	assert_contains(heard_text(&f->heard), "why");
}

static void killed_before_it_was_attached(void **state)
{
	struct fixture *f = *state;

	start(f, "kill -SEGV $$");
	assert_false(scheduler_wait_attached(&f->scheduler, LONG_MS, &f->heard.report));
	scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "fake was ended by signal 11 (SIGSEGV) before");
	assert_contains(heard_text(&f->heard), "\"end\":\"signalled 11\"");
}

static void refused_by_the_verifier(void **state)
{
	struct fixture *f = *state;

	start(f, "echo \"libbpf: prog 'x': -- BEGIN PROG LOAD LOG --\" >&2; exit 1");
	assert_false(scheduler_wait_attached(&f->scheduler, LONG_MS, &f->heard.report));
	assert_contains(heard_text(&f->heard), "\"reason\":\"scheduler-verifier\"");
	assert_int_equal(f->heard.report.parts, 1);
}

static void running_but_never_attached(void **state)
{
	struct fixture *f = *state;

	start(f, "echo waiting; exec sleep 1000");
	assert_false(scheduler_wait_attached(&f->scheduler, 500, &f->heard.report));
	scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard),
			"\"reason\":\"scheduler-attach\",\"text\":\"fake runs, "
			"but was not attached within 500 ms; it says: waiting\"");
	assert_contains(heard_text(&f->heard), "\"end\":\"stopped\"");
}

static void gone_during_the_test(void **state)
{
	struct fixture *f = *state;
	struct pollfd fds[SCHEDULER_FDS];

	start(f, ATTACH "read x < \"$1/fifo\"; rm \"$1/root/ops\"; exit 5");
	assert_true(scheduler_wait_attached(&f->scheduler, LONG_MS, &f->heard.report));
	assert_true(scheduler_is_alive(&f->scheduler));
	folder_write(&f->folder, "scx/fifo", "go\n");
	scheduler_poll(&f->scheduler, fds);
	assert_int_equal(poll(fds, 1, LONG_MS), 1);
	assert_false(scheduler_is_alive(&f->scheduler));
	scheduler_report_loss(&f->scheduler, &f->heard.report);
	scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard),
			"\"reason\":\"scheduler-exited\",\"text\":\"fake ended "
			"with exit code 5\"");
	assert_contains(heard_text(&f->heard), "\"end\":\"exited 5\"");
}

static int set_up_fifo(void **state)
{
	struct fixture *f;
	char path[100];

	set_up(state);
	f = *state;
	snprintf(path, sizeof(path), "%s/fifo", f->system.sched_ext);
	return mkfifo(path, 0600);
}

/* The kernel has thrown it out, and its program has not noticed. */
static void thrown_out_while_its_program_runs(void **state)
{
	struct fixture *f = *state;
	char path[100];

	/* Its last words are waited for, but here not for long. */
	f->scheduler.slowness = 0.01;
	start(f, ATTACH "exec sleep 1000");
	assert_true(scheduler_wait_attached(&f->scheduler, LONG_MS, &f->heard.report));
	snprintf(path, sizeof(path), "%s/root/ops", f->system.sched_ext);
	assert_int_equal(unlink(path), 0);
	assert_false(scheduler_is_alive(&f->scheduler));
	scheduler_report_loss(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "its program still runs");
}

static void deaf_to_signals_it_is_killed(void **state)
{
	struct fixture *f = *state;

	f->scheduler.slowness = 0.01;
	start(f, "trap '' INT TERM; " ATTACH "while :; do sleep 1; done");
	assert_true(scheduler_wait_attached(&f->scheduler, LONG_MS, &f->heard.report));
	scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "\"end\":\"killed\"");
}

static void a_kernel_without_sched_ext_is_told_apart(void **state)
{
	struct fixture *f = *state;
	const char *const argv[] = { "sh", NULL };
	const struct scheduler_system none = { "/does/not/exist", "/x", "/x" };

	f->scheduler.system = &none;
	assert_error_tag(scheduler_start(&f->scheduler, argv, "fake", &f->heard.report), "absent");
	f->scheduler.system = &f->system;
	folder_write(&f->folder, "scx/root/ops", "other\n");
	assert_error_tag(scheduler_start(&f->scheduler, argv, "fake", &f->heard.report), "io");
	assert_string_equal(heard_text(&f->heard), "");
}

static void a_program_that_is_not_there_is_no_verdict(void **state)
{
	struct fixture *f = *state;
	const char *const argv[] = { "/nowhere/scx_none", NULL };
	struct error *err = scheduler_start(&f->scheduler, argv, "fake", &f->heard.report);

	assert_non_null(err);
	assert_string_equal(error_message(err),
			    "scheduler fake: /nowhere/scx_none cannot be executed: "
			    "No such file or directory");
	error_free(err);
	assert_int_equal(f->scheduler.pid, 0);
	scheduler_finish(&f->scheduler, &f->heard.report);
	assert_string_equal(heard_text(&f->heard), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(attached_and_stopped),
		TEST(ended_before_it_was_attached),
		TEST(killed_before_it_was_attached),
		TEST(refused_by_the_verifier),
		TEST(running_but_never_attached),
		cmocka_unit_test_setup_teardown(gone_during_the_test, set_up_fifo, tear_down),
		TEST(thrown_out_while_its_program_runs),
		TEST(deaf_to_signals_it_is_killed),
		TEST(a_kernel_without_sched_ext_is_told_apart),
		TEST(a_program_that_is_not_there_is_no_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
