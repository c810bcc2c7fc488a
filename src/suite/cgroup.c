// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/system.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/io.h"

/* Controllers one by one: a refused one would take the other with it. */
static void hand_down(int dir_fd, uint64_t limit_ms)
{
	error_free(suite_bounded_write(dir_fd, "cgroup.subtree_control", "+cpuset", "cpuset",
				       limit_ms));
	error_free(suite_bounded_write(dir_fd, "cgroup.subtree_control", "+cpu", "cpu", limit_ms));
}

static int open_dir(int dir_fd, const char *name)
{
	return openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

struct error *suite_cgroup_open(int subtree_fd, const char *name, int *ret_fd)
{
	int fd = open_dir(subtree_fd, name);

	if (fd < 0)
		return base_error(errno == ENOENT ? BASE_ABSENT : BASE_IO, errno, "cgroup %s",
				  name);
	*ret_fd = fd;
	return NULL;
}

/* A test that was killed left it; what runs there is another test of this machine. */
static struct error *clear_old(const char *root, int root_fd, uint64_t limit_ms)
{
	_cleanup_close_ int old = open_dir(root_fd, SUITE_CGROUP_SUBTREE);
	struct suite_cgroup_pids pids = { 0 };
	pid_t first;

	if (old < 0)
		return NULL;
	suite_cgroup_list(old, &pids);
	first = pids.rows.n ? pids.rows.at[0] : 0;
	vec_deinit(&pids.rows);
	if (first)
		return base_error(BASE_IO, EBUSY, "%s/%s: process %d is still in it", root,
				  SUITE_CGROUP_SUBTREE, first);
	return suite_cgroup_subtree_remove(root, old, limit_ms);
}

struct error *suite_cgroup_subtree_make(const char *root, bool controllers, uint64_t limit_ms,
					int *ret_fd)
{
	_cleanup_close_ int root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
	struct error *err;

	if (root_fd < 0 || faccessat(root_fd, "cgroup.controllers", F_OK, 0) < 0) {
		*ret_fd = -1;
		return NULL;
	}
	err = clear_old(root, root_fd, limit_ms);
	if (err)
		return err;
	if (controllers)
		hand_down(root_fd, limit_ms);
	err = suite_bounded_mkdir(root_fd, SUITE_CGROUP_SUBTREE, "cgroup " SUITE_CGROUP_SUBTREE,
				  limit_ms);
	if (err)
		return err;
	fd = open_dir(root_fd, SUITE_CGROUP_SUBTREE);
	if (fd < 0)
		return base_error(BASE_IO, errno, "cgroup " SUITE_CGROUP_SUBTREE);
	if (controllers)
		hand_down(fd, limit_ms);
	err = suite_bounded_mkdir(fd, SUITE_CGROUP_OWN, "cgroup " SUITE_CGROUP_OWN, limit_ms);
	if (err)
		return err;
	*ret_fd = take_fd(fd);
	return NULL;
}

struct error *suite_cgroup_make(int subtree_fd, const char *name, const struct topo_cpuset *cpus,
				uint64_t limit_ms)
{
	_cleanup_free_ char *label = xasprintf("cgroup %s", name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_close_ int fd = -1;
	struct error *err = suite_bounded_mkdir(subtree_fd, name, label, limit_ms);

	if (!err && cpus)
		err = suite_cgroup_open(subtree_fd, name, &fd);
	if (err || !cpus)
		return err;
	topo_cpuset_format(cpus, &text);
	return error_wrap(
		suite_bounded_write(fd, "cpuset.cpus", strbuf_str(&text), "cpuset.cpus", limit_ms),
		"cgroup %s: CPUs %s", name, strbuf_str(&text));
}

static struct error *read_at(int dir_fd, const char *file, size_t limit, struct strbuf *into)
{
	_cleanup_close_ int fd = openat(dir_fd, file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return base_error(BASE_IO, errno, "%s", file);
	return io_read_fd(fd, file, limit, into);
}

struct error *suite_cgroup_read_cpus(int subtree_fd, const char *name, struct topo_cpuset *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_close_ int fd = -1;
	struct error *err = suite_cgroup_open(subtree_fd, name, &fd);

	if (!err)
		err = read_at(fd, "cpuset.cpus.effective", SUITE_LIMIT_SYSFS, &text);
	if (!err)
		err = topo_cpuset_parse(strbuf_str(&text), text.n, ret);
	return error_wrap(err, "cgroup %s", name);
}

/* Calls for every directory below, the deepest first, at most so deep and so many. */
typedef void dir_fn(int parent_fd, const char *name, int fd, void *arg);

static void walk(int dir_fd, int depth, unsigned int *left, dir_fn *call, void *arg)
{
	/* A second open file: closedir() closes it, and its position is its own. */
	int again = open_dir(dir_fd, ".");
	_cleanup_dir_ DIR *dir = again < 0 ? NULL : fdopendir(again);
	const struct dirent *entry;

	while (dir && *left && (entry = readdir(dir))) {
		_cleanup_close_ int fd = -1;

		if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		--*left;
		fd = open_dir(dir_fd, entry->d_name);
		if (fd < 0)
			continue;
		if (depth < SUITE_LIMIT_CGROUP_DEPTH)
			walk(fd, depth + 1, left, call, arg);
		call(dir_fd, entry->d_name, fd, arg);
	}
}

static void add_pids(int dir_fd, struct suite_cgroup_pids *pids)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char *at, *line, *rest = NULL;

	error_free(read_at(dir_fd, "cgroup.procs", SUITE_LIMIT_PIDS_BYTES, &text));
	for (at = text.at; text.at && (line = strtok_r(at, "\n", &rest)); at = NULL)
		if (atoi(line) > 0)
			vec_push(&pids->rows, atoi(line));
}

static void list_one(int parent_fd UNUSED, const char *name UNUSED, int fd, void *arg)
{
	add_pids(fd, arg);
}

void suite_cgroup_list(int subtree_fd, struct suite_cgroup_pids *ret)
{
	unsigned int left = SUITE_LIMIT_CGROUPS;
	struct suite_cgroup_pids pids = { 0 };

	add_pids(subtree_fd, &pids);
	walk(subtree_fd, 0, &left, list_one, &pids);
	*ret = pids;
}

struct error *suite_cgroup_kill(int subtree_fd, uint64_t limit_ms)
{
	return suite_bounded_write(subtree_fd, "cgroup.kill", "1", "cgroup.kill", limit_ms);
}

struct removal {
	uint64_t limit_ms;
	struct error *err; /* the first */
};

static void remove_one(int parent_fd, const char *name, int fd UNUSED, void *arg)
{
	struct removal *removal = arg;
	_cleanup_free_ char *label = xasprintf("removing cgroup %s", name);

	/* One that hangs is enough: each would cost its limit. */
	if (!removal->err)
		removal->err = suite_bounded_rmdir(parent_fd, name, label, removal->limit_ms);
}

struct error *suite_cgroup_subtree_remove(const char *root, int subtree_fd, uint64_t limit_ms)
{
	_cleanup_close_ int root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned int left = SUITE_LIMIT_CGROUPS;
	struct removal removal = { .limit_ms = limit_ms };

	if (root_fd < 0)
		return base_error(BASE_IO, errno, "%s", root);
	walk(subtree_fd, 0, &left, remove_one, &removal);
	if (removal.err)
		return removal.err;
	return suite_bounded_rmdir(root_fd, SUITE_CGROUP_SUBTREE,
				   "removing cgroup " SUITE_CGROUP_SUBTREE, limit_ms);
}

struct call {
	int dir_fd;
	const char *name, *text;
	int (*make)(const struct call *call); /* 0, or errno; in a child unless at once */
};

static int make_write(const struct call *call)
{
	_cleanup_close_ int fd = openat(call->dir_fd, call->name, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(call->text);

	if (fd < 0)
		return errno;
	return write(fd, call->text, n) == (ssize_t)n ? 0 : errno ? errno : EIO;
}

static int make_mkdir(const struct call *call)
{
	return mkdirat(call->dir_fd, call->name, 0755) == 0 ? 0 : errno;
}

static int make_rmdir(const struct call *call)
{
	return unlinkat(call->dir_fd, call->name, AT_REMOVEDIR) == 0 ? 0 : errno;
}

/* True when fd became readable or was closed before the deadline. */
static bool wait_for(int fd, uint64_t deadline_ns)
{
	for (;;) {
		struct pollfd one = { .fd = fd, .events = POLLIN };
		uint64_t now = clock_monotonic_ns();
		int n;

		if (now >= deadline_ns)
			return false;
		n = poll(&one, 1, (int)((deadline_ns - now) / NS_PER_MS) + 1);
		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
	}
}

static struct error *bounded(const struct call *call, const char *label, uint64_t limit_ms)
{
	uint64_t deadline = clock_monotonic_ns() + limit_ms * NS_PER_MS;
	_cleanup_close_ int from = -1;
	int ends[2], errnum = ECHILD;
	pid_t pid;

	if (limit_ms == SUITE_BOUNDED_AT_ONCE) {
		errnum = call->make(call);
		return errnum ? base_error(BASE_IO, errnum, "%s", label) : NULL;
	}
	if (pipe2(ends, O_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "%s", label);
	from = ends[0];
	pid = fork();
	if (pid == 0) {
		errnum = call->make(call);
		_exit(write(ends[1], &errnum, sizeof(errnum)) == sizeof(errnum) ? 0 : 1);
	}
	close(ends[1]);
	if (pid < 0)
		return base_error(BASE_IO, errno, "%s", label);
	if (!wait_for(from, deadline)) {
		/* It is killed if it can be; it is reaped when we exit. */
		kill(pid, SIGKILL);
		waitpid(pid, NULL, WNOHANG);
		return base_error(BASE_CANCELLED, 0, "%s: no answer of the kernel within %llu ms",
				  label, (unsigned long long)limit_ms);
	}
	if (read(from, &errnum, sizeof(errnum)) != sizeof(errnum))
		errnum = EIO;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return errnum ? base_error(BASE_IO, errnum, "%s", label) : NULL;
}

struct error *suite_bounded_write(int dir_fd, const char *file, const char *text, const char *label,
				  uint64_t limit_ms)
{
	return bounded(&(struct call){ dir_fd, file, text, make_write }, label, limit_ms);
}

struct error *suite_bounded_mkdir(int dir_fd, const char *name, const char *label,
				  uint64_t limit_ms)
{
	return bounded(&(struct call){ dir_fd, name, NULL, make_mkdir }, label, limit_ms);
}

struct error *suite_bounded_rmdir(int dir_fd, const char *name, const char *label,
				  uint64_t limit_ms)
{
	return bounded(&(struct call){ dir_fd, name, NULL, make_rmdir }, label, limit_ms);
}
