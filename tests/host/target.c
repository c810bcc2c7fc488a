// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process whose allocations are known, thread by thread. It prints what
 * jemalloc itself says about each thread, then every thread stays where it is.
 * Nothing allocates after that line, so it can be compared to the byte.
 *
 * usage: target [--threads N] [--idle N] [--step BYTES] [--beat FILE] [--leave-main]
 *               [--raw own|shared] [--jemalloc LIBRARY] [--exec PROGRAM]
 *               [--number-first] [--name COMM] [--vfork MS]
 *
 * SIGUSR2 runs PROGRAM. SIGHUP ends the first thread and gives its number to another.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "beat.h"
#include "raw_thread.h"
#include "reuse.h"

/* How this build reaches its jemalloc. */
#if defined(TARGET_FINDS_JEMALLOC)
static void *(*do_malloc)(size_t);
static void (*do_free)(void *);
static int (*do_mallctl)(const char *, void *, size_t *, void *, size_t);
#elif defined(TARGET_PREFIXED)
extern void *je_malloc(size_t bytes);
extern void je_free(void *memory);
extern int je_mallctl(const char *name, void *old, size_t *n_old, void *set, size_t n_set);
#define do_malloc  je_malloc
#define do_free	   je_free
#define do_mallctl je_mallctl
#else
extern int mallctl(const char *name, void *old, size_t *n_old, void *set, size_t n_set);
#define do_malloc  malloc
#define do_free	   free
#define do_mallctl mallctl
#endif

#if defined(TARGET_ALIGNED)
/* Makes the thread-local segment larger than its size in the file, and round up far. */
static __thread char aligned_block[100] __attribute__((aligned(4096)));
#define touch_own_storage() (*(volatile char *)aligned_block = 1)
#else
#define touch_own_storage() ((void)0)
#endif

enum {
	MAX_THREADS = 1024,
	FREED_SHARE = 4, /* every fourth block goes back */
	BLOCKS = 8,
	LINE_MAX_BYTES = 160,
	/* More than the one who gets the number, so that a mix-up shows. */
	STACK_HEIR_FACTOR = 20,
	NUMBER_HEIR_FACTOR = 3,
	REUSE_TRIES = 2000,
	FEW_THREADS = 16,
};

static struct {
	int threads;
	int idle;
	size_t step;
	const char *exec;
	bool leave_main;
} options = { .threads = 0, .step = 100000 };

static struct beat_page *beat;
static sem_t parked;
static volatile sig_atomic_t reuse_asked;
static volatile bool first_must_end;
static pthread_t first_thread;
static pid_t first_tid;

static void say(const char *line)
{
	size_t n = strlen(line);

	if (write(STDOUT_FILENO, line, n) != (ssize_t)n)
		_exit(1);
}

static uint64_t ask(const char *name)
{
	uint64_t value = 0;
	size_t n = sizeof(value);

	if (do_mallctl(name, &value, &n, NULL, 0) != 0) {
		say("error: mallctl does not know the name\n");
		_exit(1);
	}
	return value;
}

static pid_t own_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static void allocate(size_t factor)
{
	touch_own_storage();
	for (size_t i = 0; i < BLOCKS; i++) {
		char *memory = do_malloc(factor * options.step);

		if (!memory)
			_exit(1);
		memset(memory, 1, factor * options.step);
		if (i % FREED_SHARE == 0)
			do_free(memory);
	}
}

static void report(void)
{
	char line[LINE_MAX_BYTES];

	snprintf(line, sizeof(line), "thread tid=%d allocated=%llu deallocated=%llu\n",
		 (int)own_tid(), (unsigned long long)ask("thread.allocated"),
		 (unsigned long long)ask("thread.deallocated"));
	say(line);
}

/* Many threads hardly beat at all: the machine has other things to do. */
static unsigned int beat_period_us(void)
{
	bool few = options.threads + options.idle <= FEW_THREADS;

	return few ? BEAT_PERIOD_US : SLOW_BEAT_PERIOD_US;
}

static void reuse_number(void);
static unsigned int vfork_ms;

