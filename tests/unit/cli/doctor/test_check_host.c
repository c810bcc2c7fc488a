// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include <errno.h>

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

static void kernels_come_from_debian_with_keys(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_MACHINE(bpf_needs_permission_and_btf),
		IN_MACHINE(ptrace_depends_on_yama_and_capabilities),
		IN_MACHINE(cgroups_are_found_where_they_are_mounted),
		IN_MACHINE(kernels_come_from_debian_with_keys),
		cmocka_unit_test(bpf_of_this_machine_is_never_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
