// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Usage: many_threads THREADS STAGE
 *
 * THREADS threads in all. Each allocates an amount of its own, writes what
 * jemalloc says about it into STAGE and sleeps; the first one then beats: it
 * wakes every 100 microseconds and notes the longest time between two beats, which
 * is how long it stood still, whoever stopped it. Nobody allocates after the ready line.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stage.h"

enum {
	STACK_BYTES = 64 * 1024,
	BEAT_NS = 100 * 1000,
	MAX_THREADS = 100000,
	LEAST_BYTES = 256,
	STEP_BYTES = 64,
};

/* From the jemalloc that is linked in, or preloaded. */
extern int mallctl(const char *name, void *old, size_t *old_size, void *new, size_t new_size)
	__attribute__((weak));
extern const char *malloc_conf;
const char *malloc_conf = "background_thread:false";

static struct stage *stage;
static pthread_barrier_t all_wrote;

static _Noreturn void give_up(const char *what, int errnum)
{
	fprintf(stderr, "many_threads: %s: %s\n", what, strerror(errnum));
	exit(1);
}

static uint64_t ask_jemalloc(const char *name)
{
	uint64_t value;
	size_t n = sizeof(value);
	int errnum = mallctl(name, &value, &n, NULL, 0);

	if (errnum)
		give_up(name, errnum);
	return value;
}

static void allocate_and_tell(size_t index)
{
	struct stage_thread *row = &stage->threads[index];
	size_t bytes = LEAST_BYTES + STEP_BYTES * index;
	char *kept = malloc(bytes), *dropped = malloc(LEAST_BYTES);

	if (!kept || !dropped)
		give_up("malloc", ENOMEM);
	memset(kept, 0xa5, bytes);
	__asm__ volatile("" : : "r"(kept), "r"(dropped) : "memory");
	free(dropped);
	row->tid = (uint64_t)syscall(SYS_gettid);
	row->allocated_bytes = ask_jemalloc("thread.allocated");
	row->deallocated_bytes = ask_jemalloc("thread.deallocated");
}

static void *sleeper(void *index)
{
	allocate_and_tell((size_t)(uintptr_t)index);
	pthread_barrier_wait(&all_wrote);
	for (;;)
		pause();
	return NULL;
}

static void start_threads(size_t n)
{
	pthread_attr_t attr;
	int errnum = pthread_attr_init(&attr);

	if (!errnum)
		errnum = pthread_attr_setstacksize(&attr, STACK_BYTES);
	if (!errnum)
		errnum = pthread_barrier_init(&all_wrote, NULL, (unsigned int)n);
	for (size_t i = 1; i < n && !errnum; i++) {
		pthread_t thread;

		errnum = pthread_create(&thread, &attr, sleeper, (void *)(uintptr_t)i);
	}
	if (errnum)
		give_up("starting the threads", errnum);
	pthread_barrier_wait(&all_wrote);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static _Noreturn void beat(void)
{
	const struct timespec pause_time = { .tv_nsec = BEAT_NS };
	uint64_t last = now_ns();

	for (;;) {
		uint64_t asked = __atomic_load_n(&stage->asked, __ATOMIC_ACQUIRE);
		uint64_t now;

		if (asked != stage->window) {
			stage->longest_gap_ns = 0;
			stage->beats = 0;
			last = now_ns();
			__atomic_store_n(&stage->window, asked, __ATOMIC_RELEASE);
		}
		nanosleep(&pause_time, NULL);
		now = now_ns();
		if (now - last > stage->longest_gap_ns)
			stage->longest_gap_ns = now - last;
		last = now;
		__atomic_fetch_add(&stage->beats, 1, __ATOMIC_RELEASE);
	}
}

static void open_stage(const char *path, size_t n)
{
	size_t bytes = sizeof(*stage) + n * sizeof(stage->threads[0]);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
		give_up(path, errno);
	stage = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (stage == MAP_FAILED)
		give_up(path, errno);
	close(fd);
	stage->n_threads = n;
}

int main(int argc, char *argv[])
{
	static const char ready[] = "ready\n";
	unsigned long n = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;

	if (n < 1 || n > MAX_THREADS) {
		fprintf(stderr, "usage: many_threads THREADS STAGE (1 to %d)\n", MAX_THREADS);
		return 2;
	}
	if (!mallctl)
		give_up("no jemalloc in this process", ENOSYS);
	/* Without this each beat may be up to 50 microseconds late. */
	prctl(PR_SET_TIMERSLACK, 1);
	/* Nobody is left behind when the benchmark dies. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	open_stage(argv[2], n);
	start_threads(n);
	allocate_and_tell(0);
	if (write(STDOUT_FILENO, ready, sizeof(ready) - 1) < 0)
		give_up("stdout", errno);
	beat();
}
