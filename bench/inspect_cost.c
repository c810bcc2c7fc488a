// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Usage: inspect_cost VMCORE ROUNDS [CPUS RAM]
 *
 * The rooms without a program's start and output, as JSON: nanoseconds of each round. With CPUS
 * runqueues of that many CPUs are swept, which do not exist: copies of the real ones with a task
 * each, in a file RAM or, if it is "-", in the memory of a process.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/paths.h"
#include "dump/dump.h"
#include "rq_sweep.h"
#include "kmem/core_file.h"

enum {
	SWEEPS = 200,
	LIMIT_ROUNDS = 1000,
	LIMIT_CPUS = 4096,
	/* As far apart as per-CPU memory of a guest. Objects stand in their pages as the real ones
	   do. */
	PER_CPU_BYTES = 256 << 10,
	RQ_PAGE = 0x2000,
	TASK_PAGE = 0x10000,
};
/* Behind all RAM that the guest has. */
#define EXTRA_AT (UINT64_C(1) << 40)

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

struct cost {
	uint64_t wall, cpu;
};

static struct cost cost_begin(void)
{
	return (struct cost){ now_ns(), clock_ns(CLOCK_PROCESS_CPUTIME_ID) };
}

static struct cost cost_since(const struct cost *began)
{
	struct cost now = cost_begin();

	return (struct cost){ now.wall - began->wall, now.cpu - began->cpu };
}

/* Two lists, "NAME" and "NAME cpu". */
static void add_costs(const char *name, const struct cost *costs, size_t n)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		printf("\"%s%s\": [", name, cpu ? " cpu" : "");
		for (size_t i = 0; i < n; i++)
			printf("%s%llu", i ? ", " : "",
			       (unsigned long long)(cpu ? costs[i].cpu : costs[i].wall));
		printf("], ");
	}
}

static void add_ns(const char *name, const uint64_t *ns, size_t n, const char *end)
{
	printf("\"%s\": [", name);
	for (size_t i = 0; i < n; i++)
		printf("%s%llu", i ? ", " : "", (unsigned long long)ns[i]);
	printf("]%s", end);
}

static void die(struct error *err)
{
	if (!err)
		return;
	fprintf(stderr, "inspect_cost: %s\n", error_message(err));
	exit(1);
}

/* The least of many: what one costs when nobody comes between. */
static uint64_t sweep_ns(struct dump_rq_sweep *sweep, bool tasks, uint64_t *sum)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < SWEEPS; i++) {
		uint64_t began = now_ns(), took;
		size_t n;
		const struct dump_rq *rqs = dump_rq_sweep(sweep, tasks, &n);

		took = now_ns() - began;
		least = took < least ? took : least;
		for (size_t k = 0; k < n; k++)
			*sum += rqs[k].pid.value;
	}
	return least;
}

static struct cost view_cost(struct kmem *kmem, const char *view, struct strbuf *out)
{
	struct dump_request request = { 0 };
	struct json_writer writer = json_writer_to(out, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);
	struct cost began;

	strbuf_clear(out);
	kmem_space_forget(&kmem->space);
	began = cost_begin();
	if (view)
		die(dump_one(dump_view_find(view), kmem, &request, &sink));
	else
		dump_all(kmem, &request, &sink);
	return cost_since(&began);
}

struct figures {
	struct cost attach[LIMIT_ROUNDS], known[LIMIT_ROUNDS], search[LIMIT_ROUNDS],
		tasks[LIMIT_ROUNDS], rq[LIMIT_ROUNDS], report[LIMIT_ROUNDS];
	uint64_t queues[LIMIT_ROUNDS], sweep[LIMIT_ROUNDS];
};

static struct kmem *attach(const struct kmem_core *core, bool with_note, const char *cache)
{
	struct kmem_reader reader = kmem_reader_of_physmap(core->map);
	struct bytes note = { (const uint8_t *)core->note.at, core->note.n };
	struct kmem *kmem = NULL;

	die(kmem_attach(&reader, with_note ? note : (struct bytes){ NULL, 0 }, cache, &kmem));
	return kmem;
}

