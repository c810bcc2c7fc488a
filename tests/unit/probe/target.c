// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process that does what a test says and tells what a debugger would have to
 * find out: each thread's pthread_self(), and what jemalloc itself answers for its
 * counters. One command per line on stdin, one answer per line on stdout:
 *
 *	hello           TID POINTER of the main thread
 *	start           TID POINTER of a new thread; threads are numbered from 1
 *	on N alloc B    thread N allocates B bytes; its counters ALLOCATED DEALLOCATED
 *	on N free       thread N frees what it allocated last; its counters
 *	on N count      its counters
 *	on N touch      address of the library's thread-local variable in thread N
 *	end N           thread N returns and is joined
 *	raw             TID of a thread made with clone(), which glibc knows nothing of
 *	dlopen PATH     load a library with a function `touch_tls`
 *	vfork N         thread N becomes the parent of a vfork() that does not return
 *	vfork-end       until now
 *	signals         how many SIGUSR1 and SIGRTMIN arrived
 *
 * Works with and without jemalloc: mallctl is found at run time or not at all.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_THREADS = 256, LINE_MAX_BYTES = 1024 };

extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));

struct worker {
	pthread_t thread;
	sem_t has_work;
	sem_t done;
	char work[64];
	char answer[128];
	void *memory;
	pid_t tid;
};

static struct worker workers[MAX_THREADS]; /* [0] is the main thread */
static int n_workers = 1;
static void *(*touch_tls)(void);
static atomic_bool vfork_may_end;
static atomic_uint n_signals;

static void count_signal(int sig)
{
	(void)sig;
	atomic_fetch_add(&n_signals, 1);
}

static uint64_t counter(const char *name)
{
	uint64_t value = 0;
	size_t n = sizeof(value);

	if (mallctl)
		mallctl(name, &value, &n, NULL, 0);
	return value;
}

static void answer_counters(struct worker *w)
{
	snprintf(w->answer, sizeof(w->answer), "%" PRIu64 " %" PRIu64, counter("thread.allocated"),
		 counter("thread.deallocated"));
}

static void answer_identity(struct worker *w)
{
	w->tid = (pid_t)syscall(SYS_gettid);
	snprintf(w->answer, sizeof(w->answer), "%d %#" PRIxPTR, (int)w->tid,
		 (uintptr_t)pthread_self());
}

static void run_vfork(void)
{
	/* The child shares our memory, and the kernel holds us until it is gone. */
	pid_t parent = getpid(), child = vfork();

	if (child == 0) {
		while (!atomic_load(&vfork_may_end) && getppid() == parent)
			usleep(1000);
		_exit(0);
	}
}

/* False when the thread is to end. */
static bool do_work(struct worker *w)
{
	size_t bytes;

	if (sscanf(w->work, "alloc %zu", &bytes) == 1) {
		w->memory = malloc(bytes);
		if (w->memory)
			memset(w->memory, 1, bytes);
		answer_counters(w);
	} else if (strcmp(w->work, "free") == 0) {
		free(w->memory);
		w->memory = NULL;
		answer_counters(w);
	} else if (strcmp(w->work, "count") == 0) {
		answer_counters(w);
	} else if (strcmp(w->work, "touch") == 0) {
		snprintf(w->answer, sizeof(w->answer), "%#" PRIxPTR,
			 touch_tls ? (uintptr_t)touch_tls() : 0);
	} else if (strcmp(w->work, "vfork") == 0) {
		sem_post(&w->done);
		run_vfork();
		return true;
	} else {
		snprintf(w->answer, sizeof(w->answer), "error: what is %s", w->work);
	}
	if (w != workers)
		sem_post(&w->done);
	return true;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;

	answer_identity(w);
	sem_post(&w->done);
	for (;;) {
		while (sem_wait(&w->has_work) != 0)
			;
		if (strcmp(w->work, "end") == 0)
			return NULL;
		do_work(w);
	}
}

static void wait_done(struct worker *w)
{
	while (sem_wait(&w->done) != 0)
		;
}

static const char *hand_out(int number, const char *work)
{
	struct worker *w = &workers[number];

	snprintf(w->work, sizeof(w->work), "%s", work);
	if (number == 0) {
		do_work(w);
		return w->answer;
	}
	snprintf(w->answer, sizeof(w->answer), "ok");
	sem_post(&w->has_work);
	if (strcmp(work, "end") == 0)
		pthread_join(w->thread, NULL);
	else
		wait_done(w);
	return w->answer;
}

static const char *start_worker(void)
{
	struct worker *w = &workers[n_workers];

	if (n_workers == MAX_THREADS)
		return "error: too many threads";
	sem_init(&w->has_work, 0, 0);
	sem_init(&w->done, 0, 0);
	if (pthread_create(&w->thread, NULL, worker_main, w) != 0)
		return "error: pthread_create";
	n_workers++;
	wait_done(w);
	return w->answer;
}

static int raw_main(void *arg)
{
	(void)arg;
	for (;;)
		syscall(SYS_pause);
	return 0;
}

static const char *start_raw(void)
{
	static char stack[64 << 10] __attribute__((aligned(64)));
	static char answer[32];
	int tid = clone(raw_main, stack + sizeof(stack),
			CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				CLONE_SYSVSEM,
			NULL);

	snprintf(answer, sizeof(answer), "%d", tid);
	return tid < 0 ? "error: clone" : answer;
}

static const char *load_library(const char *path)
{
#ifdef TARGET_STATIC
	(void)path;
	return "error: a static program loads nothing";
#else
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return "error: dlopen";
	touch_tls = (void *(*)(void))dlsym(handle, "touch_tls");
	return touch_tls ? "ok" : "error: no touch_tls";
#endif
}

static const char *obey(const char *line)
{
	static char answer[64];
	int number;
	char work[64];

	if (strcmp(line, "hello") == 0) {
		answer_identity(&workers[0]);
		return workers[0].answer;
	}
	if (strcmp(line, "start") == 0)
		return start_worker();
	if (sscanf(line, "on %d %63[^\n]", &number, work) == 2 && number >= 0 && number < n_workers)
		return hand_out(number, work);
	if (sscanf(line, "end %d", &number) == 1 && number > 0 && number < n_workers)
		return hand_out(number, "end");
	if (sscanf(line, "vfork %d", &number) == 1 && number > 0 && number < n_workers)
		return hand_out(number, "vfork");
	if (strcmp(line, "vfork-end") == 0) {
		atomic_store(&vfork_may_end, true);
		return "ok";
	}
	if (strcmp(line, "raw") == 0)
		return start_raw();
	if (strncmp(line, "dlopen ", 7) == 0)
		return load_library(line + 7);
	if (strcmp(line, "signals") == 0) {
		snprintf(answer, sizeof(answer), "%u", atomic_load(&n_signals));
		return answer;
	}
	return "error: unknown command";
}

/* Without stdio: its buffers would come out of the counted heap. */
int main(void)
{
	char line[LINE_MAX_BYTES];
	size_t n = 0;

	signal(SIGUSR1, count_signal);
	signal(SIGRTMIN, count_signal);
	for (;;) {
		ssize_t got = read(STDIN_FILENO, line + n, 1);
		const char *answer;

		if (got < 0)
			continue;
		if (got == 0 || n + 1 == sizeof(line))
			return 0;
		if (line[n] != '\n') {
			n++;
			continue;
		}
		line[n] = '\0';
		n = 0;
		answer = obey(line);
		if (write(STDOUT_FILENO, answer, strlen(answer)) < 0 ||
		    write(STDOUT_FILENO, "\n", 1) < 0)
			return 1;
	}
}
