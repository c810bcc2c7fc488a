// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/run/run.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/paths.h"

enum {
	ID_TRIES = 16,
	GUARD_RETRY_MS = 2,
};

char *vm_run_dir_top(void)
{
	return paths_run("vm");
}

bool vm_run_dir_is_id(const char *name)
{
	return strlen(name) == VM_RUN_DIR_ID_CHARS &&
	       strspn(name, "0123456789abcdef") == VM_RUN_DIR_ID_CHARS;
}

char *vm_run_dir_file(const struct vm_run_dir *dir, const char *name)
{
	return xasprintf("%s/%s", dir->path, name);
}

/* Below /tmp anybody may have made a directory of our name before us. */
static struct error *check_is_ours(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return base_error(BASE_IO, errno, "cannot stat %s", path);
	if (!S_ISDIR(st.st_mode))
		return base_error(BASE_IO, ENOTDIR, "%s", path);
	if (st.st_uid != geteuid())
		return base_error(
			BASE_IO, 0,
			"%s belongs to user %u; set KTSTR_RUN_DIR to a directory of your own", path,
			st.st_uid);
	if (st.st_mode & 022)
		return base_error(BASE_IO, 0, "others may write to %s: chmod 700 %s", path, path);
	return NULL;
}

static struct error *make_top(char **ret)
{
	_cleanup_free_ char *top = vm_run_dir_top();
	struct error *err = paths_make(top, 0700);

	if (!err)
		err = check_is_ours(top);
	if (!err)
		*ret = take_ptr(top);
	return err;
}