/* As `ktstr inspect` does after it has shown runqueues and tasks. */
static void remember(const struct kmem_core *core, const char *cache)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct kmem *kmem = attach(core, true, NULL);

	view_cost(kmem, "tasks", &out);
	view_cost(kmem, "rq", &out);
	die(kmem_save_cache(kmem, cache));
	kmem_free(kmem);
}

static void measure_attach(int fd, const char *path, const char *cache, struct figures *f, size_t i)
{
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	struct cost began = cost_begin();

	die(kmem_core_read(fd, path, &core));
	kmem_free(attach(&core, true, NULL));
	f->attach[i] = cost_since(&began);
	if (i == 0)
		remember(&core, cache);
	kmem_core_deinit(&core);
	core = (struct kmem_core){ 0 };

	began = cost_begin();
	die(kmem_core_read(fd, path, &core));

	struct kmem *kmem = attach(&core, true, cache);

	f->known[i] = cost_since(&began);
	if (!kmem->from_cache)
		die(kmem_error(KMEM_BAD_CACHE, 0, "%s: it was not known", path));
	kmem_free(kmem);
	began = cost_begin();
	kmem_free(attach(&core, false, NULL));
	f->search[i] = cost_since(&began);
}

static void measure_core(const char *path, size_t rounds)
{
	_cleanup_free_ struct figures *f = xnew(struct figures);
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	char cache[] = "/tmp/ktstr-bench-XXXXXX";
	uint64_t sum = 0;

	if (!mkdtemp(cache))
		die(base_error(BASE_IO, errno, "%s", cache));
	die(kmem_core_read(fd, path, &core));
	for (size_t i = 0; i < rounds; i++) {
		_cleanup_dump_rq_sweep_ struct dump_rq_sweep *sweep = NULL;
		struct kmem *kmem;

		measure_attach(fd, path, cache, f, i);
		kmem = attach(&core, true, NULL);
		f->tasks[i] = view_cost(kmem, "tasks", &out);
		f->rq[i] = view_cost(kmem, "rq", &out);
		f->report[i] = view_cost(kmem, NULL, &out);
		die(dump_rq_sweep_new(kmem, &sweep));
		f->queues[i] = sweep_ns(sweep, false, &sum);
		f->sweep[i] = sweep_ns(sweep, true, &sum);
		dump_rq_sweep_free(take_ptr(sweep));
		kmem_free(kmem);
	}
	printf("{");
	add_costs("attach", f->attach, rounds);
	add_costs("known", f->known, rounds);
	add_costs("search", f->search, rounds);
	add_costs("tasks", f->tasks, rounds);
	add_costs("rq", f->rq, rounds);
	add_costs("report", f->report, rounds);
	add_ns("queues", f->queues, rounds, ", ");
	add_ns("sweep", f->sweep, rounds, "}\n");
	die(paths_remove(cache));
}

static void copy_object(struct kmem *kmem, uint64_t address, enum kmem_field_id type, uint8_t *to)
{
	die(kmem_read_exact(&kmem->space, address, to, kmem->fields.at[type].place.size, "object"));
}

static void copy_cpu(struct kmem *kmem, uint64_t runqueues, uint32_t from, uint32_t cpu,
		     uint8_t *ram)
{
	const struct kmem_fields *f = &kmem->fields;
	uint8_t *own = ram + (size_t)cpu * PER_CPU_BYTES, *task;
	uint8_t *rq = own + RQ_PAGE + runqueues % KMEM_PAGE_BYTES;
	uint64_t at = 0, curr, pid = cpu + 1;

	if (!kmem_cpus_address(&kmem->cpus, from, runqueues, &at))
		die(kmem_error(KMEM_UNREAD, 0, "CPU %u is not possible", from));
	copy_object(kmem, at, KMEM_F_RQ, rq);
	if (kmem_field_read(f, &kmem->space, KMEM_F_RQ_CURR, at, &curr) != KMEM_READ_OK)
		die(kmem_error(KMEM_UNREAD, 0, "rq.curr"));
	task = own + TASK_PAGE + curr % KMEM_PAGE_BYTES;
	copy_object(kmem, curr, KMEM_F_TASK, task);
	curr = kmem->space.direct.start + EXTRA_AT + (uint64_t)(task - ram);
	memcpy(rq + f->at[KMEM_F_RQ_CURR].place.offset, &curr, 8);
	memcpy(task + f->at[KMEM_F_TASK_PID].place.offset, &pid, 4);
}

