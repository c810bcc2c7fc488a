// SPDX-License-Identifier: GPL-2.0-or-later
/* What the instruments need on this host, where kernels come from, and room for them. */
#include "cli/doctor/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/paths.h"
#include "base/slice.h"
#include "procfs/cgroup.h"
#include "text/terminal.h"

enum { CAPABILITY_SYS_PTRACE = 19 };

/* A program that returns 0, of a kind that needs privilege as ours do. 0 or an errno. */
static int try_bpf(void)
{
	struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACEPOINT,
		.insns = (uintptr_t)program,
		.insn_cnt = ARRAY_SIZE(program),
		.license = (uintptr_t)"GPL",
	};
	long fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

void check_bpf_load(const char *root, int load_errno, struct finding *finding)
{
	_cleanup_strbuf_ struct strbuf unprivileged = STRBUF_INIT;

	if (load_errno == EPERM || load_errno == EACCES) {
		if (!check_read(root, "/proc/sys/kernel/unprivileged_bpf_disabled", &unprivileged))
			strbuf_append(&unprivileged, "unknown");
		finding_say(
			finding, CHECK_LIMITED,
			"programs may not be loaded (no CAP_BPF and CAP_PERFMON; unprivileged_bpf_disabled is %.*s): the host's tasks are read from /proc",
			(int)strcspn(strbuf_str(&unprivileged), "\n"), strbuf_str(&unprivileged));
		finding_fix_as_root(finding, "setcap cap_bpf,cap_perfmon=ep $(command -v ktstr)");
	} else if (load_errno) {
		finding_say(finding, CHECK_LIMITED,
			    "the kernel refuses programs: %s; the host's tasks are read from /proc",
			    strerror(load_errno));
	} else if (!check_exists(root, "/sys/kernel/btf/vmlinux")) {
		finding_say(
			finding, CHECK_LIMITED,
			"programs can be loaded, but the kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	} else {
		finding_say(finding, CHECK_OK, "programs can be loaded, the kernel has BTF");
	}
}

void check_bpf(const char *root, struct finding *finding)
{
	check_bpf_load(root, try_bpf(), finding);
}

static bool has_capability(const char *root, unsigned int number)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	unsigned long long effective;
	const char *line;

	if (!check_read(root, "/proc/self/status", &text))
		return false;
	line = strstr(strbuf_str(&text), "\nCapEff:");
	return line && sscanf(line, "\nCapEff: %llx", &effective) == 1 && effective >> number & 1;
}

void check_ptrace(const char *root, struct finding *finding)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	bool capable = has_capability(root, CAPABILITY_SYS_PTRACE);
	char scope = '0';

	if (check_read(root, "/proc/sys/kernel/yama/ptrace_scope", &text))
		scope = strbuf_str(&text)[0];
	if (scope == '3') {
		finding_say(
			finding, CHECK_LIMITED,
			"Yama forbids it to everybody until the next boot (ptrace_scope is 3): no process can be probed");
		return;
	}
	if (capable) {
		finding_say(finding, CHECK_OK, "every process can be probed (CAP_SYS_PTRACE)");
	} else if (scope == '0') {
		finding_say(finding, CHECK_OK, "your own processes can be probed");
	} else {
		finding_say(
			finding, CHECK_LIMITED,
			"Yama allows children only (ptrace_scope is %c): other processes cannot be probed",
			scope);
		finding_fix_as_root(finding, "sysctl kernel.yama.ptrace_scope=0");
	}
}

void check_cgroup(const char *root, struct finding *finding)
{
	static const char *const wanted[] = { "cpu", "cpuset", "io", "memory", "pids" };
	_cleanup_strbuf_ struct strbuf controllers = STRBUF_INIT, absent = STRBUF_INIT;
	_cleanup_procfs_cgroup_mount_ struct procfs_cgroup_mount mount = { 0 };
	_cleanup_free_ char *path = NULL;
	const char *place;

	procfs_cgroup_mount_find(root, &mount);
	if (!mount.path) {
		finding_say(
			finding, CHECK_LIMITED,
			"version 2 is not mounted; guests have their own, those of this host cannot be read");
		finding_fix_as_root(finding, "mount -t cgroup2 none /sys/fs/cgroup");
		return;
	}
	place = mount.path + strlen(root);
	path = xasprintf("%s/cgroup.controllers", place);
	check_read(root, path, &controllers);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!check_has_word(slice_of(strbuf_str(&controllers)), wanted[i]))
			strbuf_appendf(&absent, "%s%s", absent.n ? ", " : "", wanted[i]);
	}
	if (!absent.n) {
		finding_say(finding, CHECK_OK, "version 2 at %s with all controllers", place);
		return;
	}
	/* At another place the controllers are tied up in version 1. */
	finding_say(finding, CHECK_LIMITED,
		    "version 2 at %s lacks %s on this host%s; guests have their own", place,
		    strbuf_str(&absent),
		    strcmp(place, "/sys/fs/cgroup") == 0
			    ? ""
			    : " (boot with systemd.unified_cgroup_hierarchy=1 to have them)");
}

