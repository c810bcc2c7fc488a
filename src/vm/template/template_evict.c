// SPDX-License-Identifier: LGPL-2.1-or-later
/* The cache has a limit; who was not used for longest goes first. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "base/str.h"
#include "base/paths.h"
#include "base/vec.h"
#include "vm/template/template.h"

#define DEFAULT_LIMIT (UINT64_C(8) << 30)

enum { NAME_DIGITS = 16 };

struct row {
	char name[NAME_DIGITS + 1];
	uint64_t bytes;
	int64_t used_ns;
};

struct rows {
	VEC(struct row) at;
};

uint64_t vm_template_limit_bytes(void)
{
	const char *text = getenv("KTSTR_TEMPLATE_LIMIT_MB");
	uint64_t mb;

	return text && str_parse_u64(text, UINT64_MAX >> 20, &mb) ? mb << 20 : DEFAULT_LIMIT;
}

static uint64_t folder_bytes(const char *path)
{
	_cleanup_dir_ DIR *dir = opendir(path);
	struct dirent *entry;
	uint64_t sum = 0;
	struct stat st;

	while (dir && (entry = readdir(dir)) != NULL)
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_blocks * 512;
	return sum;
}

static bool is_name(const char *text)
{
	return strspn(text, "0123456789abcdef") == NAME_DIGITS && text[NAME_DIGITS] == 0;
}

static struct error *read_rows(struct rows *rows)
{
	_cleanup_free_ char *top = paths_cache("templates");
	_cleanup_dir_ DIR *dir = opendir(top);
	struct dirent *entry;

	if (!dir && errno == ENOENT)
		return NULL;
	if (!dir)
		return vm_error(VM_TEMPLATE, errno, "cannot list %s", top);
	while ((entry = readdir(dir)) != NULL) {
		_cleanup_free_ char *folder = NULL, *json = NULL;
		struct row row = { .used_ns = 0 };
		struct stat st;

		if (!is_name(entry->d_name))
			continue;
		memcpy(row.name, entry->d_name, NAME_DIGITS);
		folder = vm_template_folder_path(row.name);
		json = xasprintf("%s/template.json", folder);
		row.bytes = folder_bytes(folder);
		/* Without a description it is damaged: the first to go. */
		if (stat(json, &st) == 0)
			row.used_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		vec_push(&rows->at, row);
	}
	return NULL;
}

static int compare_use(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->used_ns > y->used_ns) - (x->used_ns < y->used_ns);
}

struct error *vm_template_usage(uint64_t *ret_bytes, unsigned int *ret_n)
{
	struct rows rows = { 0 };
	struct error *err = read_rows(&rows);

	if (!err) {
		*ret_bytes = 0;
		for (size_t i = 0; i < rows.at.n; i++)
			*ret_bytes += rows.at.at[i].bytes;
		if (ret_n)
			*ret_n = (unsigned int)rows.at.n;
	}
	vec_deinit(&rows.at);
	return err;
}

/* Only what nobody is starting a clone from. True when it is gone. */
static struct error *remove_unused(const char *name, bool *ret_gone)
{
	_cleanup_free_ char *lock = vm_template_lock_path(name);
	_cleanup_free_ char *folder = vm_template_folder_path(name);
	_cleanup_free_ char *json = xasprintf("%s/template.json", folder);
	_cleanup_close_ int fd = -1;
	struct error *err;

	*ret_gone = false;
	err = lock_try(lock, LOCK_EXCLUSIVE, &fd);
	if (err || fd < 0)
		return err;
	/* First its description: half removed it must not look whole. */
	err = paths_remove(json);
	if (!err)
		err = paths_remove(folder);
	if (err)
		return err;
	unlink(lock);
	*ret_gone = true;
	return NULL;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Drafts, halves and locks of those who died. Who holds the lock lives. */
static void sweep_name(const char *name)
{
	_cleanup_free_ char *lock = vm_template_lock_path(name),
			    *draft = vm_template_draft_path(name);
	_cleanup_free_ char *folder = vm_template_folder_path(name);
	_cleanup_free_ char *json = xasprintf("%s/template.json", folder);
	_cleanup_close_ int fd = -1;

	if (exists(json) && !exists(draft))
		return;
	error_free(lock_try(lock, LOCK_EXCLUSIVE, &fd));
	if (fd < 0)
		return;
	error_free(paths_remove(draft));
	if (!exists(json))
		error_free(paths_remove(folder));
	if (!exists(folder))
		unlink(lock);
}

/* The name that a draft, a folder or a lock belongs to. */
static bool name_of(const char *entry, char name[NAME_DIGITS + 1])
{
	const char *suffix = entry + NAME_DIGITS;

	if (strspn(entry, "0123456789abcdef") != NAME_DIGITS)
		return false;
	if (*suffix && strcmp(suffix, VM_TEMPLATE_DRAFT_SUFFIX) != 0 &&
	    strcmp(suffix, VM_TEMPLATE_LOCK_SUFFIX) != 0)
		return false;
	memcpy(name, entry, NAME_DIGITS);
	name[NAME_DIGITS] = 0;
	return true;
}

static void sweep(void)
{
	_cleanup_free_ char *top = paths_cache("templates");
	_cleanup_dir_ DIR *dir = opendir(top);
	struct dirent *entry;
	char name[NAME_DIGITS + 1];

	while (dir && (entry = readdir(dir)) != NULL)
		if (name_of(entry->d_name, name))
			sweep_name(name);
}

struct error *vm_template_evict(uint64_t limit_bytes, const char *keep)
{
	struct rows rows = { 0 };
	struct error *err;
	uint64_t sum = 0;

	sweep();
	err = read_rows(&rows);
	for (size_t i = 0; i < rows.at.n; i++)
		sum += rows.at.at[i].bytes;
	if (rows.at.n)
		qsort(rows.at.at, rows.at.n, sizeof(rows.at.at[0]), compare_use);
	for (size_t i = 0; i < rows.at.n && sum > limit_bytes; i++) {
		const struct row *row = &rows.at.at[i];
		struct error *failed;
		bool gone;

		if (keep && strcmp(row->name, keep) == 0)
			continue;
		/* One that resists does not protect the others. */
		failed = remove_unused(row->name, &gone);
		if (gone)
			sum -= row->bytes;
		if (err)
			error_free(failed);
		else
			err = failed;
	}
	vec_deinit(&rows.at);
	return err;
}