/* From now on the guest has n CPUs, and their memory is the extra RAM. */
static void pretend_cpus(struct kmem *kmem, uint32_t n, uint8_t *ram)
{
	uint32_t real = kmem->cpus.n;
	uint64_t runqueues = 0;

	die(kmem_symbol(kmem, "runqueues", &runqueues));
	for (uint32_t cpu = 0; cpu < n; cpu++)
		copy_cpu(kmem, runqueues, cpu % real, cpu, ram);
	kmem_cpus_deinit(&kmem->cpus);
	kmem->cpus = (struct kmem_cpus){ .n = n,
					 .offsets = xcalloc(n, 8),
					 .possible = xcalloc(LIMIT_CPUS / 64, 8),
					 .online = xcalloc(LIMIT_CPUS / 64, 8) };
	for (uint32_t cpu = 0; cpu < n; cpu++) {
		kmem->cpus.offsets[cpu] = kmem->space.direct.start + EXTRA_AT +
					  (uint64_t)cpu * PER_CPU_BYTES + RQ_PAGE +
					  runqueues % KMEM_PAGE_BYTES - runqueues;
		kmem->cpus.possible[cpu / 64] |= UINT64_C(1) << cpu % 64;
	}
	kmem->space.direct.end = kmem->space.direct.start + EXTRA_AT + (uint64_t)n * PER_CPU_BYTES;
}

static void measure_sweep(const char *path, size_t rounds, uint32_t n, const char *ram_path)
{
	bool process = strcmp(ram_path, "-") == 0;
	size_t bytes = (size_t)n * PER_CPU_BYTES;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int ram_fd = process ? -1
					     : open(ram_path,
						    O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	_cleanup_free_ struct figures *f = xnew(struct figures);
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_kmem_ struct kmem *kmem = NULL;
	uint64_t sum = 0, expected = 0;
	uint8_t *ram;

	if (!process && (ram_fd < 0 || ftruncate(ram_fd, (off_t)bytes) != 0))
		die(base_error(BASE_IO, errno, "%s", ram_path));
	ram = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		   process ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, ram_fd, 0);
	if (ram == MAP_FAILED)
		die(base_error(BASE_IO, errno, "RAM of CPUs"));
	die(kmem_core_read(fd, path, &core));
	die(process ? physmap_add_process(core.map, EXTRA_AT, bytes, getpid(), (uintptr_t)ram)
		    : physmap_add_fd(core.map, EXTRA_AT, bytes, ram_fd, 0));
	kmem = attach(&core, true, NULL);
	pretend_cpus(kmem, n, ram);
	for (size_t i = 0; i < rounds; i++) {
		_cleanup_dump_rq_sweep_ struct dump_rq_sweep *sweep = NULL;

		die(dump_rq_sweep_new(kmem, &sweep));
		f->queues[i] = sweep_ns(sweep, false, &sum);
		f->sweep[i] = sweep_ns(sweep, true, &sum);
		expected += (uint64_t)SWEEPS * n * (n + 1) / 2;
	}
	if (sum != expected)
		die(kmem_error(KMEM_UNREAD, 0, "the tasks that were seen are not those that run"));
	printf("{");
	add_ns("queues", f->queues, rounds, ", ");
	add_ns("sweep", f->sweep, rounds, "}\n");
	munmap(ram, bytes);
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	uint32_t n = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;

	if ((argc != 3 && argc != 5) || rounds == 0 || rounds > LIMIT_ROUNDS ||
	    (argc == 5 && (n == 0 || n > LIMIT_CPUS))) {
		fprintf(stderr, "usage: inspect_cost VMCORE ROUNDS [CPUS RAM]\n");
		return 2;
	}
	if (argc == 3)
		measure_core(argv[1], rounds);
	else
		measure_sweep(argv[1], rounds, n, argv[4]);
	return 0;
}