/* Until the child has ended, its maker sleeps in a way that no request to stop can end. */
static void sleep_uninterruptibly(void)
{
	struct timespec time = { vfork_ms / 1000, (long)(vfork_ms % 1000) * 1000000 };
	pid_t child = vfork();

	if (child == 0) {
		syscall(SYS_nanosleep, &time, NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* Stays for ever, and shows in the page that it runs. */
static _Noreturn void stay(int index)
{
	for (;;) {
		beat->beats[index]++;
		usleep(beat_period_us());
		if (index == 1 && vfork_ms)
			sleep_uninterruptibly();
		if (index == 1 && first_must_end)
			pthread_exit(NULL);
		if (index == 0 && reuse_asked) {
			reuse_asked = 0;
			reuse_number();
		}
	}
}

static void *busy_thread(void *arg)
{
	int index = (int)(intptr_t)arg;

	prctl(PR_SET_NAME, "busy");
	if (index == 1)
		first_tid = own_tid();
	allocate((size_t)index);
	report();
	sem_post(&parked);
	stay(index);
}

/* Asks nothing of jemalloc, not even its counters: that alone would set up its thread data. */
static void *idle_thread(void *arg)
{
	char line[LINE_MAX_BYTES];

	prctl(PR_SET_NAME, "idle");
	snprintf(line, sizeof(line), "idle tid=%d\n", (int)own_tid());
	say(line);
	sem_post(&parked);
	stay((int)(intptr_t)arg);
}

static void *stack_heir(void *unused)
{
	(void)unused;
	allocate(STACK_HEIR_FACTOR);
	report();
	sem_post(&parked);
	stay(2);
}

static void *number_heir(void *ret_right)
{
	bool right = own_tid() == first_tid;

	*(volatile bool *)ret_right = right;
	if (right) {
		allocate(NUMBER_HEIR_FACTOR);
		report();
	}
	sem_post(&parked);
	if (right)
		stay(3);
	return NULL;
}

/* pthread_create, and a wait until the thread is where it stays or ends. */
static pthread_t start_with(void *(*body)(void *), void *arg)
{
	pthread_t thread;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, body, arg) != 0)
		_exit(1);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	while (sem_wait(&parked) < 0)
		;
	return thread;
}

static void reuse_number(void)
{
	volatile bool right = false;

	first_must_end = true;
	pthread_join(first_thread, NULL);
	start_with(stack_heir, NULL);
	for (int i = 0; i < REUSE_TRIES && !right; i++) {
		pthread_t thread;

		if (!reuse_ask_for_number(first_tid))
			break;
		thread = start_with(number_heir, (void *)&right);
		if (!right)
			pthread_join(thread, NULL);
	}
	say(right ? "ready\n" : "error: the number was not to be had\n");
}

static void on_reuse(int signum)
{
	(void)signum;
	reuse_asked = 1;
}

static void on_exec(int signum)
{
	char *argv[] = { (char *)options.exec, (char *)"--exec", (char *)options.exec, NULL };

	(void)signum;
	execv(options.exec, argv);
	_exit(1);
}

static void on_value(int signum, siginfo_t *info, void *context)
{
	(void)signum;
	(void)context;
	beat->signals++;
	if (info->si_value.sival_int != beat->last_value + 1)
		beat->out_of_order++;
	beat->last_value = info->si_value.sival_int;
}

static void on_plain(int signum)
{
	(void)signum;
	beat->plain_signals++;
}

/* Signals go to the main thread alone, so that their order means something. */
static void catch_signals(void)
{
	struct sigaction value = { .sa_sigaction = on_value, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction plain = { .sa_handler = on_plain, .sa_flags = SA_RESTART };
	struct sigaction reuse = { .sa_handler = on_reuse, .sa_flags = SA_RESTART };
	struct sigaction exec = { .sa_handler = on_exec, .sa_flags = SA_NODEFER };

	sigaction(SIGRTMIN, &value, NULL);
	sigaction(SIGUSR1, &plain, NULL);
	sigaction(SIGHUP, &reuse, NULL);
	if (options.exec)
		sigaction(SIGUSR2, &exec, NULL);
}

static void find_jemalloc(const char *library)
{
#if defined(TARGET_FINDS_JEMALLOC)
	void *handle = library ? dlopen(library, RTLD_NOW) : RTLD_DEFAULT;

	if (library && !handle) {
		say(dlerror());
		say("\n");
		_exit(1);
	}
	*(void **)&do_malloc = dlsym(handle, "malloc");
	*(void **)&do_free = dlsym(handle, "free");
	*(void **)&do_mallctl = dlsym(handle, "mallctl");
	if (!do_malloc || !do_free || !do_mallctl) {
		say("error: no jemalloc is loaded\n");
		_exit(1);
	}
#else
	(void)library;
#endif
}

/* The first thread shall have the number that stands on standard input. */
static void take_number(void)
{
	char text[LINE_MAX_BYTES] = { 0 };

	if (read(STDIN_FILENO, text, sizeof(text) - 1) <= 0 || !reuse_ask_for_number(atoi(text))) {
		say("error: the number was not to be had\n");
		_exit(1);
	}
}

int main(int argc, char *argv[])
{
	const char *beat_path = NULL, *library = NULL, *raw = NULL;

	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "--number-first") == 0) {
			take_number();
			continue;
		}
		if (strcmp(argv[i], "--leave-main") == 0) {
			options.leave_main = true;
			continue;
		}
		if (strcmp(argv[i], "--threads") == 0)
			options.threads = atoi(value);
		else if (strcmp(argv[i], "--idle") == 0)
			options.idle = atoi(value);
		else if (strcmp(argv[i], "--step") == 0)
			options.step = (size_t)atol(value);
		else if (strcmp(argv[i], "--beat") == 0)
			beat_path = value;
		else if (strcmp(argv[i], "--raw") == 0)
			raw = value;
		else if (strcmp(argv[i], "--jemalloc") == 0)
			library = value;
		else if (strcmp(argv[i], "--name") == 0)
			prctl(PR_SET_NAME, value);
		else if (strcmp(argv[i], "--vfork") == 0)
			vfork_ms = (unsigned int)atoi(value);
		else if (strcmp(argv[i], "--exec") == 0)
			options.exec = value;
		else
			return 2;
		i++;
	}
	if (options.threads + options.idle >= MAX_THREADS)
		return 2;
	beat = beat_map(beat_path);
	sem_init(&parked, 0, 0);
	find_jemalloc(library);
	catch_signals();
	for (int i = 1; i <= options.idle; i++)
		start_with(idle_thread, (void *)(intptr_t)(options.threads + i));
	for (int i = 1; i <= options.threads; i++) {
		pthread_t thread = start_with(busy_thread, (void *)(intptr_t)i);

		if (i == 1)
			first_thread = thread;
	}
	allocate(1);
	if (raw) {
		char line[LINE_MAX_BYTES];

		snprintf(line, sizeof(line), "raw tid=%d\n",
			 raw_thread_start(strcmp(raw, "own") == 0));
		say(line);
	}
	report();
	say("ready\n");
	if (options.leave_main)
		pthread_exit(NULL);
	stay(0);
}
