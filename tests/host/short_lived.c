// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that end and hand their stack, and with it the place of their
 * counters, to one that has allocated far less. Prints "ready" and goes on until killed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *allocate_and_rest(void *arg)
{
	int many = arg != NULL;

	for (int i = 0; i < (many ? 3000 : 3); i++) {
		void *volatile p = malloc(100);

		free(p);
	}
	usleep(many ? 3000 : 20000);
	return NULL;
}

/* Enough of them that some stack changes hands between any two looks at all. */
enum { LOOPS = 100 };

static void *make_threads(void *unused)
{
	(void)unused;
	for (int i = 0;; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, allocate_and_rest, i % 2 ? NULL : &thread) != 0)
			exit(1);
		pthread_join(thread, NULL);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < LOOPS; i++)
		if (pthread_create(&thread, NULL, make_threads, NULL) != 0)
			return 1;
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
