/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target with a real jemalloc, in the ways programs come with it. */
#ifndef KTSTR_TESTS_PROBE_JEMALLOC_TARGET_H
#define KTSTR_TESTS_PROBE_JEMALLOC_TARGET_H

#include <glob.h>
#include <limits.h>

#include "base/alloc.h"
#include "probe/probe.h"
#include "target.h"

#define skip_without_jemalloc() \
	skip_unless(getenv("KTSTR_JEMALLOC_TARGET"), "needs the jemalloc that set-up builds")

/* A library under build/deps/jemalloc, or NULL; good until the next call. */
static inline const char *jemalloc_library(const char *pattern)
{
	static char found[PATH_MAX];
	_cleanup_free_ char *full = xasprintf("%s/%s", getenv("KTSTR_JEMALLOC_DIR"), pattern);
	glob_t names;

	found[0] = '\0';
	/* As the kernel will name it. */
	if (glob(full, 0, NULL, &names) == 0 && !realpath(names.gl_pathv[0], found))
		found[0] = '\0';
	globfree(&names);
	return found[0] ? found : NULL;
}

static inline struct target target_with_library(const char *library)
{
	struct target t = target_start_as(target_path("KTSTR_TARGET"), library);

	target_ask(&t, "hello");
	return t;
}

/* A copy of the static target with less in it; the caller removes the file. */
static inline char *stripped_copy(const char *option)
{
	char *path = xstrdup("/tmp/ktstr-target-XXXXXX");
	_cleanup_free_ char *command = NULL;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	command = xasprintf("strip %s -o %s %s && chmod 755 %s", option, path,
			    target_path("KTSTR_JEMALLOC_TARGET"), path);
	assert_int_equal(system(command), 0);
	return path;
}

static inline struct probe *attach_to(const struct target *t, enum probe_stop_policy stop)
{
	struct probe_options options = { .stop = stop };
	struct probe *probe = NULL;

	assert_success(probe_attach(t->pid, &options, &probe));
	return probe;
}

static inline const struct probe_thread *find_thread(const struct probe_snapshot *snapshot,
						     pid_t tid)
{
	for (size_t i = 0; i < snapshot->n_threads; i++)
		if (snapshot->threads[i].tid == tid)
			return &snapshot->threads[i];
	return NULL;
}

/* What jemalloc itself said is what must come out. */
static inline void assert_thread(const struct probe_snapshot *snapshot, pid_t tid,
				 struct target_counters expected)
{
	const struct probe_thread *thread = find_thread(snapshot, tid);

	if (!thread)
		fail_msg("thread %d is not in the snapshot", (int)tid);
	if (thread->error)
		fail_msg("[%s] %s", error_tag(thread->error), error_message(thread->error));
	assert_int_equal(thread->allocated_bytes, expected.allocated);
	assert_int_equal(thread->deallocated_bytes, expected.deallocated);
}

#endif
