/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process whose threads have done something each and now stand still: whatever reads it, and
 * however often, must see the same.
 */
#ifndef KTSTR_TESTS_CTPROF_PARKED_H
#define KTSTR_TESTS_CTPROF_PARKED_H

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PARKED_THREADS = 8 };

/* The thread sanitizer has a thread of its own in every process, which never stands still. */
#if defined(__SANITIZE_THREAD__)
#define PARKED_ARE_WATCHED true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PARKED_ARE_WATCHED true
#endif
#endif
#ifndef PARKED_ARE_WATCHED
#define PARKED_ARE_WATCHED false
#endif
#define skip_if_watched() \
	skip_unless(!PARKED_ARE_WATCHED, "the sanitizer's own thread does not stand still")

struct parked {
	pid_t pid;
	int ready[2];
};

static inline void parked_spin(unsigned int ms)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while ((unsigned long)t.tv_sec * 1000 + (unsigned long)t.tv_nsec / 1000000 < ms);
}

/* Each in another way: a name, a policy, CPU time in both modes, faults, reads, sleeps. */
static inline void *parked_thread(void *arg)
{
	static const char *const names[PARKED_THREADS] = { "plain", "a (b) c",	   " blanks ",
							   "batch", "idle policy", "nice 7",
							   "fifo",  "busy" };
	unsigned int i = *(unsigned int *)arg;
	char bytes[4096];
	cpu_set_t first;
	int fd;

	prctl(PR_SET_NAME, names[i]);
	if (i == 3)
		sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){ 0 });
	if (i == 4)
		sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
	if (i == 5)
		setpriority(PRIO_PROCESS, 0, 7);
	if (i == 6)
		sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 3 });
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (i % 2)
		sched_setaffinity(0, sizeof(first), &first);
	for (unsigned int n = 0; n < i; n++)
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	for (unsigned int n = 0; n < 100 * i; n++)
		if (read(fd, bytes, sizeof(bytes)) < 0)
			break;
	close(fd);
	for (unsigned int n = 0; n < 10 * i; n++) {
		char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

		*page = 1;
		munmap(page, 4096);
	}
	if (i == 7)
		parked_spin(60);
	for (;;)
		pause();
	return NULL;
}

static inline void parked_child(int ready)
{
	static unsigned int numbers[PARKED_THREADS];
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "parked leader");
	for (unsigned int i = 0; i < PARKED_THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&thread, NULL, parked_thread, &numbers[i]))
			_exit(1);
	}
	parked_spin(20);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* True when every thread of it sleeps: /proc/PID/task/TID/stat, field 3. */
static inline bool parked_sleeps(pid_t pid)
{
	for (unsigned int tries = 0; tries < 5000; tries++) {
		char command[256];

		snprintf(command, sizeof(command),
			 "test $(cat /proc/%d/task/*/stat | sed 's/.*) //' | grep -c '^S') = %d",
			 (int)pid, PARKED_THREADS + 1);
		if (system(command) == 0)
			return true;
		usleep(2000);
	}
	return false;
}

static inline bool parked_start(struct parked *parked)
{
	char byte;

	if (pipe2(parked->ready, O_CLOEXEC) < 0)
		return false;
	parked->pid = fork();
	if (parked->pid < 0)
		return false;
	if (parked->pid == 0)
		parked_child(parked->ready[1]);
	close(parked->ready[1]);
	return read(parked->ready[0], &byte, 1) == 1 && parked_sleeps(parked->pid);
}

static inline void parked_end(struct parked *parked)
{
	kill(parked->pid, SIGKILL);
	waitpid(parked->pid, NULL, 0);
	close(parked->ready[0]);
}

#endif
