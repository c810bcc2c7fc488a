// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process whose threads do known work, print what the kernel told each of them about itself,
 * and sleep for ever:
 *
 *	usage: known_work FILE
 *	thread tid=N does=KIND voluntary=N involuntary=N minflt=N cpu_ns=N
 *
 * sleep: SLEEPS naps. fault: touches PAGES new pages. write: WRITES writes of WRITE_BYTES into
 * FILE. run: RUN_MS of CPU time. odd: a name with brackets and a blank, nice 7, SCHED_BATCH, and
 * one CPU.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLEEPS = 500, PAGES = 3000, WRITES = 300, WRITE_BYTES = 1000, RUN_MS = 120 };

static const char *path;
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t told;

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void do_sleep(void)
{
	const struct timespec nap = { .tv_nsec = 20000 };

	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&nap, NULL);
}

static void do_fault(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		give_up("mmap");
	/* A large page would be one fault. */
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)(memory + i * page) = 1;
}

static void do_write(void)
{
	char bytes[WRITE_BYTES] = { 0 };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	for (int i = 0; i < WRITES; i++)
		if (fd < 0 || write(fd, bytes, sizeof(bytes)) != WRITE_BYTES)
			give_up(path);
	close(fd);
}

static void do_run(void)
{
	while (cpu_ns() < (uint64_t)RUN_MS * 1000000)
		;
}

static void do_odd(void)
{
	const struct sched_param none = { 0 };
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	prctl(PR_SET_NAME, "a) b (0");
	if (sched_setaffinity(0, sizeof(one), &one) || sched_setscheduler(0, SCHED_BATCH, &none) ||
	    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 7))
		give_up("odd");
}

static const struct {
	const char *name;
	void (*work)(void);
} kinds[] = {
	{ "sleep", do_sleep }, { "fault", do_fault }, { "write", do_write },
	{ "run", do_run },     { "odd", do_odd },
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void *work(void *arg)
{
	size_t kind = (size_t)(uintptr_t)arg;
	struct rusage usage;

	prctl(PR_SET_NAME, kinds[kind].name);
	kinds[kind].work();
	/* No writes of a thread that counts its own. */
	pthread_mutex_lock(&output);
	getrusage(RUSAGE_THREAD, &usage);
	if (strcmp(kinds[kind].name, "write") != 0)
		dprintf(STDOUT_FILENO,
			"thread tid=%ld does=%s voluntary=%ld involuntary=%ld minflt=%ld cpu_ns=%llu\n",
			syscall(SYS_gettid), kinds[kind].name, usage.ru_nvcsw, usage.ru_nivcsw,
			usage.ru_minflt, (unsigned long long)cpu_ns());
	pthread_mutex_unlock(&output);
	pthread_barrier_wait(&told);
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char *argv[])
{
	if (argc != 2)
		return 2;
	path = argv[1];
	prctl(PR_SET_PDEATHSIG, 9);
	pthread_barrier_init(&told, NULL, N_KINDS + 1);
	for (size_t i = 0; i < N_KINDS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, (void *)(uintptr_t)i))
			give_up("pthread_create");
	}
	pthread_barrier_wait(&told);
	dprintf(STDOUT_FILENO, "ready\n");
	for (;;)
		pause();
}
