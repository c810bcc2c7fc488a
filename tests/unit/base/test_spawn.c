// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "unit.h"

static const char *const sleeper[] = { "sleep", "1000", NULL };

static void output_and_status_come_back(void **state UNUSED)
{
	const char *const argv[] = { "sh", "-c", "echo out; exit 7", NULL };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	int status;

	assert_success(spawn_capture(argv, 100, &out, &status));
	assert_string_equal(strbuf_str(&out), "out\n");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static void streams_come_apart_and_the_file_may_have_another_name(void **state UNUSED)
{
	const char *const argv[] = { "mine", "-c", "echo $0; echo err >&2", NULL };
	_cleanup_close_ int out = -1, err = -1, pidfd = -1;
	char text[100];
	int status;
	pid_t pid;

	assert_success(spawn_piped(&(struct spawn_request){ .argv = argv, .file = "sh" }, &out,
				   &err, &pid, &pidfd));
	assert_success(spawn_wait(pid, &status));
	assert_int_equal(read(out, text, sizeof(text)), 5);
	assert_memory_equal(text, "mine\n", 5);
	assert_int_equal(read(err, text, sizeof(text)), 4);
	assert_memory_equal(text, "err\n", 4);
	assert_true(fcntl(out, F_GETFL) & O_NONBLOCK);
}

static void too_much_output_is_an_error_and_ends_the_child(void **state UNUSED)
{
	const char *const argv[] = { "yes", NULL };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	int status;

	assert_error_tag(spawn_capture(argv, 1000, &out, &status), "limit");
}

static void missing_program_is_an_error_with_errno(void **state UNUSED)
{
	const char *const argv[] = { "/nonexistent/program", NULL };
	struct error *err;
	int pidfd;
	pid_t pid;

	err = spawn_child(&(struct spawn_request){ .argv = argv }, &pid, &pidfd);
	assert_non_null(err);
	assert_int_equal(error_errno(err), ENOENT);
	assert_contains(error_message(err), "/nonexistent/program");
	error_free(err);
}

/* The two descriptors trade their numbers; a third one must not be inherited. */
static void the_child_has_only_the_descriptors_it_was_given(void **state UNUSED)
{
	const char *const argv[] = { "sh", "-c",
				     "cat <&5; cat <&6; ls /proc/self/fd | tr '\\n' ' '", NULL };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	int five[2], six[2], out[2], status;
	_cleanup_close_ int pidfd = -1;
	char buf[200];
	ssize_t n;
	pid_t pid;

	/* Ours have the numbers the child wants, the wrong way round. */
	for (int fd = 3; fd < 12; fd++)
		dup2(2, fd);
	assert_int_equal(pipe(five), 0);
	assert_int_equal(pipe(six), 0);
	assert_int_equal(pipe(out), 0);
	assert_int_equal(write(five[1], "five", 4), 4);
	assert_int_equal(write(six[1], "six", 3), 3);
	close(five[1]);
	close(six[1]);
	assert_int_equal(dup2(six[0], 5), 5);
	assert_int_equal(dup2(five[0], 6), 6);
	assert_success(spawn_child(
		&(struct spawn_request){
			.argv = argv,
			.fds = (struct spawn_fd[]){ { 6, 5 }, { 5, 6 }, { out[1], 1 } },
			.n_fds = 3 },
		&pid, &pidfd));
	close(out[1]);
	while ((n = read(out[0], buf, sizeof(buf))) > 0)
		strbuf_append_bytes(&text, buf, (size_t)n);
	assert_success(spawn_wait(pid, &status));
	/* 3 is the directory that ls has open. */
	assert_string_equal(strbuf_str(&text), "fivesix0 1 2 3 5 6 ");
}

struct started {
	pid_t pid;
	int pidfd;
};

static void *start_in_a_thread(void *arg)
{
	struct started *started = arg;

	error_free(spawn_child(&(struct spawn_request){ .argv = sleeper }, &started->pid,
			       &started->pidfd));
	return NULL;
}

static bool ended(int pidfd, int timeout_ms)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1;
}

