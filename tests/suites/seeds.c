// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wakers, bursts and pipes on four CPUs, and a function that says what the kernel did with them
 * in which order: a hash over all context switches while they worked. Runs with different seeds
 * are to differ in it, runs with the same seed are not.
 */
#include <ktstr/short.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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
	TRACED_MS = 300,
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
struct tasks {
	unsigned int pids[TASKS_MAX], n;
};

static unsigned int task_number(struct tasks *tasks, unsigned int pid)
{
	for (unsigned int i = 0; i < tasks->n; i++)
		if (tasks->pids[i] == pid)
			return i;
	if (tasks->n < TASKS_MAX)
		tasks->pids[tasks->n++] = pid;
	return tasks->n - 1;
}

struct schedule {
	struct tasks all, ours;
	unsigned int switches;
	uint64_t order; /* of all switches */
	/* Which task of ours got which CPU, one after the other; and how that began. */
	unsigned int n_ours;
	uint64_t ours_order;
	uint64_t beginnings[3];
};

static bool is_ours(const char *next_comm)
{
	static char comm[16];

	if (!comm[0])
		prctl(PR_GET_NAME, comm);
	return strncmp(next_comm, comm, strlen(comm)) == 0;
}

static void take_ours(struct schedule *s, unsigned int cpu, unsigned int task)
{
	static const unsigned int lengths[] = { 10, 30, 100 };

	s->ours_order = mix(mix(s->ours_order, cpu), task);
	s->n_ours++;
	for (int i = 0; i < 3; i++)
		if (s->n_ours == lengths[i])
			s->beginnings[i] = s->ours_order;
}

/* "  comm-12 [003] d..2. 1.234567: sched_switch: prev_comm=… prev_pid=12 … next_pid=13 …" */
static void take(struct schedule *s, const char *line)
{
	const char *cpu_at = strstr(line, " ["), *from_at = strstr(line, " prev_pid="),
		   *to_at = strstr(line, " next_pid="), *comm_at = strstr(line, " next_comm=");
	unsigned int cpu, from, to;

	if (!cpu_at || !from_at || !to_at || !comm_at)
		return;
	cpu = (unsigned int)strtoul(cpu_at + 2, NULL, 10) % CPUS_MAX;
	from = (unsigned int)strtoul(from_at + 10, NULL, 10);
	to = (unsigned int)strtoul(to_at + 10, NULL, 10);
	s->switches++;
	s->order = mix(s->order, cpu);
	s->order = mix(s->order, task_number(&s->all, from));
	s->order = mix(s->order, task_number(&s->all, to));
	if (is_ours(comm_at + strlen(" next_comm=")))
		take_ours(s, cpu, task_number(&s->ours, to));
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
	static struct schedule s;
	pid_t pids[PIPES];

	put(ctx, TRACING "buffer_size_kb", "1024");
	put(ctx, TRACING "events/sched/sched_switch/enable", "1");
	for (int i = 0; i < PIPES; i++)
		pids[i] = ping_pong(ctx);
	nanosleep(&whole, NULL);
	put(ctx, TRACING "events/sched/sched_switch/enable", "0");
	for (int i = 0; i < PIPES; i++)
		waitpid(pids[i], NULL, 0);
	read_schedule(ctx, &s);
	EXPECT(ctx, s.switches > 100, "%u switches", s.switches);
	ktstr_note(ctx, "%u switches, order %016llx, began with %016llx %016llx %016llx",
		   s.switches, (unsigned long long)s.order, (unsigned long long)s.beginnings[0],
		   (unsigned long long)s.beginnings[1], (unsigned long long)s.beginnings[2]);
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
