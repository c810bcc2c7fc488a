// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs in the guest under a sched_ext scheduler. One thread has a real-time policy and never
 * leaves a CPU, another one may run nowhere else and is woken: it has to wait, in the scheduler's
 * queue, for as long as the first one pleases. Says who waits and between which ticks it began:
 *
 *	TID TICK_BEFORE_NS TICK_AFTER_NS
 *
 * With the first byte from standard input the CPU is let go: "ran N", how often the second thread
 * had run until then.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CPU = 3, PRIORITY = 50, NS_PER_MS = 1000000 };

static atomic_int waiter_tid, hogging, let_go, ran;
static int wake[2];

static void stay_on_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(CPU, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set) != 0)
		exit(1);
}

static void *waits(void *arg)
{
	char byte;

	(void)arg;
	pthread_setname_np(pthread_self(), "kt-waiter");
	stay_on_cpu();
	atomic_store(&waiter_tid, (int)syscall(SYS_gettid));
	if (read(wake[0], &byte, 1) != 1)
		exit(1);
	atomic_fetch_add(&ran, 1);
	return NULL;
}

static void *hogs(void *arg)
{
	struct sched_param param = { .sched_priority = PRIORITY };

	(void)arg;
	pthread_setname_np(pthread_self(), "kt-hog");
	stay_on_cpu();
	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) != 0)
		exit(1);
	atomic_store(&hogging, 1);
	while (!atomic_load(&let_go))
		;
	return NULL;
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * NS_PER_MS }, NULL);
}

/* 'S' while it sleeps. */
static char state_of(int tid)
{
	char path[64], state = '?';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%*d (kt-waiter) %c", &state) != 1)
		exit(1);
	fclose(f);
	return state;
}

/* The coarse clock shows the last tick, as jiffies do. */
static unsigned long long last_tick_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
}

int main(void)
{
	unsigned long long before;
	pthread_t waiter, hog;
	char byte = 0;

	if (pipe(wake) != 0 || pthread_create(&waiter, NULL, waits, NULL) != 0)
		return 1;
	while (!atomic_load(&waiter_tid) || state_of(waiter_tid) != 'S')
		pause_ms(10);
	if (pthread_create(&hog, NULL, hogs, NULL) != 0)
		return 1;
	while (!atomic_load(&hogging))
		pause_ms(10);
	before = last_tick_ns();
	if (write(wake[1], &byte, 1) != 1)
		return 1;
	/* The CPU it belongs to queues it, when it hears of it. */
	while (state_of(waiter_tid) != 'R')
		pause_ms(10);
	pause_ms(100);
	printf("%d %llu %llu\n", waiter_tid, before, last_tick_ns());
	fflush(stdout);
	if (read(STDIN_FILENO, &byte, 1) != 1)
		return 1;
	printf("ran %d\n", atomic_load(&ran));
	atomic_store(&let_go, 1);
	pthread_join(hog, NULL);
	pthread_join(waiter, NULL);
	return atomic_load(&ran) == 1 ? 0 : 1;
}
