// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/cache.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/paths.h"
#include "base/str.h"
#include "kernel/kernel.h"

enum { LOCK_RETRY_MS = 50, HOLDER_CHARS = 256 };

char *kernel_cache_dir(void)
{
	return paths_cache("kernels");
}

void kernel_list_deinit(struct kernel_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->at[i].id);
		free(list->at[i].damage);
		kernel_free(list->at[i].kernel);
	}
	vec_deinit(list);
}

static int prefer_cloud(const struct kernel *kernel)
{
	return kernel->flavour && strcmp(kernel->flavour, "cloud") == 0 ? 0 : 1;
}

int kernel_compare(const struct kernel *a, const struct kernel *b)
{
	struct kernel_version va = { 0 }, vb = { 0 };
	int order;

	/* Both were parsed once, when the metadata was read. */
	if (!kernel_version_parse(a->version, &va, NULL) ||
	    !kernel_version_parse(b->version, &vb, NULL))
		return strcmp(b->version, a->version);
	order = kernel_version_compare(&vb, &va);
	if (!order)
		order = prefer_cloud(a) - prefer_cloud(b);
	/* Of two builds of one version the later one; names only keep the order stable. */
	if (!order)
		order = strverscmp(b->id, a->id);
	return order;
}

static int compare_entries(const void *a_, const void *b_)
{
	const struct kernel_entry *a = a_, *b = b_;

	if (a->kernel && b->kernel)
		return kernel_compare(a->kernel, b->kernel);
	if (!a->kernel && !b->kernel)
		return strcmp(a->id, b->id);
	return a->kernel ? -1 : 1;
}

static void read_entry(struct kernel_list *list, const char *dir, const char *id)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, id);
	_cleanup_error_ struct error *err = NULL;
	struct kernel_entry entry = { .id = xstrdup(id) };

	err = kernel_metadata_read(path, &entry.kernel);
	if (err)
		entry.damage = xstrdup(error_message(err));
	vec_push(list, entry);
}

