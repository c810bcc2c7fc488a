// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "suite/fake_scheduler.h"
#include "suite/dir.h"
#include "suite/scheduler.h"

/* 6.18 prints "(efault)" for the name while it attaches, and the work must not begin before. */
static void ops_read_while_enabling_are_not_a_name(void **state)
{
	struct fixture *f = *state;

	start(f, "mkdir \"$1/root\"; echo '(efault)' > \"$1/root/ops\"; "
		 "echo enabling > \"$1/state\"; exec sleep 1000");
	assert_false(suite_scheduler_wait_attached(
		&f->scheduler, &(struct suite_scheduler_patience){ LONG_MS, 300 },
		&f->heard.report));
	assert_contains(heard_text(&f->heard), "sched_ext is \\\"enabling\\\"");
	assert_false(f->scheduler.attached);
}

/* The kernel sets the state first and counts afterwards. */
static void an_enabled_state_without_a_new_sequence_is_not_ours(void **state)
{
	struct fixture *f = *state;

	start(f, "mkdir \"$1/root\"; echo fake_ops > \"$1/root/ops\"; "
		 "echo enabled > \"$1/state\"; exec sleep 1000");
	assert_false(suite_scheduler_wait_attached(
		&f->scheduler, &(struct suite_scheduler_patience){ LONG_MS, 300 },
		&f->heard.report));
}

static void without_enable_seq_the_state_is_believed(void **state)
{
	struct fixture *f = *state;
	char path[100];

	snprintf(path, sizeof(path), "%s/enable_seq", f->system.sched_ext);
	assert_int_equal(unlink(path), 0);
	start(f, "mkdir \"$1/root\"; echo fake_ops > \"$1/root/ops\"; "
		 "echo enabled > \"$1/state\"; exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	assert_true(suite_scheduler_is_alive(&f->scheduler));
}

static void an_idle_scheduler_program_ends_the_wait_for_attaching(void **state)
{
	struct fixture *f = *state;

	start(f, "exec sleep 1000");
	assert_false(suite_scheduler_wait_attached(
		&f->scheduler, &(struct suite_scheduler_patience){ 300, LONG_MS },
		&f->heard.report));
	assert_contains(heard_text(&f->heard), "scheduler-attach");
}

/* Output every 0.1 s is progress: it is attached after more than the idle limit. */
static void a_scheduler_program_that_makes_progress_is_waited_for(void **state)
{
	struct fixture *f = *state;

	start(f, "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.2; done; " ATTACH
		 "exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(
		&f->scheduler, &(struct suite_scheduler_patience){ 1500, LONG_MS },
		&f->heard.report));
}

static void a_scheduler_that_exits_before_attaching_is_reported(void **state)
{
	struct fixture *f = *state;

	start(f, "echo why >&2; exit 3");
	assert_false(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard),
			"{\"report\":\"part\",\"reason\":\"scheduler-load\",\"text\":\"fake ended "
			"with exit code 3 before it was attached; it says: why\"}\n");
	assert_contains(heard_text(&f->heard), "{\"report\":\"scheduler\",\"state\":\"failed\"}\n");
	assert_contains(heard_text(&f->heard), "\"end\":\"exited 3\"");
	assert_contains(heard_text(&f->heard), "why");
}

static void a_scheduler_killed_before_attaching_is_reported(void **state)
{
	struct fixture *f = *state;

	start(f, "kill -SEGV $$");
	assert_false(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "fake was ended by signal 11 (SIGSEGV) before");
	assert_contains(heard_text(&f->heard), "\"end\":\"signalled 11\"");
}

static void a_verifier_refusal_is_quoted(void **state)
{
	struct fixture *f = *state;

	start(f, "echo \"libbpf: prog 'x': -- BEGIN PROG LOAD LOG --\" >&2; "
		 "echo '0: (95) exit' >&2; echo 'R0 !read_ok' >&2; "
		 "echo 'processed 1 insns (limit 1000000) max_states_per_insn 0' >&2; "
		 "echo 'libbpf: -- END PROG LOAD LOG --' >&2; exit 1");
	assert_false(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	assert_contains(heard_text(&f->heard),
			"\"reason\":\"scheduler-verifier\",\"text\":\"fake ended with exit code 1: "
			"the kernel's verifier refused program 'x': R0 !read_ok (the log is in its "
			"output)\"");
	assert_int_equal(f->heard.report.parts, 1);
}

static void a_scheduler_that_never_attaches_is_reported(void **state)
{
	struct fixture *f = *state;

	start(f, "echo waiting; exec sleep 1000");
	assert_false(suite_scheduler_wait_attached(
		&f->scheduler, &(struct suite_scheduler_patience){ LONG_MS, 500 },
		&f->heard.report));
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard),
			"\"reason\":\"scheduler-attach\",\"text\":\"fake runs, "
			"but was not attached within 5");
	assert_contains(heard_text(&f->heard), "sched_ext is \\\"disabled\\\"");
	assert_contains(heard_text(&f->heard), "it says: waiting");
	assert_contains(heard_text(&f->heard), "\"end\":\"stopped\"");
}

