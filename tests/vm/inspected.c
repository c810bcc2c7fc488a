// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs in the guest and is easy to recognise from outside: threads with names, one of them with a
 * real-time policy, one that stays on one CPU and never lets go of it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SPIN_CPU = 2, FIFO_PRIORITY = 7 };

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

int main(void)
{
	void *(*const all[])(void *) = { sleeps, sleeps, is_urgent, spins };
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 5);
	for (int i = 0; i < 4; i++) {
		if (pthread_create(&thread, NULL, all[i], NULL) != 0)
			return 1;
	}
	pthread_barrier_wait(&barrier);
	printf("%d\n", getpid());
	fflush(stdout);
	pause();
	return 0;
}
