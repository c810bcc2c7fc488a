// SPDX-License-Identifier: GPL-2.0-or-later
/* Test functions that end, or do not end, as no function should. tests/self has the verdicts. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <ktstr/short.h>

static void hang(struct ktstr_ctx *ctx)
{
	(void)ctx;
	for (;;)
		pause();
}
KTSTR_TEST(hangs) = { .timeout_s = 1, .run = hang };

static void spin(struct ktstr_ctx *ctx)
{
	(void)ctx;
	for (;;)
		__asm__ volatile("" ::: "memory");
}
KTSTR_TEST(spins) = { .timeout_s = 1, .run = spin };

/* Who would say that the function hangs hangs itself. */
static void stop_the_parent(struct ktstr_ctx *ctx)
{
	(void)ctx;
	kill(getppid(), SIGSTOP);
}
KTSTR_TEST(parent_stopped) = { .timeout_s = 1, .run = stop_the_parent };

static void segfault(struct ktstr_ctx *ctx)
{
	int *volatile nowhere = (int *)8;

	(void)ctx;
	*nowhere = 1;
}
KTSTR_TEST(segfaults) = { .run = segfault };

static void leave(struct ktstr_ctx *ctx)
{
	(void)ctx;
	exit(0);
}
KTSTR_TEST(exits) = { .run = leave };

/* The word must not help: only what returns has finished. */
static void leave_at_once(struct ktstr_ctx *ctx)
{
	EXPECT(ctx, ktstr_online_cpus(ctx) > 1000, "a failure that is told before the end");
	_exit(0);
}
KTSTR_TEST(fails_then_exits) = { .run = leave_at_once };

static void abort_the_parent(struct ktstr_ctx *ctx)
{
	(void)ctx;
	kill(getppid(), SIGABRT);
	pause();
}
KTSTR_TEST(parent_aborts) = { .run = abort_the_parent };

/* A daemon: another session, no parent, and out of the cgroup that it would be found by. */
static void leave_a_daemon(struct ktstr_ctx *ctx)
{
	int procs = open("/sys/fs/cgroup/cgroup.procs", O_WRONLY);
	pid_t pid = fork();

	REQUIRE(ctx, procs >= 0, "there is no cgroup");
	REQUIRE(ctx, pid >= 0, "no child can be made");
	if (pid > 0) {
		usleep(200000);
		return;
	}
	setsid();
	if (fork() > 0)
		_exit(0);
	if (write(procs, "0", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}
KTSTR_TEST(leaves_a_daemon) = { .run = leave_a_daemon };
