// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces every thread of a process and lets them run: whoever comes second is
 * refused by the kernel. usage: tracer PID
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	if (argc != 2)
		return 2;
	snprintf(path, sizeof(path), "/proc/%s/task", argv[1]);
	dir = opendir(path);
	if (!dir)
		return 1;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    ptrace(PTRACE_SEIZE, atoi(entry->d_name), NULL, NULL) < 0) {
			perror("PTRACE_SEIZE");
			return 1;
		}
	closedir(dir);
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		return 1;
	for (;;) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL);

		if (tid < 0)
			return 0;
		if (WIFSTOPPED(status))
			ptrace(PTRACE_CONT, tid, NULL,
			       (void *)(long)(status >> 16 ? 0 : WSTOPSIG(status)));
	}
}
