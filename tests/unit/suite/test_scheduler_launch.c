// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "suite/folder.h"
#include "suite/scheduler.h"

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

static void output_comes_apart_and_arguments_stay_whole(void **state UNUSED)
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

static void it_has_its_own_group_and_reads_nothing(void **state UNUSED)
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

static void what_cannot_be_executed_is_told(void **state UNUSED)
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

static void the_file_of_the_working_folder_comes_first(void **state UNUSED)
{
	const char *const argv[] = { "/usr/local/bin/sh", NULL };
	_cleanup_folder_ struct folder folder;
	_cleanup_close_ int before = open(".", O_RDONLY | O_DIRECTORY);
	struct launched one;
	char out[100], err[100];

	folder_init(&folder);
	folder_write(&folder, "sh", "#!/bin/sh\necho mine\n");
	assert_int_equal(chdir(folder.path), 0);
	assert_int_equal(chmod("sh", 0755), 0);
	assert_success(launch(argv, &one));
	end_of(&one, out, sizeof(out), err, sizeof(err));
	assert_int_equal(fchdir(before), 0);
	assert_string_equal(out, "mine\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_comes_apart_and_arguments_stay_whole),
		cmocka_unit_test(it_has_its_own_group_and_reads_nothing),
		cmocka_unit_test(what_cannot_be_executed_is_told),
		cmocka_unit_test(the_file_of_the_working_folder_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