static void child_outlives_the_thread_that_asked_for_it(void **state UNUSED)
{
	struct started started = { .pid = -1 };
	pthread_t thread;
	int status;

	assert_int_equal(pthread_create(&thread, NULL, start_in_a_thread, &started), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(started.pid > 0);
	assert_false(ended(started.pidfd, 300));
	kill(started.pid, SIGKILL);
	assert_true(ended(started.pidfd, 5000));
	assert_success(spawn_wait(started.pid, &status));
	close(started.pidfd);
}

static void child_dies_with_its_process(void **state UNUSED)
{
	struct started seen;
	int report[2], status;
	pid_t owner;

	assert_int_equal(pipe(report), 0);
	owner = fork();
	if (owner == 0) {
		struct started started = { .pid = -1 };

		start_in_a_thread(&started);
		if (write(report[1], &started, sizeof(started)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(report[0], &seen, sizeof(seen)), sizeof(seen));
	assert_true(seen.pid > 0);
	kill(owner, SIGKILL);
	assert_int_equal(waitpid(owner, &status, 0), owner);
	for (int i = 0; i < 500 && kill(seen.pid, 0) == 0; i++) {
		char path[64], line[200] = "";
		FILE *f;

		/* As long as nobody reaps it, it is a zombie: dead enough. */
		snprintf(path, sizeof(path), "/proc/%d/stat", seen.pid);
		f = fopen(path, "r");
		if (!f || !fgets(line, sizeof(line), f) || strstr(line, ") Z "))
			seen.pid = 0;
		if (f)
			fclose(f);
		if (seen.pid == 0)
			return;
		usleep(10000);
	}
	assert_int_equal(kill(seen.pid, 0), -1);
}

static void descriptors_that_do_not_fit_are_an_error(void **state UNUSED)
{
	const char *const argv[] = { "true", NULL };
	struct rlimit old, small;
	struct error *high, *absent;
	int pidfd;
	pid_t pid;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	small = (struct rlimit){ 64, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
	high = spawn_child(&(struct spawn_request){ .argv = argv,
						    .fds = (struct spawn_fd[]){ { 2, 80 } },
						    .n_fds = 1 },
			   &pid, &pidfd);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	absent = spawn_child(&(struct spawn_request){ .argv = argv,
						      .fds = (struct spawn_fd[]){ { 999, 5 } },
						      .n_fds = 1 },
			     &pid, &pidfd);
	assert_error_tag(high, "io");
	assert_int_equal(error_errno(absent), EBADF);
	assert_error_tag(absent, "io");
}

/* As some who start programs leave it. */
static void ends_of_children_are_seen_even_if_they_were_ignored(void **state UNUSED)
{
	const char *const argv[] = { "sh", "-c", "exit 3", NULL };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	int status = 0;

	signal(SIGCHLD, SIG_IGN);
	assert_success(spawn_capture(argv, 100, &out, &status));
	assert_int_equal(WEXITSTATUS(status), 3);
	signal(SIGCHLD, SIG_DFL);
}

/* A file stands in for the cgroup: what the child sees in it was written before it ran. */
static void child_enters_its_cgroup_before_it_runs(void **state UNUSED)
{
	char path[] = "/tmp/ktstr-test-spawn-XXXXXX";
	int procs = mkstemp(path), out[2], status;
	const char *const argv[] = { "cat", path, NULL };
	_cleanup_close_ int pidfd = -1;
	char seen[8] = "";
	pid_t pid;

	assert_true(procs > 0);
	assert_int_equal(pipe(out), 0);
	assert_success(spawn_child(&(struct spawn_request){ .argv = argv,
							    .fds = &(struct spawn_fd){ out[1], 1 },
							    .n_fds = 1,
							    .cgroup_procs = procs },
				   &pid, &pidfd));
	close(out[1]);
	assert_int_equal(read(out[0], seen, sizeof(seen) - 1), 1);
	assert_string_equal(seen, "0");
	assert_success(spawn_wait(pid, &status));
	assert_int_equal(status, 0);
	close(out[0]);
	close(procs);
	unlink(path);
}

static void cgroup_that_refuses_is_an_error_of_its_own(void **state UNUSED)
{
	const char *const argv[] = { "true", NULL };
	_cleanup_close_ int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct error *err;
	int pidfd;
	pid_t pid;

	err = spawn_child(&(struct spawn_request){ .argv = argv, .cgroup_procs = full }, &pid,
			  &pidfd);
	assert_non_null(err);
	assert_int_equal(error_errno(err), ENOSPC);
	assert_contains(error_message(err), "cannot move true into its cgroup");
	error_free(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First: it forks, and the thread sanitizer wants one thread for that. */
		cmocka_unit_test(child_dies_with_its_process),
		cmocka_unit_test(descriptors_that_do_not_fit_are_an_error),
		cmocka_unit_test(ends_of_children_are_seen_even_if_they_were_ignored),
		cmocka_unit_test(output_and_status_come_back),
		cmocka_unit_test(streams_come_apart_and_the_file_may_have_another_name),
		cmocka_unit_test(too_much_output_is_an_error_and_ends_the_child),
		cmocka_unit_test(missing_program_is_an_error_with_errno),
		cmocka_unit_test(the_child_has_only_the_descriptors_it_was_given),
		cmocka_unit_test(child_enters_its_cgroup_before_it_runs),
		cmocka_unit_test(cgroup_that_refuses_is_an_error_of_its_own),
		cmocka_unit_test(child_outlives_the_thread_that_asked_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
