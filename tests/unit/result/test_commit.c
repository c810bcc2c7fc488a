// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/run_record.h"

#include <stdlib.h>

#include "base/paths.h"
#include "run_sample.h"
#include "scratch.h"

#define FIRST  "1111111111111111111111111111111111111111"
#define SECOND "2222222222222222222222222222222222222222222222222222222222222222"

static void put(const struct scratch *s, const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", s->dir, name);
	_cleanup_free_ char *dir = xstrdup(path);

	*strrchr(dir, '/') = '\0';
	assert_success(paths_make(dir, 0755));
	assert_success(io_replace_file(path, text, strlen(text)));
}

static void assert_commit(const struct scratch *s, const char *file, const char *expected)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", s->dir, file), *commit = NULL;

	assert_success(result_commit_of(path, &commit));
	assert_string_equal(commit, expected);
}

static void assert_none(const struct scratch *s, const char *file, const char *tag)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", s->dir, file);
	char *commit = NULL;

	assert_error_tag(result_commit_of(path, &commit), tag);
	assert_null(commit);
}

static void a_branch_is_followed_to_its_commit(void **state)
{
	put(*state, "p/.git/HEAD", "ref: refs/heads/main\n");
	assert_none(*state, "p/build/tests", "absent");
	put(*state, "p/.git/packed-refs",
	    "# pack-refs with: peeled\n" SECOND " refs/heads/main\n^" FIRST "\n");
	assert_commit(*state, "p/build/tests", SECOND);
	put(*state, "p/.git/refs/heads/main", FIRST "\n");
	assert_commit(*state, "p/build/tests", FIRST);
	assert_commit(*state, "p/tests", FIRST);
}

static void a_commit_that_is_checked_out_is_taken(void **state)
{
	put(*state, "p/.git/HEAD", FIRST "\n");
	assert_commit(*state, "p/tests", FIRST);
	/* The innermost repository counts. */
	put(*state, "p/inner/.git/HEAD", SECOND "\n");
	assert_commit(*state, "p/inner/tests", SECOND);
}

static void a_worktree_points_to_its_repository(void **state)
{
	put(*state, "p/.git/refs/heads/topic", FIRST "\n");
	put(*state, "p/.git/worktrees/w/HEAD", "ref: refs/heads/topic\n");
	put(*state, "p/.git/worktrees/w/commondir", "../..\n");
	put(*state, "w/.git", "gitdir: ../p/.git/worktrees/w\n");
	assert_commit(*state, "w/tests", FIRST);
}

static void a_directory_without_git_has_no_commit(void **state)
{
	assert_none(*state, "nowhere/tests", "absent");
	put(*state, "p/.git/HEAD", "ref: ../../etc/passwd\n");
	assert_none(*state, "p/tests", "absent");
	put(*state, "p/.git/HEAD", "1111\n");
	assert_none(*state, "p/tests", "parse");
	put(*state, "p/.git/HEAD", "");
	assert_none(*state, "p/tests", "parse");
	put(*state, "q/.git", "rubbish\n");
	assert_none(*state, "q/tests", "absent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_SCRATCH(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
		IN_SCRATCH(a_branch_is_followed_to_its_commit),
		IN_SCRATCH(a_commit_that_is_checked_out_is_taken),
		IN_SCRATCH(a_worktree_points_to_its_repository),
		IN_SCRATCH(a_directory_without_git_has_no_commit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
