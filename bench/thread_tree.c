// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Usage: thread_tree THREADS
 *
 * A tree of processes with THREADS threads in all, the one that starts it among them: one process
 * with half of them, the others with eight each. Every thread has a name and then sleeps until the
 * benchmark ends.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { STACK_BYTES = 16 * 1024, MAX_THREADS = 100000, SMALL = 8 };

static _Noreturn void give_up(const char *what, int errnum)
{
	fprintf(stderr, "thread_tree: %s: %s\n", what, strerror(errnum));
	exit(1);
}

static void *sleeper(void *index)
{
	char name[16];

	snprintf(name, sizeof(name), "worker-%lu", (unsigned long)index % 100);
	prctl(PR_SET_NAME, name);
	for (;;)
		pause();
	return NULL;
}

/* Beside the one that calls. */
static void start_threads(unsigned long n)
{
	pthread_attr_t attr;
	int errnum = pthread_attr_init(&attr);

	if (!errnum)
		errnum = pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (unsigned long i = 0; i < n && !errnum; i++) {
		pthread_t thread;

		errnum = pthread_create(&thread, &attr, sleeper, (void *)i);
	}
	if (errnum)
		give_up("starting the threads", errnum);
}

/* Returns when all its threads run. */
static void start_process(unsigned long threads)
{
	int ready[2];
	pid_t pid, parent = getpid();
	char byte = 0;

	if (pipe(ready) < 0 || (pid = fork()) < 0)
		give_up("starting a process", errno);
	if (pid == 0) {
		/* Nobody is left behind when the benchmark dies. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		close(ready[0]);
		start_threads(threads - 1);
		if (write(ready[1], &byte, 1) < 0)
			_exit(1);
		close(ready[1]);
		sleeper(NULL);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		give_up("waiting for a process", ESRCH);
	close(ready[0]);
}

int main(int argc, char *argv[])
{
	static const char ready[] = "ready\n";
	unsigned long n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long left;

	if (n < 4 || n > MAX_THREADS) {
		fprintf(stderr, "usage: thread_tree THREADS (4 to %d)\n", MAX_THREADS);
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	start_process(n / 2);
	for (left = n - n / 2 - 1; left; left -= left < SMALL ? left : SMALL)
		start_process(left < SMALL ? left : SMALL);
	if (write(STDOUT_FILENO, ready, sizeof(ready) - 1) < 0)
		give_up("stdout", errno);
	sleeper(NULL);
}
