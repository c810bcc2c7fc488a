// SPDX-License-Identifier: GPL-2.0-or-later
/* Work that really breaks a check, and work that only looks like it. tests/self has the verdicts.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ktstr/short.h>

#define CGROUPS "/sys/fs/cgroup/ktstr-test/"

#define TWO_NODES { .nodes = 2, .llcs = 2, .cores = 1, .threads = 1 }

/* A worker of the cgroup. */
static pid_t worker_of(struct ktstr_ctx *ctx, const char *cgroup)
{
	char path[128];
	int pid = 0;
	FILE *f;

	snprintf(path, sizeof(path), CGROUPS "%s/cgroup.procs", cgroup);
	f = fopen(path, "re");
	REQUIRE(ctx, f && fscanf(f, "%d", &pid) == 1, "%s: %s", path, strerror(errno));
	fclose(f);
	return pid;
}

static void write_to(struct ktstr_ctx *ctx, const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	REQUIRE(ctx, f && fputs(text, f) >= 0 && fflush(f) == 0, "%s: %s", path, strerror(errno));
	fclose(f);
}

/* No burst and no sleep of the last two comes to its end. */
KTSTR_TEST(healthy) = {
	.topology = TWO_NODES,
	.cgroups = {
		{ "bursty", .cpus = NODE(0), .work = { WORK_BURSTY, .workers = 2 } },
		{ "yielding", .cpus = NODE(1), .work = { WORK_YIELD, .workers = 2 } },
		{ "long_bursts", .work = { WORK_BURSTY, .workers = 1, .burst_ms = 6000,
					   .sleep_ms = 1000 } },
		{ "long_sleeps", .work = { WORK_SLEEP, .workers = 1, .sleep_ms = 9000 } },
	},
	.checks = { .isolation = REQUIRED, .max_gap_ms = AT_MOST(20000) },
	.duration_s = 3,
};

/* Until the work is over, but no longer: it stops when it is asked to. */
static void stop_one(struct ktstr_ctx *ctx)
{
	pid_t pid = worker_of(ctx, "left");

	usleep(200000);
	kill(pid, SIGSTOP);
	if (fork() == 0) {
		usleep(1000 * (ktstr_duration_ms(ctx) + 500));
		kill(pid, SIGCONT);
		_exit(0);
	}
}
KTSTR_TEST(stalls) = {
	.topology = TWO_NODES,
	.cgroups = { { "left", .work = { WORK_SPIN, .workers = 2 } } },
	.duration_s = 5,
	.run = stop_one,
};

static void pause_one(struct ktstr_ctx *ctx)
{
	pid_t pid = worker_of(ctx, "left");

	kill(pid, SIGSTOP);
	usleep(1500000);
	kill(pid, SIGCONT);
}
KTSTR_TEST(pauses) = {
	.topology = TWO_NODES,
	.cgroups = { { "left", .work = { WORK_SPIN, .workers = 2 } } },
	.checks = { .max_gap_ms = AT_MOST(100) },
	.duration_s = 3,
	.run = pause_one,
};

/* What a scheduler could do only behind the kernel's back: a worker runs where its cgroup may not.
 */
static void lead_astray(struct ktstr_ctx *ctx)
{
	char pid[16];

	usleep(200000);
	snprintf(pid, sizeof(pid), "%d", (int)worker_of(ctx, "left"));
	write_to(ctx, CGROUPS "right/cgroup.procs", pid);
}
KTSTR_TEST(strays) = {
	.topology = TWO_NODES,
	.cgroups = { { "left", .cpus = CPUS(0, 0), .work = { WORK_SPIN, .workers = 1 } },
		     { "right", .cpus = CPUS(1, 1) } },
	.checks = { .isolation = REQUIRED },
	.duration_s = 1,
	.run = lead_astray,
};

/* The set moves to and fro, and the workers with it. */
static void move_the_set(struct ktstr_ctx *ctx)
{
	for (int i = 0; i < 4; i++) {
		usleep(200000);
		write_to(ctx, CGROUPS "left/cpuset.cpus", i % 2 ? "0" : "1");
	}
}
KTSTR_TEST(moved) = {
	.topology = TWO_NODES,
	.cgroups = { { "left", .cpus = CPUS(0, 0), .work = { WORK_SPIN, .workers = 2 } } },
	.checks = { .isolation = REQUIRED },
	.duration_s = 1,
	.run = move_the_set,
};