static bool is_dir(int dir_fd, const char *name)
{
	struct stat st;

	return fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

struct error *kernel_list_read(struct kernel_list *ret)
{
	_cleanup_free_ char *path = kernel_cache_dir();
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	_cleanup_dir_ DIR *dir = opendir(path);
	struct dirent *found;

	if (!dir && errno != ENOENT)
		return base_error(BASE_IO, errno, "cannot open %s", path);
	while (dir && (found = readdir(dir)) != NULL) {
		if (!kernel_name_is_safe(found->d_name) || !is_dir(dirfd(dir), found->d_name))
			continue;
		if (list.n == KERNEL_LIMIT_ENTRIES)
			return base_error(BASE_LIMIT, 0, "%s holds more than %d kernels", path,
					  KERNEL_LIMIT_ENTRIES);
		read_entry(&list, path, found->d_name);
	}
	if (list.n)
		qsort(list.at, list.n, sizeof(*list.at), compare_entries);
	*ret = list;
	list = (struct kernel_list){ 0 };
	return NULL;
}

struct error *kernel_cache_find(kernel_is_fn is, const void *arg, struct kernel **ret)
{
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	struct error *err = kernel_list_read(&list);

	for (size_t i = 0; !err && i < list.n; i++) {
		if (list.at[i].kernel && is(list.at[i].kernel, arg)) {
			*ret = take_ptr(list.at[i].kernel);
			break;
		}
	}
	return err;
}

static void say_who_holds(const char *path, const struct kernel_watch *watch)
{
	_cleanup_strbuf_ struct strbuf holder = STRBUF_INIT;
	_cleanup_error_ struct error *unread = io_read_file(path, HOLDER_CHARS, &holder);
	int n = (int)strcspn(strbuf_str(&holder), "\n");

	kernel_say(watch, "waiting for %.*s, which is changing the kernel cache",
		   n ? n : (int)strlen("another program"),
		   n ? strbuf_str(&holder) : "another program");
}

static struct error *wait_for_lock(const char *path, const struct kernel_watch *watch, int *ret_fd)
{
	const struct cancel *cancel = watch ? watch->cancel : NULL;
	struct error *err = lock_try(path, LOCK_EXCLUSIVE, ret_fd);

	if (!err && *ret_fd < 0)
		say_who_holds(path, watch);
	while (!err && *ret_fd < 0) {
		err = cancel_sleep(cancel, LOCK_RETRY_MS * NS_PER_MS)
			      ? lock_try(path, LOCK_EXCLUSIVE, ret_fd)
			      : cancel_error(cancel, "waiting for the kernel cache");
	}
	return err;
}

static struct error *remove_leftovers(const char *path)
{
	_cleanup_dir_ DIR *dir = opendir(path);
	struct dirent *found;

	if (!dir)
		return base_error(BASE_IO, errno, "cannot open %s", path);
	while ((found = readdir(dir)) != NULL) {
		_cleanup_free_ char *leftover = NULL;
		struct error *err;

		if (!str_starts_with(found->d_name, KERNEL_TEMPORARY_PREFIX))
			continue;
		leftover = xasprintf("%s/%s", path, found->d_name);
		err = paths_remove(leftover);
		if (err)
			return err;
	}
	return NULL;
}

struct error *kernel_cache_lock(const char *purpose, const struct kernel_watch *watch, int *ret_fd)
{
	_cleanup_free_ char *dir = kernel_cache_dir();
	_cleanup_free_ char *path = xasprintf("%s/lock", dir);
	_cleanup_free_ char *holder = xasprintf("process %d (%s)\n", (int)getpid(), purpose);
	_cleanup_close_ int fd = -1;
	struct error *err = paths_make(dir, 0755);

	if (!err)
		err = wait_for_lock(path, watch, &fd);
	if (err)
		return err;
	/* Names the holder for processes that wait; not needed for the lock itself. */
	if (ftruncate(fd, 0) == 0 && pwrite(fd, holder, strlen(holder), 0) < 0)
		kernel_say(watch, "cannot write %s: %s", path, strerror(errno));
	err = remove_leftovers(dir);
	if (err)
		return err;
	*ret_fd = take_fd(fd);
	return NULL;
}

struct error *kernel_cache_remove(const char *id, const struct kernel_watch *watch)
{
	_cleanup_free_ char *purpose = xasprintf("removing %s", id);
	_cleanup_free_ char *dir = kernel_cache_dir();
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, id);
	_cleanup_free_ char *doomed = xasprintf("%s/" KERNEL_TEMPORARY_PREFIX "removed", dir);
	_cleanup_close_ int lock = -1;
	struct error *err;

	if (!kernel_name_is_safe(id) || access(path, F_OK) < 0)
		return kernel_error(KERNEL_NOT_CACHED, 0, "no kernel '%s' is cached", id);
	err = kernel_cache_lock(purpose, watch, &lock);
	if (err)
		return err;
	/* For readers it disappears in one step. */
	if (rename(path, doomed) < 0)
		return base_error(BASE_IO, errno, "rename %s", path);
	return paths_remove(doomed);
}

static struct error *check_file(const struct kernel *kernel, enum kernel_file_kind kind,
				struct strbuf *content)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", kernel->dir, kernel_file_name(kind));
	struct error *err = io_read_file(path, KERNEL_LIMIT_FILE_BYTES, content);

	if (err)
		return error_recast(err, &kernel_error_domain, KERNEL_CORRUPT);
	if (content->n != kernel->files[kind].bytes ||
	    hash_bytes(HASH_INIT, strbuf_str(content), content->n) != kernel->files[kind].hash)
		return kernel_error(KERNEL_CORRUPT, 0,
				    "%s is not the file that was cached: run 'ktstr kernel remove "
				    "%s', then fetch it again",
				    path, kernel->id);
	return NULL;
}

struct error *kernel_verify(const struct kernel *kernel, struct kernel_check *ret)
{
	_cleanup_strbuf_ struct strbuf btf = STRBUF_INIT;

	for (int i = 0; i < KERNEL_N_FILES; i++) {
		_cleanup_strbuf_ struct strbuf content = STRBUF_INIT;
		struct error *err;

		if (!kernel->files[i].present)
			continue;
		err = check_file(kernel, (enum kernel_file_kind)i,
				 i == KERNEL_BTF ? &btf : &content);
		if (err)
			return err;
	}
	return kernel_check_btf((struct bytes){ (const uint8_t *)strbuf_str(&btf), btf.n },
				kernel->id, ret);
}
