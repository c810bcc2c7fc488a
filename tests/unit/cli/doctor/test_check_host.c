// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

static void loaded(const char *root, struct finding *finding)
{
	check_bpf_load(root, 0, finding);
}

static void forbidden(const char *root, struct finding *finding)
{
	check_bpf_load(root, EPERM, finding);
}

static void unknown_call(const char *root, struct finding *finding)
{
	check_bpf_load(root, ENOSYS, finding);
}

static void bpf_needs_permission_and_btf(void **state)
{
	struct machine *m = *state;

	expect(m, unknown_call, CHECK_LIMITED, "Function not implemented", NULL);
	expect(m, forbidden, CHECK_LIMITED, "unprivileged_bpf_disabled is unknown", "setcap");
	put(m, "/proc/sys/kernel/unprivileged_bpf_disabled", "2\n");
	expect(m, forbidden, CHECK_LIMITED, "unprivileged_bpf_disabled is 2)", "setcap");
	expect(m, loaded, CHECK_LIMITED, "no BTF", NULL);
	put(m, "/sys/kernel/btf/vmlinux", "");
	expect(m, loaded, CHECK_OK, "the kernel has BTF", NULL);
}

static void scope_is(const struct machine *m, const char *scope, const char *capabilities)
{
	_cleanup_free_ char *status = xasprintf("Name:\tx\nCapPrm:\t00\nCapEff:\t%s\nCapBnd:\t0\n",
						capabilities);

	put(m, "/proc/sys/kernel/yama/ptrace_scope", scope);
	put(m, "/proc/self/status", status);
}

static void ptrace_depends_on_yama_and_capabilities(void **state)
{
	struct machine *m = *state;

	/* Without Yama. */
	expect(m, check_ptrace, CHECK_OK, "your own processes", NULL);
	scope_is(m, "0\n", "0000000000000000");
	expect(m, check_ptrace, CHECK_OK, "your own processes", NULL);
	scope_is(m, "1\n", "0000000000000000");
	expect(m, check_ptrace, CHECK_LIMITED, "ptrace_scope is 1",
	       "sysctl kernel.yama.ptrace_scope=0");
	/* Every capability but the one. */
	scope_is(m, "2\n", "000001fffff7ffff");
	expect(m, check_ptrace, CHECK_LIMITED, "ptrace_scope is 2", "sysctl");
	scope_is(m, "2\n", "0000000000080000");
	expect(m, check_ptrace, CHECK_OK, "every process", NULL);
	scope_is(m, "3\n", "000001ffffffffff");
	expect(m, check_ptrace, CHECK_LIMITED, "until the next boot", NULL);
}

static void cgroups_are_found_where_they_are_mounted(void **state)
{
	struct machine *m = *state;

	expect(m, check_cgroup, CHECK_LIMITED, "not mounted", "mount -t cgroup2");
	put(m, "/proc/self/mountinfo",
	    "30 1 0:26 / /odd rw - ext4 cgroup2 rw\n31 1 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw\n");
	expect(m, check_cgroup, CHECK_LIMITED, "not mounted", "mount -t cgroup2");
	put(m, "/proc/self/mountinfo",
	    "30 1 0:26 / /proc rw - proc proc rw\n31 1 0:27 / /sys/fs/cgroup/unified rw - cgroup2 x rw\n");
	expect(m, check_cgroup, CHECK_LIMITED,
	       "/sys/fs/cgroup/unified lacks cpu, cpuset, io, memory, pids on this host (boot with",
	       NULL);
	put(m, "/proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 x rw\n");
	put(m, "/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io hugetlb pids\n");
	expect(m, check_cgroup, CHECK_LIMITED, "lacks memory on", NULL);
	put(m, "/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory hugetlb pids rdma\n");
	expect(m, check_cgroup, CHECK_OK, "with all controllers", NULL);
}

static void the_apt_check_wants_debian_and_its_keyring(void **state)
{
	struct machine *m = *state;

	expect(m, check_apt, CHECK_LIMITED, "an unknown system", "ktstr kernel add");
	put(m, "/etc/os-release", "ID=fedora\nPRETTY_NAME=\"Fedora 1\"\n");
	put(m, "/usr/bin/apt-get", "");
	expect(m, check_apt, CHECK_LIMITED, "Fedora 1, not Debian", "ktstr kernel add");
	put(m, "/etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian 1\"\n");
	expect(m, check_apt, CHECK_MISSING, "Debian 1 without", "debian-archive-keyring");
	put(m, "/usr/share/keyrings/debian-archive-keyring.gpg", "");
	expect(m, check_apt, CHECK_OK, "Debian 1, with", NULL);
}

static void bpf_of_this_machine_is_never_missing(void **state UNUSED)
{
	_cleanup_finding_ struct finding finding = { .state = CHECK_MISSING };

	check_bpf("", &finding);
	assert_int_not_equal(finding.state, CHECK_MISSING);
}

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

/* A loop of directories cannot be, but a link back can. */
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

/* Told to use the directory that was just refused, nobody gets anywhere. */
static void the_fix_for_an_unwritable_home_is_another_directory(void **state)
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

static void the_shm_check_always_passes(void **state)
{
	struct machine *m = *state;

	expect(m, check_shm, CHECK_OK, "there is no /dev/shm", NULL);
	put(m, "/dev/shm/x", "");
	expect(m, check_shm, CHECK_OK, "nothing depends on its size", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_MACHINE(bpf_needs_permission_and_btf),
		IN_MACHINE(ptrace_depends_on_yama_and_capabilities),
		IN_MACHINE(cgroups_are_found_where_they_are_mounted),
		IN_MACHINE(the_apt_check_wants_debian_and_its_keyring),
		cmocka_unit_test(bpf_of_this_machine_is_never_missing),
		IN_MACHINE(the_cache_counts_what_it_occupies),
		IN_MACHINE(a_cache_that_is_not_there_yet_is_fine),
		IN_MACHINE(links_are_not_counted),
		IN_MACHINE(a_cache_that_may_not_be_written_is_missing),
		IN_MACHINE(the_fix_for_an_unwritable_home_is_another_directory),
		IN_MACHINE(the_shm_check_always_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
