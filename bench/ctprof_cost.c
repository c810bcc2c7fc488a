// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Usage: ctprof_cost ROUNDS WAY…
 *
 * Reads every thread of the host in each of the ways, in turn, ROUNDS times, and prints a line for
 * each: the way, wall and CPU nanoseconds, threads, files, bytes. WAY is
 *	bare      opens, reads and closes the files of every thread, and nothing else
 *	walk-N    our walk through /proc with N workers
 *	bpf       one pass of our task iterator, loaded before
 *	load      the same with loading it
 * and a + behind bare or walk-N adds smaps_rollup of every process. Prints at the end by how many
 * KiB memory grew at most beyond what the program had at first.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "ctprof/stages.h"
#include "procfs/task.h"

enum { BUFFER_BYTES = 16 << 10, PATH_BYTES = 64 };

struct cost {
	uint64_t wall_ns, cpu_ns, threads, files, bytes;
};

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

static _Noreturn void give_up(const char *what)
{
	fprintf(stderr, "ctprof_cost: %s\n", what);
	exit(1);
}

/* What any reader of these files has to do, and no more. */
static void read_file(int dir, const char *path, struct cost *cost)
{
	static char buffer[BUFFER_BYTES];
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return;
	n = read(fd, buffer, sizeof(buffer));
	close(fd);
	cost->files++;
	cost->bytes += n > 0 ? (uint64_t)n : 0;
}

static void read_thread(int dir, pid_t tgid, pid_t tid, bool smaps, struct cost *cost)
{
	static const char *const files[] = { "comm", "cgroup", "stat", "schedstat",
					     "io",   "status", "sched" };
	char path[PATH_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%d/%s", (int)tid, files[i]);
		read_file(dir, path, cost);
	}
	if (smaps && tid == tgid) {
		snprintf(path, sizeof(path), "%d/smaps_rollup", (int)tid);
		read_file(dir, path, cost);
	}
	cost->threads++;
}

static void bare(bool smaps, struct cost *cost)
{
	static struct procfs_id_list processes, threads;
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (proc < 0 || procfs_id_list_read(proc, PROCFS_LIMIT_THREADS, &processes))
		give_up("cannot list /proc");
	for (size_t i = 0; i < processes.ids.n; i++) {
		pid_t tgid = processes.ids.at[i];
		char path[PATH_BYTES];
		int dir;

		snprintf(path, sizeof(path), "%d/task", (int)tgid);
		dir = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0 || procfs_id_list_read(dir, PROCFS_LIMIT_THREADS, &threads))
			continue;
		snprintf(path, sizeof(path), "%d/comm", (int)tgid);
		read_file(proc, path, cost);
		for (size_t t = 0; t < threads.ids.n; t++)
			read_thread(dir, tgid, threads.ids.at[t], smaps, cost);
		close(dir);
	}
	close(proc);
}

static void walk(unsigned int jobs, bool smaps, struct cost *cost)
{
	const struct ctprof_options options = {
		.root = "",
		.live = true,
		.sources = smaps ? CTPROF_WALK_SOURCES
				 : CTPROF_WALK_SOURCES & ~METRIC_SOURCE_BIT(SMAPS),
		.jobs = jobs,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	struct error *err;

	ctprof_snapshot_init(&snapshot);
	err = ctprof_walk_threads(&options, clock_monotonic_ns(), &snapshot);
	if (err)
		give_up(error_message(err));
	cost->threads = snapshot.threads.n;
}

/* With a loaded iterator, or NULL. */
static void bpf(struct ctprof_bpf_tasks *loaded, struct cost *cost)
{
	struct ctprof_options options = {
		.root = "",
		.live = true,
		.bpf = true,
		.bpf_tasks = loaded,
		.sources = CTPROF_BPF_SOURCES,
	};
	_cleanup_ctprof_bpf_tasks_ struct ctprof_bpf_tasks *own = NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	struct error *err = NULL;

	ctprof_snapshot_init(&snapshot);
	if (!loaded) {
		err = ctprof_bpf_tasks_open(&own);
		options.bpf_tasks = own;
	}
	if (!err)
		err = ctprof_read_bpf(&options, &snapshot);
	if (err)
		give_up(error_message(err));
	if (snapshot.threads.n == 0)
		give_up("the iterator gives no threads");
	cost->threads = snapshot.threads.n;
}

static bool ends_with_plus(const char *way)
{
	return way[strlen(way) - 1] == '+';
}

static void measure(const char *way)
{
	static struct ctprof_bpf_tasks *loaded;
	struct cost cost = { 0 };
	uint64_t wall, cpu;
	struct error *err = NULL;

	if (strcmp(way, "bpf") == 0 && !loaded)
		err = ctprof_bpf_tasks_open(&loaded);
	if (err)
		give_up(error_message(err));
	wall = clock_monotonic_ns();
	cpu = cpu_ns();
	if (strncmp(way, "bare", 4) == 0)
		bare(ends_with_plus(way), &cost);
	else if (strncmp(way, "walk-", 5) == 0)
		walk((unsigned int)strtoul(way + 5, NULL, 10), ends_with_plus(way), &cost);
	else if (strcmp(way, "bpf") == 0)
		bpf(loaded, &cost);
	else if (strcmp(way, "load") == 0)
		bpf(NULL, &cost);
	else
		give_up("usage: ctprof_cost ROUNDS bare|walk-N|bpf|load ...");
	cost.wall_ns = clock_monotonic_ns() - wall;
	cost.cpu_ns = cpu_ns() - cpu;
	printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", way,
	       cost.wall_ns, cost.cpu_ns, cost.threads, cost.files, cost.bytes);
}

/* Of this program: getrusage() also knows what stood here before the exec. */
static long peak_kib(void)
{
	_cleanup_file_ FILE *status = fopen("/proc/self/status", "re");
	char line[256];
	long kib = -1;

	while (status && kib < 0 && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmHWM: %ld kB", &kib) != 1)
			kib = -1;
	if (kib < 0)
		give_up("no VmHWM");
	return kib;
}

int main(int argc, char *argv[])
{
	unsigned long rounds = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	long before = peak_kib();

	if (rounds == 0)
		give_up("usage: ctprof_cost ROUNDS WAY...");
	for (unsigned long round = 0; round < rounds; round++)
		for (int i = 2; i < argc; i++)
			measure(argv[i]);
	printf("peak_kib %ld\n", peak_kib() - before);
	return 0;
}
