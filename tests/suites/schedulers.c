// SPDX-License-Identifier: GPL-2.0-or-later
/* Every way a scheduler under test can go, with the fixture scheduler. */
#include <ktstr/short.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void read_line(const char *path, char *text, int size)
{
	FILE *file = fopen(path, "r");

	if (!file || !fgets(text, size, file))
		snprintf(text, (size_t)size, "(%s cannot be read)", path);
	text[strcspn(text, "\n")] = '\0';
	if (file)
		fclose(file);
}

static void looks_around(struct ktstr_ctx *ctx)
{
	char text[200];

	read_line("/sys/kernel/sched_ext/root/ops", text, sizeof(text));
	EXPECT(ctx, strcmp(text, "ktfifo") == 0, "%s", text);
	EXPECT(ctx, kill(ktstr_scheduler_pid(ctx), 0) == 0, "pid %d", ktstr_scheduler_pid(ctx));
	read_line("/sys/fs/cgroup/ktstr-test/pinned/cpuset.cpus", text, sizeof(text));
	EXPECT(ctx, strcmp(text, "1") == 0, "%s", text);
	read_line("/proc/self/cgroup", text, sizeof(text));
	EXPECT(ctx, strncmp(text, "0::/ktstr-test/", 15) == 0, "%s", text);
	read_line("/proc/sys/kernel/sched_schedstats", text, sizeof(text));
	EXPECT(ctx, strcmp(text, "1") == 0, "%s", text);
}
KTSTR_TEST(lives) = {
	.scheduler = { .argv = { "scx_ktfifo" }, .sysctls = { "kernel.sched_schedstats=1" } },
	.duration_s = 1,
	.cgroups = {
		{ "pinned", .cpus = CPUS(1, 1), .work = { WORK_SPIN, .workers = 2 } },
		{ "free", .work = { WORK_SLEEP, .workers = 2 } },
	},
	.checks = { .isolation = REQUIRED },
	.run = looks_around,
};

KTSTR_TEST(ends_before) = { .scheduler = { .argv = { "scx_ktfifo", "--fault", "exit" } } };
KTSTR_TEST(refused) = { .scheduler = { .argv = { "scx_ktfifo", "--fault", "verifier" } } };
KTSTR_TEST(never_attached) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "no-attach" }, .attach_timeout_s = 1 },
};

#define ERROR_SOON { "scx_ktfifo", "--fault", "error", "--after-ms", "300" }

static void waits_for_ever(struct ktstr_ctx *ctx)
{
	ktstr_note(ctx, "waiting");
	for (;;)
		pause();
}
KTSTR_TEST(thrown_out) = { .scheduler = { .argv = ERROR_SOON }, .run = waits_for_ever };
KTSTR_TEST(thrown_out_as_expected) = {
	.scheduler = { .argv = ERROR_SOON },
	.duration_s = 1000,
	.expect = KTSTR_REASON_SCHED_EXIT,
};

static void kills_it(struct ktstr_ctx *ctx)
{
	REQUIRE(ctx, kill(ktstr_scheduler_pid(ctx), SIGKILL) == 0, "%m");
	for (int i = 0; i < 6000 && access("/sys/kernel/sched_ext/root/ops", F_OK) == 0; i++)
		usleep(10000);
	EXPECT(ctx, access("/sys/kernel/sched_ext/root/ops", F_OK) != 0, "still there");
}
KTSTR_TEST(killed) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "crash", "--after-ms", "300" } },
	.duration_s = 1000,
};
KTSTR_TEST(killed_on_purpose) = {
	.scheduler = { .argv = { "scx_ktfifo" } },
	.checks = { .scheduler_alive = OFF },
	.run = kills_it,
};

static void hides_a_process(struct ktstr_ctx *ctx)
{
	pid_t pid = fork();

	(void)ctx;
	if (pid == 0) {
		setsid();
		if (fork() == 0)
			pause();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}
KTSTR_TEST(hides_a_process) = { .run = hides_a_process };
