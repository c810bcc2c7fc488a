/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Talks to probe-target (target.c): one line to it, one line back. */
#ifndef KTSTR_TESTS_PROBE_TARGET_H
#define KTSTR_TESTS_PROBE_TARGET_H

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

struct target {
	pid_t pid;
	int to;
	int from;
};

struct target_thread {
	pid_t tid;
	uint64_t pointer; /* pthread_self() */
};

struct target_counters {
	uint64_t allocated;
	uint64_t deallocated;
};

static inline const char *target_path(const char *variable)
{
	const char *path = getenv(variable);

	if (!path || access(path, X_OK) != 0)
		fail_msg("%s does not name a program: run the test through meson", variable);
	return path;
}

/* `preload` may be NULL. */
static inline struct target target_start_as(const char *path, const char *preload)
{
	int to[2], from[2];
	struct target t;

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	t.pid = fork();
	assert_true(t.pid >= 0);
	if (t.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		unsetenv("LD_PRELOAD");
		if (preload)
			setenv("LD_PRELOAD", preload, 1);
		execl(path, "probe-target", (char *)NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	t.to = to[1];
	t.from = from[0];
	return t;
}

/* The answer, good until the next call. */
static inline PRINTF_LIKE(2, 3) const char *target_ask(const struct target *t, const char *fmt, ...)
{
	static char line[512];
	size_t n = 0;
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(line, sizeof(line) - 1, fmt, args);
	va_end(args);
	line[length] = '\n';
	assert_int_equal(write(t->to, line, (size_t)length + 1), length + 1);
	while (n + 1 < sizeof(line)) {
		ssize_t got = read(t->from, line + n, 1);

		if (got != 1)
			fail_msg("the target ended");
		if (line[n] == '\n')
			break;
		n++;
	}
	line[n] = '\0';
	if (strncmp(line, "error", 5) == 0)
		fail_msg("target: %s", line);
	return line;
}

static inline uint64_t target_number(const char **at)
{
	char *end;
	uint64_t value = strtoull(*at, &end, 0);

	if (end == *at)
		fail_msg("target: no number in \"%s\"", *at);
	*at = end;
	return value;
}

static inline struct target_thread target_thread_of(const char *answer)
{
	struct target_thread thread;

	thread.tid = (pid_t)target_number(&answer);
	thread.pointer = target_number(&answer);
	return thread;
}

static inline struct target_thread target_new_thread(const struct target *t)
{
	return target_thread_of(target_ask(t, "start"));
}

static inline struct target_counters target_counters_of(const char *answer)
{
	struct target_counters counters;

	counters.allocated = target_number(&answer);
	counters.deallocated = target_number(&answer);
	return counters;
}

static inline struct target target_start(const char *variable)
{
	struct target t = target_start_as(target_path(variable), NULL);

	target_ask(&t, "hello");
	return t;
}

static inline void target_end(struct target *t)
{
	close(t->to);
	close(t->from);
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
}

/* One field of /proc/PID/task/TID/status, such as "State" or "TracerPid"; its first word. */
static inline const char *thread_status(pid_t pid, pid_t tid, const char *field)
{
	static char word[64];
	char path[64], line[256];
	size_t n = strlen(field);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	f = fopen(path, "re");
	word[0] = '\0';
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, field, n) == 0 && line[n] == ':')
			sscanf(line + n + 1, "%63s", word);
	if (f)
		fclose(f);
	return word;
}

/* Waits for a field to get a value, at most five seconds. */
static inline void wait_for_status(pid_t pid, pid_t tid, const char *field, const char *value)
{
	for (int i = 0; i < 5000; i++) {
		if (strcmp(thread_status(pid, tid, field), value) == 0)
			return;
		usleep(1000);
	}
	fail_msg("%s of thread %d is \"%s\", expected \"%s\"", field, (int)tid,
		 thread_status(pid, tid, field), value);
}

static inline void wait_until_gone(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, (int)tid);
	for (int i = 0; i < 5000 && access(path, F_OK) == 0; i++)
		usleep(1000);
	assert_int_not_equal(access(path, F_OK), 0);
}

#endif
