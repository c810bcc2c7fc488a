// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/cleanup.h"

static void complain(struct strbuf *log, const char *what, const char *which)
{
	strbuf_appendf(log, "%s %s: %s\n", what, which, strerror(errno));
}

/* Files of the initramfs that a mount would hide. */
static bool holds_files(const char *where)
{
	_cleanup_dir_ DIR *dir = opendir(where);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			return true;
	return false;
}

static void mount_all(struct strbuf *log)
{
	static const struct {
		const char *type, *where, *options;
		unsigned long flags;
	} rows[] = {
		{ "proc", "/proc", NULL, MS_NOSUID | MS_NOEXEC | MS_NODEV },
		{ "sysfs", "/sys", NULL, MS_NOSUID | MS_NOEXEC | MS_NODEV },
		{ "devtmpfs", "/dev", "mode=0755", MS_NOSUID },
		{ "devpts", "/dev/pts", "gid=5,mode=0620,ptmxmode=0666", MS_NOSUID | MS_NOEXEC },
		{ "tmpfs", "/dev/shm", "mode=1777", MS_NOSUID | MS_NODEV },
		{ "tmpfs", "/tmp", "mode=1777", MS_NOSUID | MS_NODEV },
		{ "tmpfs", "/run", "mode=0755", MS_NOSUID | MS_NODEV },
		{ "cgroup2", "/sys/fs/cgroup", NULL, MS_NOSUID | MS_NOEXEC | MS_NODEV },
		{ "debugfs", "/sys/kernel/debug", NULL, MS_NOSUID | MS_NOEXEC | MS_NODEV },
		{ "tracefs", "/sys/kernel/tracing", NULL, MS_NOSUID | MS_NOEXEC | MS_NODEV },
		{ "bpf", "/sys/fs/bpf", "mode=0700", MS_NOSUID | MS_NOEXEC | MS_NODEV },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		mkdir(rows[i].where, 0755);
		/* The root is memory as well: what -i has put there stays to be seen. */
		if (strcmp(rows[i].type, "tmpfs") == 0 && holds_files(rows[i].where)) {
			if (strcmp(rows[i].options, "mode=1777") == 0 &&
			    chmod(rows[i].where, 01777) < 0)
				complain(log, "mode of", rows[i].where);
			continue;
		}
		/* EBUSY: the kernel has mounted devtmpfs itself. */
		if (mount(rows[i].type, rows[i].where, rows[i].type, rows[i].flags,
			  rows[i].options) < 0 &&
		    errno != EBUSY)
			complain(log, "mount", rows[i].where);
	}
}

static void link_devices(struct strbuf *log)
{
	static const char *const links[][2] = {
		{ "/proc/self/fd", "/dev/fd" },
		{ "/proc/self/fd/0", "/dev/stdin" },
		{ "/proc/self/fd/1", "/dev/stdout" },
		{ "/proc/self/fd/2", "/dev/stderr" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (symlink(links[i][0], links[i][1]) < 0 && errno != EEXIST)
			complain(log, "link", links[i][1]);
}

static void write_setting(struct strbuf *log, const char *path, const char *value)
{
	if (agent_machine_write(path, value))
		complain(log, "write", path);
}

static void loopback_up(struct strbuf *log)
{
	_cleanup_close_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_name = "lo" };

	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request) < 0) {
		complain(log, "interface", "lo");
		return;
	}
	request.ifr_flags |= IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		complain(log, "interface", "lo");
}

/* BPF programs lock memory, tests open many files, nobody collects cores. */
static void set_limits(struct strbuf *log)
{
	static const struct {
		int which;
		const char *name;
		struct rlimit value;
	} rows[] = {
		{ RLIMIT_NOFILE, "files", { 65536, 1048576 } },
		{ RLIMIT_MEMLOCK, "memlock", { RLIM_INFINITY, RLIM_INFINITY } },
		{ RLIMIT_NPROC, "processes", { RLIM_INFINITY, RLIM_INFINITY } },
		{ RLIMIT_CORE, "core", { 0, RLIM_INFINITY } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (setrlimit((__rlimit_resource_t)rows[i].which, &rows[i].value) < 0)
			complain(log, "limit", rows[i].name);
}

void agent_setup_machine(struct strbuf *log)
{
	umask(0);
	mount_all(log);
	umask(022);
	link_devices(log);
	agent_cgroup_enable_all("/sys/fs/cgroup");
	mkdir("/root", 0700);
	if (sethostname("ktstr", 5) < 0)
		complain(log, "name", "ktstr");
	loopback_up(log);
	set_limits(log);
	write_setting(log, "/proc/self/oom_score_adj", "-1000");
	/* Kernel messages during a test reach the console, also when the agent can answer no
	 * more. */
	write_setting(log, "/proc/sys/kernel/printk", "7");
	/* Compaction would carry the page with the nonce away from where the host looks. */
	write_setting(log, "/proc/sys/vm/compact_unevictable_allowed", "0");
}

bool agent_setup_cmdline_has(const char *cmdline, const char *word)
{
	size_t n = strlen(word);

	while (*cmdline) {
		cmdline += strspn(cmdline, " \n");
		if (strncmp(cmdline, word, n) == 0 && strchr(" \n=", cmdline[n]))
			return true;
		cmdline += strcspn(cmdline, " \n");
	}
	return false;
}