struct launched {
	pid_t pid;
	int pidfd, out, err;
};

static struct error *launch(const char *const *argv, struct launched *ret)
{
	return suite_scheduler_launch(argv, &ret->pid, &ret->pidfd, &ret->out, &ret->err);
}

static int end_of(struct launched *one, char *out, size_t n_out, char *err, size_t n_err)
{
	struct pollfd fd = { .fd = one->pidfd, .events = POLLIN };
	ssize_t got;
	int status;

	assert_int_equal(poll(&fd, 1, 60000), 1);
	got = read(one->out, out, n_out - 1);
	out[got > 0 ? got : 0] = '\0';
	got = read(one->err, err, n_err - 1);
	err[got > 0 ? got : 0] = '\0';
	assert_int_equal(waitpid(one->pid, &status, 0), one->pid);
	close(one->pidfd);
	close(one->out);
	close(one->err);
	return status;
}

static void stdout_and_stderr_are_separate_and_arguments_intact(void **state UNUSED)
{
	const char *const argv[] = { "sh", "-c",   "echo \"$1\"; echo err >&2; exit 5",
				     "x",  "a  b", NULL };
	struct launched one;
	char out[100], err[100];

	assert_success(launch(argv, &one));
	assert_int_equal(WEXITSTATUS(end_of(&one, out, sizeof(out), err, sizeof(err))), 5);
	assert_string_equal(out, "a  b\n");
	assert_string_equal(err, "err\n");
}

static void a_scheduler_has_its_own_process_group_and_no_stdin(void **state UNUSED)
{
	const char *const argv[] = { "sh", "-c",
				     "cat; ps -o pgid= -p $$ 2>/dev/null || "
				     "cut -d' ' -f5 /proc/$$/stat",
				     NULL };
	struct launched one;
	char out[100], err[100];
	pid_t pid;

	assert_success(launch(argv, &one));
	pid = one.pid;
	end_of(&one, out, sizeof(out), err, sizeof(err));
	assert_int_equal(atoi(out), pid);
}

static void a_scheduler_that_cannot_be_executed_is_an_error(void **state UNUSED)
{
	const char *const argv[] = { "/nowhere/scx_none", NULL };
	struct launched one;
	struct error *err = launch(argv, &one);

	assert_non_null(err);
	assert_int_equal(error_errno(err), ENOENT);
	assert_contains(error_message(err), "/nowhere/scx_none cannot be executed");
	error_free(err);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void a_file_of_the_working_directory_comes_first(void **state UNUSED)
{
	const char *const argv[] = { "/usr/local/bin/sh", NULL };
	_cleanup_test_dir_ struct dir dir;
	_cleanup_close_ int before = open(".", O_RDONLY | O_DIRECTORY);
	struct launched one;
	char out[100], err[100];

	dir_init(&dir);
	dir_write(&dir, "sh", "#!/bin/sh\necho mine\n");
	assert_int_equal(chdir(dir.path), 0);
	assert_int_equal(chmod("sh", 0755), 0);
	assert_success(launch(argv, &one));
	end_of(&one, out, sizeof(out), err, sizeof(err));
	assert_int_equal(fchdir(before), 0);
	assert_string_equal(out, "mine\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ops_read_while_enabling_are_not_a_name),
		TEST(an_enabled_state_without_a_new_sequence_is_not_ours),
		TEST(without_enable_seq_the_state_is_believed),
		TEST(an_idle_scheduler_program_ends_the_wait_for_attaching),
		TEST(a_scheduler_program_that_makes_progress_is_waited_for),
		TEST(a_scheduler_that_exits_before_attaching_is_reported),
		TEST(a_scheduler_killed_before_attaching_is_reported),
		TEST(a_verifier_refusal_is_quoted),
		TEST(a_scheduler_that_never_attaches_is_reported),
		cmocka_unit_test(stdout_and_stderr_are_separate_and_arguments_intact),
		cmocka_unit_test(a_scheduler_has_its_own_process_group_and_no_stdin),
		cmocka_unit_test(a_scheduler_that_cannot_be_executed_is_an_error),
		cmocka_unit_test(a_file_of_the_working_directory_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
