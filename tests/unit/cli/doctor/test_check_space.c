// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

/* Sparse files count as much as they occupy. */
static void the_cache_counts_what_it_occupies(void **state)
{
	struct machine *m = *state;
	_cleanup_free_ char *sparse = xasprintf("%s/templates/a/ram.0", m->root);
	_cleanup_free_ char *full = xcalloc(1, (3 << 20) + 1);
	_cleanup_finding_ struct finding finding = { 0 };

	memset(full, 'x', 3 << 20);
	put(m, "/kernels/k/bzImage", full);
	put(m, "/templates/a/ram.0", "");
	assert_int_equal(truncate(sparse, 1 << 30), 0);
	setenv("KTSTR_CACHE_DIR", m->root, 1);
	check_cache("", &finding);
	unsetenv("KTSTR_CACHE_DIR");
	assert_contains(strbuf_str(&finding.text), "3.0 MiB in ");
	assert_contains(strbuf_str(&finding.text), m->root);
	assert_contains(strbuf_str(&finding.text), " free");
	if (finding.state == CHECK_LIMITED)
		assert_contains(strbuf_str(&finding.fix), "/templates");
	else
		assert_int_equal(finding.state, CHECK_OK);
}

static void a_cache_that_is_not_there_yet_is_fine(void **state)
{
	struct machine *m = *state;
	_cleanup_free_ char *path = xasprintf("%s/not/there/yet", m->root);
	_cleanup_finding_ struct finding finding = { 0 };

	setenv("KTSTR_CACHE_DIR", path, 1);
	check_cache("", &finding);
	unsetenv("KTSTR_CACHE_DIR");
	assert_int_not_equal(finding.state, CHECK_MISSING);
	assert_contains(strbuf_str(&finding.text), "0 B in ");
}

/* A loop of folders cannot be, but a link back can. */
static void links_are_not_counted(void **state)
{
	struct machine *m = *state;
	_cleanup_free_ char *link = xasprintf("%s/a/up", m->root);
	_cleanup_finding_ struct finding finding = { 0 };

	put(m, "/a/file", "");
	assert_int_equal(symlink(m->root, link), 0);
	setenv("KTSTR_CACHE_DIR", m->root, 1);
	check_cache("", &finding);
	unsetenv("KTSTR_CACHE_DIR");
	assert_contains(strbuf_str(&finding.text), " in ");
}

/* Root may write everywhere, so somebody else looks. */
static void a_cache_that_may_not_be_written_is_missing(void **state)
{
	struct machine *m = *state;
	_cleanup_free_ char *path = xasprintf("%s/cache", m->root);
	int status = -1;
	pid_t pid;

	assert_int_equal(chmod(m->root, 0555), 0);
	setenv("KTSTR_CACHE_DIR", path, 1);
	pid = fork();
	if (pid == 0) {
		struct finding finding = { 0 };

		if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
			_exit(1);
		check_cache("", &finding);
		_exit(finding.state == CHECK_MISSING &&
				      strstr(strbuf_str(&finding.text), "may not be written") &&
				      strstr(strbuf_str(&finding.fix), "KTSTR_CACHE_DIR=")
			      ? 0
			      : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	unsetenv("KTSTR_CACHE_DIR");
	chmod(m->root, 0755);
	assert_int_equal(status, 0);
}

/* Told to use the folder that was just refused, nobody gets anywhere. */
static void a_home_that_may_not_be_written_is_not_its_own_remedy(void **state)
{
	struct machine *m = *state;
	int status = -1;
	pid_t pid;

	assert_int_equal(chmod(m->root, 0555), 0);
	pid = fork();
	if (pid == 0) {
		struct finding finding = { 0 };

		unsetenv("KTSTR_CACHE_DIR");
		unsetenv("XDG_CACHE_HOME");
		setenv("HOME", m->root, 1);
		if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
			_exit(1);
		check_cache("", &finding);
		_exit(finding.state == CHECK_MISSING &&
				      strstr(strbuf_str(&finding.text),
					     "/.cache/ktstr cannot be used") &&
				      strstr(strbuf_str(&finding.fix), "KTSTR_CACHE_DIR=") &&
				      !strstr(strbuf_str(&finding.fix), "$HOME")
			      ? 0
			      : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	chmod(m->root, 0755);
	assert_int_equal(status, 0);
}

static void shm_is_never_a_problem(void **state)
{
	struct machine *m = *state;

	expect(m, check_shm, CHECK_OK, "there is no /dev/shm", NULL);
	put(m, "/dev/shm/x", "");
	expect(m, check_shm, CHECK_OK, "nothing depends on its size", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_MACHINE(the_cache_counts_what_it_occupies),
		IN_MACHINE(a_cache_that_is_not_there_yet_is_fine),
		IN_MACHINE(links_are_not_counted),
		IN_MACHINE(a_cache_that_may_not_be_written_is_missing),
		IN_MACHINE(a_home_that_may_not_be_written_is_not_its_own_remedy),
		IN_MACHINE(shm_is_never_a_problem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
