// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs in the guest: pairs of processes that send a byte to and fro through pipes, so that its CPUs
 * do little else than switch from one task to another. Half of the pairs stay on one CPU, where
 *each byte is two switches; the others may go anywhere.
 *
 *	ping_pong PAIRS CPUS
 *
 * Prints the numbers of all processes on one line and lasts until it is killed.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		exit(1);
}

static void play(int from, int to)
{
	char ball;

	while (read(from, &ball, 1) == 1 && write(to, &ball, 1) == 1)
		;
	exit(1);
}

static pid_t player(int from, int to, int cpu)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu >= 0)
		stay_on(cpu);
	play(from, to);
	return 0;
}

int main(int argc, char **argv)
{
	int pairs = argc > 1 ? atoi(argv[1]) : 1, cpus = argc > 2 ? atoi(argv[2]) : 1;

	for (int i = 0; i < pairs; i++) {
		int there[2], back[2], cpu = i % 2 ? -1 : i / 2 % cpus;

		if (pipe(there) != 0 || pipe(back) != 0)
			return 1;
		printf("%d ", player(there[0], back[1], cpu));
		printf("%d ", player(back[0], there[1], cpu));
		if (write(there[1], "o", 1) != 1)
			return 1;
	}
	printf("\n");
	fflush(stdout);
	for (;;)
		pause();
}
