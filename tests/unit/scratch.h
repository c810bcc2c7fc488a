/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory of its own for each test, emptied afterwards. */
#ifndef KTSTR_TESTS_RESULT_SCRATCH_H
#define KTSTR_TESTS_RESULT_SCRATCH_H

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "unit.h"

struct scratch {
	char dir[32];
	char *file;
	char *lock;
};

static inline int make_scratch(void **state)
{
	struct scratch *s = xnew(struct scratch);

	strcpy(s->dir, "/tmp/ktstr-result-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	s->file = xasprintf("%s/t.ktstr.json", s->dir);
	s->lock = xasprintf("%s/t.ktstr.json.lock", s->dir);
	*state = s;
	return 0;
}

static inline int remove_scratch(void **state)
{
	struct scratch *s = *state;
	_cleanup_dir_ DIR *d = opendir(s->dir);
	struct dirent *entry;

	chmod(s->dir, 0700);
	while (d && (entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	rmdir(s->dir);
	free(s->file);
	free(s->lock);
	free(s);
	return 0;
}

static inline int count_entries(const char *dir)
{
	_cleanup_dir_ DIR *d = opendir(dir);
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	return n - 2;
}

/* Runs it in a child and gives the exit code, or -1 when a signal ended it. */
static inline int in_child(int (*run)(void *), void *argument)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(run(argument));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define scratch_test(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

#endif
