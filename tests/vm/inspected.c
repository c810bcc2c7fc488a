// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs in the guest and is easy to recognise from outside: threads with names, one of them with a
 * real-time policy, one that stays on one CPU and never lets go of it. With a number, so many more
 * that sleep.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SPIN_CPU = 2, FIFO_PRIORITY = 7, STACK_BYTES = 64 << 10 };

static pthread_barrier_t barrier;

static void *sleeps(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "kt-sleeper");
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
	return NULL;
}

static void *is_urgent(void *arg)
{
	struct sched_param param = { .sched_priority = FIFO_PRIORITY };

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) != 0)
		exit(1);
	pthread_setname_np(pthread_self(), "kt-urgent");
	pthread_barrier_wait(&barrier);
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void *spins(void *arg)
{
	cpu_set_t set;
	volatile unsigned long n = 0;

	(void)arg;
	CPU_ZERO(&set);
	CPU_SET(SPIN_CPU, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set) != 0)
		exit(1);
	pthread_setname_np(pthread_self(), "kt-spinner");
	pthread_barrier_wait(&barrier);
	for (;;)
		n++;
	return NULL;
}

static void *rests(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void start_more(int n)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	for (int i = 0; i < n; i++) {
		if (pthread_create(&thread, &small, rests, NULL) != 0)
			exit(1);
	}
}

int main(int argc, char **argv)
{
	void *(*const all[])(void *) = { sleeps, sleeps, is_urgent, spins };
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 5);
	for (int i = 0; i < 4; i++) {
		if (pthread_create(&thread, NULL, all[i], NULL) != 0)
			return 1;
	}
	pthread_barrier_wait(&barrier);
	if (argc > 1)
		start_more(atoi(argv[1]));
	printf("%d\n", getpid());
	fflush(stdout);
	pause();
	return 0;
}