static int open_guard(int top_fd)
{
	return openat(top_fd, VM_RUN_DIR_GUARD,
		      O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

static struct error *take_guard(int top_fd, const char *top, int *ret_fd)
{
	uint64_t end_ns = clock_monotonic_ns() + VM_RUN_DIR_GUARD_WAIT_MS * NS_PER_MS;
	struct timespec pause = { .tv_nsec = GUARD_RETRY_MS * (long)NS_PER_MS };
	_cleanup_close_ int fd = open_guard(top_fd);

	if (fd < 0)
		return base_error(BASE_IO, errno, "cannot open %s/" VM_RUN_DIR_GUARD, top);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return base_error(BASE_IO, errno, "flock %s/" VM_RUN_DIR_GUARD, top);
		if (clock_monotonic_ns() >= end_ns)
			return base_error(BASE_LIMIT, 0,
					  "%s/" VM_RUN_DIR_GUARD " has been locked for %d s; "
					  "`fuser -v` shows by which process",
					  top, VM_RUN_DIR_GUARD_WAIT_MS / 1000);
		nanosleep(&pause, NULL);
	}
	*ret_fd = take_fd(fd);
	return NULL;
}

enum vm_run_dir_owner vm_run_dir_owner(int top_fd, const char *id)
{
	_cleanup_close_ int dir_fd = openat(top_fd, id,
					    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_close_ int fd = -1;

	if (dir_fd < 0)
		return VM_RUN_DIR_OWNER_UNKNOWN;
	fd = openat(dir_fd, VM_RUN_DIR_LOCK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? VM_RUN_DIR_OWNER_GONE : VM_RUN_DIR_OWNER_UNKNOWN;
	/* Shared: two concurrent checks must not take each other for the owner. */
	if (flock(fd, LOCK_SH | LOCK_NB) == 0)
		return VM_RUN_DIR_OWNER_GONE;
	return errno == EWOULDBLOCK ? VM_RUN_DIR_OWNER_LIVES : VM_RUN_DIR_OWNER_UNKNOWN;
}

static void put_aside(int top_fd, const char *id)
{
	_cleanup_free_ char *aside = xasprintf(VM_RUN_DIR_DEAD "%s", id);

	renameat(top_fd, id, top_fd, aside);
}

static bool is_put_aside(const char *name)
{
	return strncmp(name, VM_RUN_DIR_DEAD, strlen(VM_RUN_DIR_DEAD)) == 0 &&
	       vm_run_dir_is_id(name + strlen(VM_RUN_DIR_DEAD));
}

static void remove_entry(const char *top, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", top, name);
	/* Two processes may remove the same directory at once; the next sweep removes the rest. */
	_cleanup_error_ struct error *ignored = paths_remove(path);
}

typedef void (*entry_fn)(int top_fd, const char *top, const char *name);

static void each_entry(const char *top, entry_fn fn)
{
	_cleanup_dir_ DIR *dir = opendir(top);
	struct dirent *entry;
	int left = VM_LIMIT_RUN_DIR_ENTRIES;

	while (dir && left-- > 0 && (entry = readdir(dir)))
		fn(dirfd(dir), top, entry->d_name);
}

static void put_aside_if_dead(int top_fd, const char *top UNUSED, const char *name)
{
	if (vm_run_dir_is_id(name) && vm_run_dir_owner(top_fd, name) == VM_RUN_DIR_OWNER_GONE)
		put_aside(top_fd, name);
}

static void remove_if_put_aside(int top_fd UNUSED, const char *top, const char *name)
{
	if (is_put_aside(name))
		remove_entry(top, name);
}

static void sweep(const char *top)
{
	_cleanup_close_ int top_fd = open(top, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_close_ int guard = top_fd < 0 ? -1 : open_guard(top_fd);

	if (guard < 0)
		return;
	/* While the guard is held, no process is between creating a directory and locking it. */
	if (flock(guard, LOCK_EX | LOCK_NB) == 0) {
		each_entry(top, put_aside_if_dead);
		flock(guard, LOCK_UN);
	}
	each_entry(top, remove_if_put_aside);
}

void vm_run_dir_sweep(void)
{
	_cleanup_free_ char *top = vm_run_dir_top();
	_cleanup_error_ struct error *not_ours = check_is_ours(top);

	if (!not_ours)
		sweep(top);
}

/* A directory with its lock held; *id is filled in. The guard is held by the caller. */
static struct error *make_locked(int top_fd, const char *top, char id[VM_RUN_DIR_ID_CHARS + 1],
				 int *ret_lock)
{
	_cleanup_close_ int dir_fd = -1, lock = -1;
	uint32_t number;
	int made = -1;

	for (int i = 0; i < ID_TRIES && made < 0; i++) {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return base_error(BASE_IO, errno, "getrandom");
		snprintf(id, VM_RUN_DIR_ID_CHARS + 1, "%08x", number);
		made = mkdirat(top_fd, id, 0700);
		if (made < 0 && errno != EEXIST)
			break;
	}
	if (made < 0)
		return base_error(BASE_IO, errno, "cannot create a directory in %s", top);
	dir_fd = openat(top_fd, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir_fd >= 0)
		lock = openat(dir_fd, VM_RUN_DIR_LOCK, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	/* Waits only for a process that checks the lock at this moment. */
	while (lock >= 0 && flock(lock, LOCK_EX) < 0) {
		if (errno != EINTR)
			close(take_fd(lock));
	}
	if (lock < 0) {
		struct error *err = base_error(BASE_IO, errno, "cannot lock %s/%s", top, id);

		remove_entry(top, id);
		return err;
	}
	*ret_lock = take_fd(lock);
	return NULL;
}

struct error *vm_run_dir_new(struct vm_run_dir **ret)
{
	_cleanup_close_ int top_fd = -1, guard = -1;
	_cleanup_free_ char *top = NULL;
	char id[VM_RUN_DIR_ID_CHARS + 1];
	struct vm_run_dir *dir;
	struct error *err;
	int lock = -1;

	err = make_top(&top);
	if (err)
		return err;
	sweep(top);
	top_fd = open(top, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top_fd < 0)
		return base_error(BASE_IO, errno, "cannot open %s", top);
	err = take_guard(top_fd, top, &guard);
	if (!err)
		err = make_locked(top_fd, top, id, &lock);
	if (err)
		return err;
	dir = xnew(struct vm_run_dir);
	dir->id = xstrdup(id);
	dir->path = xasprintf("%s/%s", top, id);
	dir->top = take_ptr(top);
	dir->lock_fd = lock;
	*ret = dir;
	return NULL;
}

void vm_run_dir_free(struct vm_run_dir *dir)
{
	int top_fd;

	if (!dir)
		return;
	top_fd = open(dir->top, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top_fd >= 0) {
		_cleanup_free_ char *aside = xasprintf(VM_RUN_DIR_DEAD "%s", dir->id);

		/* Renamed first, so that no one reads half of it. */
		put_aside(top_fd, dir->id);
		remove_entry(dir->top, aside);
		close(top_fd);
	}
	close(dir->lock_fd);
	free(dir->top);
	free(dir->id);
	free(dir->path);
	free(dir);
}

struct error *vm_run_dir_publish(struct vm_run_dir *dir, struct vm_run_info *info)
{
	_cleanup_free_ char *path = vm_run_dir_file(dir, VM_RUN_DIR_INFO);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	free(info->id);
	info->id = xstrdup(dir->id);
	info->owner = vm_run_process_of(getpid());
	vm_run_info_format(info, &text);
	return io_replace_file(path, strbuf_str(&text), text.n);
}