static bool has_keys(const char *root)
{
	_cleanup_free_ char *trusted = xasprintf("%s/etc/apt/trusted.gpg.d", root);
	_cleanup_dir_ DIR *dir = NULL;
	struct dirent *entry;

	if (check_exists(root, "/usr/share/keyrings/debian-archive-keyring.gpg") ||
	    check_exists(root, "/usr/share/keyrings/debian-archive-keyring.pgp"))
		return true;
	dir = opendir(trusted);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			return true;
	}
	return false;
}

void check_apt(const char *root, struct finding *finding)
{
	_cleanup_free_ char *id = check_os_release(root, "ID");
	_cleanup_free_ char *name = check_os_release(root, "PRETTY_NAME");

	if (!check_exists(root, "/usr/bin/apt-get") || !id || strcmp(id, "debian") != 0) {
		finding_say(finding, CHECK_LIMITED,
			    "this is %s, not Debian: kernels cannot be fetched, only added",
			    name ? name : "an unknown system");
		finding_fix(finding, "ktstr kernel add /boot/vmlinuz-$(uname -r)");
		return;
	}
	if (!has_keys(root)) {
		finding_say(finding, CHECK_MISSING,
			    "%s without the archive's keys: nothing fetched could be verified",
			    name ? name : "Debian");
		finding_fix_as_root(finding, "apt-get install debian-archive-keyring");
		return;
	}
	finding_say(finding, CHECK_OK, "%s, with the archive's keys", name ? name : "Debian");
}

/* A kernel takes about 100 MB and a template as much or more. */
#define ENOUGH_BYTES (UINT64_C(2) << 30)

/* The directory itself or the nearest one above that exists. */
static char *nearest(const char *path)
{
	_cleanup_free_ char *at = xstrdup(path);

	while (access(at, F_OK) < 0 && strrchr(at, '/') > at)
		*strrchr(at, '/') = 0;
	return access(at, F_OK) == 0 ? take_ptr(at) : xstrdup("/");
}

void check_cache(const char *root UNUSED, struct finding *finding)
{
	_cleanup_free_ char *path = paths_cache("");
	_cleanup_free_ char *there = nearest(path);
	_cleanup_strbuf_ struct strbuf used = STRBUF_INIT, left = STRBUF_INIT;
	struct statvfs fs;
	uint64_t free_bytes;

	if (access(there, W_OK | X_OK) < 0) {
		finding_say(finding, CHECK_MISSING, "%s cannot be used: %s may not be written",
			    path, there);
		/* Below HOME is where it looked by itself. */
		finding_fix(finding, "%s",
			    getenv("KTSTR_CACHE_DIR") || getenv("XDG_CACHE_HOME")
				    ? "export KTSTR_CACHE_DIR=$HOME/.cache/ktstr"
				    : "export KTSTR_CACHE_DIR=$(mktemp -d /var/tmp/ktstr-XXXXXX)");
		return;
	}
	if (statvfs(there, &fs) < 0) {
		finding_say(finding, CHECK_MISSING, "%s: %s", there, strerror(errno));
		return;
	}
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	text_format_bytes(&used, paths_disk_bytes(path));
	text_format_bytes(&left, free_bytes);
	if (free_bytes >= ENOUGH_BYTES) {
		finding_say(finding, CHECK_OK, "%s in %s, %s free", strbuf_str(&used), path,
			    strbuf_str(&left));
		return;
	}
	finding_say(finding, CHECK_LIMITED, "%s in %s, only %s free: templates may not fit",
		    strbuf_str(&used), path, strbuf_str(&left));
	finding_fix(finding, "rm -r %s/templates", path);
}

void check_shm(const char *root, struct finding *finding)
{
	_cleanup_free_ char *path = xasprintf("%s/dev/shm", root);
	_cleanup_strbuf_ struct strbuf size = STRBUF_INIT;
	struct statvfs fs;

	if (statvfs(path, &fs) < 0) {
		finding_say(finding, CHECK_OK, "there is no /dev/shm; nothing depends on it");
		return;
	}
	text_format_bytes(&size, (uint64_t)fs.f_blocks * fs.f_frsize);
	finding_say(finding, CHECK_OK, "%s; nothing depends on its size", strbuf_str(&size));
}
