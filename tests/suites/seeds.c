// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wakers, bursts and pipes on four CPUs, and a function that says what the kernel did with them
 * in which order: a hash over all context switches while they worked. Runs with different seeds
 * are to differ in it, runs with the same seed are not.
 */
#include <ktstr/short.h>

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing/"

enum {
	CPUS_MAX = 64,
	TASKS_MAX = 512,
	PIPES = 2,
	EXCHANGES = 40,
	PAUSE_US = 2000,
	TRACED_MS = 700,
};

static void put(struct ktstr_ctx *ctx, const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	REQUIRE(ctx, fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s: %m",
		path);
	close(fd);
}

/* A byte goes there and back again and again; who gets it has slept before. */
static pid_t ping_pong(struct ktstr_ctx *ctx)
{
	int there[2], back[2];
	pid_t first, second;
	char byte = 0;

	REQUIRE(ctx, pipe(there) == 0 && pipe(back) == 0, "%m");
	first = fork();
	if (first != 0)
		return first;
	second = fork();
	for (int i = 0; i < EXCHANGES; i++) {
		if (second == 0) {
			if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
				_exit(1);
		} else {
			usleep(PAUSE_US);
			if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
				_exit(1);
		}
	}
	if (second > 0)
		waitpid(second, NULL, 0);
	_exit(0);
}

static uint64_t mix(uint64_t hash, unsigned int word)
{
	for (int i = 0; i < 4; i++)
		hash = (hash ^ (word >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

/* Tasks by their first appearance: another order of starts gives them other numbers. */
static unsigned int task_number(unsigned int pid)
{
	static unsigned int pids[TASKS_MAX], n;

	for (unsigned int i = 0; i < n; i++)
		if (pids[i] == pid)
			return i;
	if (n < TASKS_MAX)
		pids[n++] = pid;
	return n - 1;
}

struct schedule {
	unsigned int switches;
	uint64_t order;		 /* of all switches */
	uint64_t cpus[CPUS_MAX]; /* of those of one CPU */
};

/* "  comm-12 [003] d..2. 1.234567: sched_switch: prev_comm=… prev_pid=12 … next_pid=13 …" */
static void take(struct schedule *s, const char *line)
{
	const char *cpu_at = strstr(line, " ["), *from_at = strstr(line, " prev_pid="),
		   *to_at = strstr(line, " next_pid=");
	unsigned int cpu, from, to;

	if (!cpu_at || !from_at || !to_at)
		return;
	cpu = (unsigned int)strtoul(cpu_at + 2, NULL, 10) % CPUS_MAX;
	from = task_number((unsigned int)strtoul(from_at + 10, NULL, 10));
	to = task_number((unsigned int)strtoul(to_at + 10, NULL, 10));
	s->switches++;
	s->order = mix(mix(mix(s->order, cpu), from), to);
	s->cpus[cpu] = mix(mix(s->cpus[cpu], from), to);
}

static void read_schedule(struct ktstr_ctx *ctx, struct schedule *s)
{
	FILE *trace = fopen(TRACING "trace", "r");
	char line[1024];

	REQUIRE(ctx, trace, "%m");
	while (fgets(line, sizeof(line), trace))
		take(s, line);
	fclose(trace);
}

static void tell_schedule(struct ktstr_ctx *ctx)
{
	struct timespec whole = { .tv_nsec = TRACED_MS * 1000000L };
	struct schedule s = { 0 };
	uint64_t cpus = 0;
	pid_t pids[PIPES];

	put(ctx, TRACING "buffer_size_kb", "2048");
	put(ctx, TRACING "events/sched/sched_switch/enable", "1");
	for (int i = 0; i < PIPES; i++)
		pids[i] = ping_pong(ctx);
	nanosleep(&whole, NULL);
	put(ctx, TRACING "events/sched/sched_switch/enable", "0");
	for (int i = 0; i < PIPES; i++)
		waitpid(pids[i], NULL, 0);
	read_schedule(ctx, &s);
	for (int i = 0; i < CPUS_MAX; i++)
		cpus = mix(mix(cpus, (unsigned int)s.cpus[i]), (unsigned int)(s.cpus[i] >> 32));
	EXPECT(ctx, s.switches > 100, "%u switches", s.switches);
	ktstr_note(ctx, "%u switches, order %016llx, on each CPU %016llx", s.switches,
		   (unsigned long long)s.order, (unsigned long long)cpus);
}

#define MIX                                                                               \
	.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 }, .duration_s = 1, \
	.run = tell_schedule,                                                             \
	.cgroups = {                                                                      \
		{ "wakers", .work = { WORK_SLEEP, .workers = 4, .sleep_ms = 7 } },        \
		{ "bursts",                                                               \
		  .work = { WORK_BURSTY, .workers = 6, .burst_ms = 1, .sleep_ms = 20 } }, \
		{ "long_bursts",                                                          \
		  .work = { WORK_BURSTY, .workers = 2, .burst_ms = 5, .sleep_ms = 40 } }, \
	}

KTSTR_TEST(mix_of_wakers) = {
	.description = "tells the order of context switches under the kernel's scheduler",
	MIX,
};
KTSTR_TEST(mix_of_wakers_under_fifo) = {
	.description = "the same under a scheduler of ours",
	.scheduler = { .argv = { "scx_ktfifo" } },
	MIX,
};

static void tell_seed(struct ktstr_ctx *ctx)
{
	const char *seed = getenv("KTSTR_SEED");

	ktstr_note(ctx, "starts are decided by %s", seed ? seed : "nothing");
}
KTSTR_TEST(seed_of_starts) = {
	.description = "tells the seed that workers would start by",
	.topology = { .nodes = 1, .llcs = 1, .cores = 1, .threads = 1 },
	.run = tell_seed,
};
