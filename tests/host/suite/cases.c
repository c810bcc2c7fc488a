// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of tests that do what they should, and what they should not. test_suite.py runs them.
 */
#include <ktstr/short.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void passes(struct ktstr_ctx *ctx)
{
	EXPECT(ctx, ktstr_online_cpus(ctx) > 0, "no CPU");
	EXPECT(ctx, ktstr_duration_ms(ctx) == 7000, "%u", ktstr_duration_ms(ctx));
	EXPECT(ctx, ktstr_scheduler_pid(ctx) == 0, "%d", ktstr_scheduler_pid(ctx));
	EXPECT(ctx, ktstr_slowness(ctx) == 2.5, "%f", ktstr_slowness(ctx));
	ktstr_note(ctx, "note %d", 1);
	printf("printed\n");
}
KTSTR_TEST(passes) = { .run = passes, .duration_s = 7, .description = "\xc3\xa4 \"quoted\"" };

static void expects(struct ktstr_ctx *ctx)
{
	EXPECT(ctx, 1 == 2, "one is %d", 1);
	EXPECT(ctx, 2 == 2, "not said");
	EXPECT(ctx, !"second", "%s", "");
	EXPECT(ctx, !"third");
}
KTSTR_TEST(expects) = { .run = expects };

static void deep(struct ktstr_ctx *ctx, int depth)
{
	if (depth)
		deep(ctx, depth - 1);
	REQUIRE(ctx, depth > 0, "depth %d", depth);
}
static void
	requires(struct ktstr_ctx *ctx)
{
	deep(ctx, 5);
	ktstr_note(ctx, "never reached");
}
KTSTR_TEST(requires) = { .run = requires };

static void needs(struct ktstr_ctx *ctx)
{
	NEED(ctx, access("/does/not/exist", F_OK) == 0, "no %s", "file");
	ktstr_note(ctx, "never reached");
}
KTSTR_TEST(needs) = { .run = needs };

static void crashes(struct ktstr_ctx *ctx)
{
	EXPECT(ctx, 0, "said before");
	raise(SIGSEGV);
}
KTSTR_TEST(crashes) = { .run = crashes };

static void exits(struct ktstr_ctx *ctx)
{
	(void)ctx;
	exit(0);
}
KTSTR_TEST(exits) = { .run = exits };

/* The report's pipe, found as a hostile test would. */
static int report_pipe(void)
{
	for (int fd = 3; fd < 64; fd++) {
		struct stat st;

		if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) &&
		    (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
			return fd;
	}
	return -1;
}

static void half_a_line(struct ktstr_ctx *ctx)
{
	static const char half[] = "{\"report\":\"part\",\"reason\":\"check\",";

	ktstr_note(ctx, "whole");
	if (write(report_pipe(), half, strlen(half)) < 0)
		exit(9);
	kill(getpid(), SIGKILL);
}
KTSTR_TEST(half_a_line) = { .run = half_a_line };

static void hides_a_process(struct ktstr_ctx *ctx)
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		if (fork() == 0)
			sleep(100);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	ktstr_note(ctx, "hidden");
}
KTSTR_TEST(hides_a_process) = { .run = hides_a_process };

static void crashes_with_a_child(struct ktstr_ctx *ctx)
{
	(void)ctx;
	if (fork() == 0)
		sleep(100);
	abort();
}
KTSTR_TEST(crashes_with_a_child) = { .run = crashes_with_a_child };

static void forked_reporter(struct ktstr_ctx *ctx)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		REQUIRE(ctx, 0, "in the child");
		_exit(77);
	}
	waitpid(pid, &status, 0);
	EXPECT(ctx, WEXITSTATUS(status) == 1, "status %d", status);
	ktstr_note(ctx, "still here");
}
KTSTR_TEST(forked_reporter) = { .run = forked_reporter };

static void *report_often(void *ctx)
{
	for (int i = 0; i < 100; i++)
		EXPECT(ctx, 0, "%0200d", i);
	return NULL;
}
static void threads(struct ktstr_ctx *ctx)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, report_often, ctx);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}
KTSTR_TEST(threads) = { .run = threads };

static void floods(struct ktstr_ctx *ctx)
{
	for (int i = 0; i < 1500; i++)
		EXPECT(ctx, 0, "%d", i);
}
KTSTR_TEST(floods) = { .run = floods };

static void long_text(struct ktstr_ctx *ctx)
{
	char *text = malloc(1000001);

	memset(text, 'x', 1000000);
	text[1000000] = '\0';
	ktstr_note(ctx, "%s", text);
	free(text);
}
KTSTR_TEST(long_text) = { .run = long_text };

/* Only the three streams and what ls opens itself. */
static void descriptors(struct ktstr_ctx *ctx)
{
	(void)ctx;
	fflush(stdout);
	if (system("ls /proc/self/fd") != 0)
		exit(9);
}
KTSTR_TEST(descriptors) = { .run = descriptors };

KTSTR_TEST(unknown_setting) = { .run = passes, .scheduler = { .sysctls = { "kernel.no_such=1" } } };
KTSTR_TEST(with_scheduler) = { .scheduler = { .argv = { "no_such_scheduler", "-v" } } };
KTSTR_TEST(full) = {
	.topology = { .nodes = 2, .llcs = 4, .cores = 3, .threads = 2 },
	.memory_mb = 777,
	.scheduler = { .argv = { "scx_x", "a b" },
		       .name = "mine",
		       .files = { "cfg" },
		       .sysctls = { "kernel.x=1" },
		       .kernel_args = { "quiet" } },
	.files = { "one", "two" },
	.cgroups = { { "left", .cpus = LLC(3), .work = { WORK_SLEEP, .workers = 5 } },
		     { "right", .cpus = CPUS(0, 3) } },
	.duration_s = 9,
	.checks = { .isolation = REQUIRED, .max_spread_pct = AT_MOST(0.1) },
	.needs = { .sched_ext = true,
		   .smt = true,
		   .min_nodes = 2,
		   .kconfig = { "CONFIG_A=\"b\"" } },
	.timeout_s = 99,
	.expect = KTSTR_REASON_CHECK,
};
