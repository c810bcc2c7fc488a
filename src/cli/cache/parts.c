// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cache/parts.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/paths.h"
#include "base/str.h"
#include "vm/template/template.h"

#define TEMPLATES    "templates"
#define LOCK_SUFFIX  ".lock"
#define DRAFT_SUFFIX ".new"

const struct cache_part cache_parts[] = {
	{ .name = TEMPLATES,
	  .what = "booted guests that others are cloned from",
	  .has_entries = true },
	{ .name = "kernel-apt",
	  .what = "package lists of ktstr kernel fetch",
	  .locks = { "kernels/lock" } },
	{ .name = "kernel-memory", .what = "what ktstr inspect has cached of kernels" },
	{ .name = "qemu", .what = "what QEMU can do here" },
	{ .name = "apt",
	  .what = "package lists of set-up and tools",
	  .locks = { "packages.lock", "roots.lock", "lock" } },
	{ .name = "roots",
	  .what = "other Debian releases of tools/peer-root and tools/in-debian",
	  .locks = { "roots.lock" },
	  .has_entries = true },
	{ .name = "kernels",
	  .what = "kernels that guests boot",
	  .kept = "ktstr kernel remove removes one" },
	{ .name = "deps",
	  .what = "libraries that set-up built",
	  .kept = "builds of ktstr need them" },
	{ .name = "debug-kernels",
	  .what = "kernels with debug information of tools/debug-kernel",
	  .kept = "they take long to build" },
};
const size_t n_cache_parts = ARRAY_SIZE(cache_parts);

const struct cache_part *cache_part_find(const char *name)
{
	for (size_t i = 0; i < n_cache_parts; i++)
		if (strcmp(cache_parts[i].name, name) == 0)
			return &cache_parts[i];
	return NULL;
}

uint64_t cache_part_bytes(const struct cache_part *part)
{
	_cleanup_free_ char *path = paths_cache(part->name);

	return paths_disk_bytes(path);
}

/* A lock file that does not exist is not held, and a dry run does not create it. */
static struct error *try_lock(const char *path, bool dry_run, bool *ret_held, int *ret_fd)
{
	struct error *err = NULL;
	int fd = -1;

	*ret_held = false;
	if (access(path, F_OK) < 0 && dry_run)
		return NULL;
	err = lock_try(path, LOCK_EXCLUSIVE, &fd);
	*ret_held = !err && fd < 0;
	*ret_fd = fd;
	return err;
}

struct locks {
	int fds[CACHE_PART_LOCKS];
	bool is_held; /* somebody else has one of them */
};

static void locks_release(struct locks *locks)
{
	for (size_t i = 0; i < CACHE_PART_LOCKS; i++)
		cleanup_fd(&locks->fds[i]);
}

static struct error *take_locks(const struct cache_part *part, struct locks *locks)
{
	struct error *err = NULL;

	for (size_t i = 0; i < CACHE_PART_LOCKS && part->locks[i] && !err && !locks->is_held; i++) {
		_cleanup_free_ char *path = paths_cache(part->locks[i]);

		/* A lock file that was never created cannot be held. */
		err = try_lock(path, true, &locks->is_held, &locks->fds[i]);
	}
	return err;
}

/* NAME.lock; a draft NAME.new has the lock of what it becomes. */
static char *entry_lock(const char *path)
{
	size_t n = strlen(path);

	if (str_ends_with(path, DRAFT_SUFFIX))
		n -= strlen(DRAFT_SUFFIX);
	return xasprintf("%.*s" LOCK_SUFFIX, (int)n, path);
}

static struct error *clean_entry(const char *path, bool dry_run, struct cache_cleaning *cleaning)
{
	_cleanup_free_ char *lock = entry_lock(path);
	uint64_t bytes = paths_disk_bytes(path);
	_cleanup_close_ int fd = -1;
	bool is_held;
	struct error *err = try_lock(lock, dry_run, &is_held, &fd);

	if (!err && !is_held && !dry_run) {
		err = paths_remove(path);
		unlink(lock);
	}
	if (!err && is_held)
		cleaning->used_bytes += bytes;
	else if (!err)
		cleaning->removed_bytes += bytes;
	return err;
}

static struct error *clean_entries(const char *top, bool dry_run, struct cache_cleaning *cleaning)
{
	_cleanup_dir_ DIR *dir = opendir(top);
	struct error *err = NULL;
	struct dirent *entry;

	while (!err && dir && (entry = readdir(dir)) != NULL) {
		_cleanup_free_ char *path = xasprintf("%s/%s", top, entry->d_name);

		if (entry->d_name[0] != '.' && !str_ends_with(entry->d_name, LOCK_SUFFIX))
			err = clean_entry(path, dry_run, cleaning);
	}
	return err;
}

static struct error *clean_whole(const char *top, bool dry_run, struct cache_cleaning *cleaning)
{
	cleaning->removed_bytes = paths_disk_bytes(top);
	return dry_run ? NULL : paths_remove(top);
}

/* The room of templates knows in which order one is taken apart. */
static struct error *clean_templates(const char *top, struct cache_cleaning *cleaning)
{
	struct cache_cleaning before = { 0 }, after = { 0 };
	struct error *err = clean_entries(top, true, &before);

	if (!err)
		err = vm_template_evict(0, NULL);
	if (!err)
		err = clean_entries(top, true, &after);
	cleaning->used_bytes = after.removed_bytes + after.used_bytes;
	cleaning->removed_bytes = before.removed_bytes + before.used_bytes - cleaning->used_bytes;
	return err;
}

struct error *cache_part_clean(const struct cache_part *part, bool dry_run,
			       struct cache_cleaning *ret)
{
	_cleanup_(locks_release) struct locks locks = { .fds = { -1, -1, -1 } };
	_cleanup_free_ char *top = paths_cache(part->name);
	struct cache_cleaning cleaning = { 0 };
	struct error *err = take_locks(part, &locks);

	if (!err && locks.is_held)
		cleaning.used_bytes = paths_disk_bytes(top);
	else if (!err && strcmp(part->name, TEMPLATES) == 0 && !dry_run)
		err = clean_templates(top, &cleaning);
	else if (!err && part->has_entries)
		err = clean_entries(top, dry_run, &cleaning);
	else if (!err)
		err = clean_whole(top, dry_run, &cleaning);
	if (!err)
		*ret = cleaning;
	return err;
}
