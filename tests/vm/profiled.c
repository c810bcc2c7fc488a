// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs in the guest: threads that each do a known amount of one thing and then stand still, so
 * that whatever reads them can be held to it. On standard output one line of JSON says what was
 * done, by what the kernel told each thread about itself at that moment. With the word "spin" one
 * thread more that never stops.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	SLEEPS = 300,
	FAULTS = 2000,
	COPIES = 200,
	WRITES = 1000,
	WRITE_BYTES = 1234,
	READS = 500,
	READ_BYTES = 1000,
	RUN_MS = 200,
	RIVAL_MS = 60,
	YIELDS = 100,
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static unsigned long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (unsigned long)t.tv_sec * 1000000000 + (unsigned long)t.tv_nsec;
}

static void run_for(unsigned int ms)
{
	unsigned long end = cpu_ns() + ms * 1000000ul;

	while (cpu_ns() < end)
		;
}

static void stay_on(unsigned int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0)
		fail("sched_setaffinity");
}

static void set_policy(int policy, int priority)
{
	if (sched_setscheduler(0, policy, &(struct sched_param){ .sched_priority = priority }) < 0)
		fail("sched_setscheduler");
}

static char *fresh_pages(size_t n)
{
	char *at = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	/* One fault for each page. */
	madvise(at, n * PAGE, MADV_NOHUGEPAGE);
	return at;
}

static void touch(char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)at)[i * PAGE] = 1;
}

static void sleeper(void)
{
	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
}

static void faulter(void)
{
	touch(fresh_pages(FAULTS), FAULTS);
}

/* A child keeps the pages, so each has to be copied before it is written again. */
static void copier(void)
{
	char *pages = fresh_pages(COPIES);
	pid_t child;

	touch(pages, COPIES);
	child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "kt-child");
		for (;;)
			pause();
	}
	touch(pages, COPIES);
}

static void writer(void)
{
	static char bytes[PAGE];
	int null = open("/dev/null", O_WRONLY), zero = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < WRITES; i++)
		if (write(null, bytes, WRITE_BYTES) != WRITE_BYTES)
			fail("write");
	for (int i = 0; i < READS; i++)
		if (read(zero, bytes, READ_BYTES) != READ_BYTES)
			fail("read");
}

static void runner(void)
{
	run_for(RUN_MS);
}

static void rival(void)
{
	stay_on(0);
	for (int i = 0; i < RIVAL_MS; i++)
		run_for(1);
}

static void yielder(void)
{
	stay_on(0);
	for (int i = 0; i < YIELDS; i++)
		sched_yield();
}

static void fifo(void)
{
	set_policy(SCHED_FIFO, 3);
}

static void batch(void)
{
	set_policy(SCHED_BATCH, 0);
}

static void nice_one(void)
{
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 7);
}

static void idle(void)
{
	stay_on(1);
	set_policy(SCHED_IDLE, 0);
}

struct job {
	const char *name;
	void (*work)(void);
	long tid;
	unsigned long ran_ns;
	struct rusage used;
	sem_t done;
};

static struct job jobs[] = {
	{ .name = "kt-sleeper", .work = sleeper },   { .name = "kt-faulter", .work = faulter },
	{ .name = "kt-copier", .work = copier },     { .name = "kt-writer", .work = writer },
	{ .name = "kt-runner", .work = runner },     { .name = "kt-rival-1", .work = rival },
	{ .name = "kt-rival-2", .work = rival },     { .name = "kt-yielder", .work = yielder },
	{ .name = "kt-fifo", .work = fifo },	     { .name = "kt-batch", .work = batch },
	{ .name = "kt (nice) 7", .work = nice_one }, { .name = "kt-idle", .work = idle },
};

static void *work(void *arg)
{
	struct job *job = arg;

	job->tid = syscall(SYS_gettid);
	prctl(PR_SET_NAME, job->name);
	job->work();
	getrusage(RUSAGE_THREAD, &job->used);
	job->ran_ns = cpu_ns();
	sem_post(&job->done);
	for (;;)
		pause();
	return NULL;
}

static void *spin(void *arg)
{
	prctl(PR_SET_NAME, "kt-spinner");
	for (;;)
		nanosleep(&(struct timespec){ .tv_nsec = 1000 }, NULL);
	return arg;
}

static void tell(void)
{
	printf("{\"pid\": %d, \"sleeps\": %d, \"faults\": %d, \"copies\": %d, \"writes\": %d, \"write_bytes\": %d, "
	       "\"reads\": %d, \"read_bytes\": %d, \"run_ms\": %d, \"rival_ms\": %d, \"threads\": {",
	       (int)getpid(), SLEEPS, FAULTS, COPIES, WRITES, WRITES * WRITE_BYTES, READS,
	       READS * READ_BYTES, RUN_MS, RIVAL_MS);
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		const struct job *job = &jobs[i];

		printf("%s\"%s\": {\"tid\": %ld, \"ran_ns\": %lu, \"nvcsw\": %ld, \"nivcsw\": %ld, "
		       "\"minflt\": %ld, \"majflt\": %ld, \"utime_us\": %ld, \"stime_us\": %ld}",
		       i ? ", " : "", job->name, job->tid, job->ran_ns, job->used.ru_nvcsw,
		       job->used.ru_nivcsw, job->used.ru_minflt, job->used.ru_majflt,
		       job->used.ru_utime.tv_sec * 1000000 + job->used.ru_utime.tv_usec,
		       job->used.ru_stime.tv_sec * 1000000 + job->used.ru_stime.tv_usec);
	}
	printf("}}\n");
	fflush(stdout);
}

/* Two that want the same CPU run at the same time; all others one after the other. */
int main(int argc, char **argv)
{
	pthread_t thread;

	prctl(PR_SET_NAME, "kt-leader");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		sem_init(&jobs[i].done, 0, 0);
		if (pthread_create(&thread, NULL, work, &jobs[i]) != 0)
			fail("pthread_create");
		if (strcmp(jobs[i].name, "kt-rival-1") != 0)
			sem_wait(&jobs[i].done);
	}
	if (argc > 1 && strcmp(argv[1], "spin") == 0 &&
	    pthread_create(&thread, NULL, spin, NULL) != 0)
		fail("pthread_create");
	/* The last steps into pause(). */
	usleep(100000);
	tell();
	for (;;)
		pause();
}
