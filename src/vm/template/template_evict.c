// SPDX-License-Identifier: LGPL-2.1-or-later
/* The cache has a limit; the least recently used template is removed first. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/paths.h"
#include "base/str.h"
#include "base/vec.h"
#include "vm/template/template.h"

#define DEFAULT_LIMIT (UINT64_C(8) << 30)

enum { NAME_DIGITS = 16 };

struct rows {
	VEC(struct row {
		char name[NAME_DIGITS + 1];
		uint64_t bytes;
		int64_t used_ns;
	})
	at;
};

uint64_t vm_template_limit_bytes(void)
{
	const char *text = getenv("KTSTR_TEMPLATE_LIMIT_MB");
	uint64_t mb;

	return text && str_parse_u64(text, UINT64_MAX >> 20, &mb) ? mb << 20 : DEFAULT_LIMIT;
}

/* The name that a draft, a directory or a lock belongs to. */
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
		_cleanup_free_ char *directory = NULL, *json = NULL;
		struct row row = { .used_ns = 0 };
		struct stat st;

		if (!name_of(entry->d_name, row.name) || entry->d_name[NAME_DIGITS])
			continue;
		directory = vm_template_path(row.name, "");
		json = vm_template_path(row.name, VM_TEMPLATE_JSON);
		row.bytes = paths_disk_bytes(directory);
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

/* Only a template that no clone is being started from. True when it was removed. */
static struct error *remove_unused(const char *name, bool *ret_gone)
{
	_cleanup_free_ char *lock = vm_template_path(name, VM_TEMPLATE_LOCK_SUFFIX);
	_cleanup_free_ char *directory = vm_template_path(name, "");
	_cleanup_free_ char *json = vm_template_path(name, VM_TEMPLATE_JSON);
	_cleanup_close_ int fd = -1;
	struct error *err;

	*ret_gone = false;
	err = lock_try(lock, LOCK_EXCLUSIVE, &fd);
	if (err || fd < 0)
		return err;
	/* First its description: half removed it must not look whole. */
	err = paths_remove(json);
	if (!err)
		err = paths_remove(directory);
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

/* Drafts, incomplete templates and locks of dead processes. A held lock means a live one. */
static void sweep_name(const char *name)
{
	_cleanup_free_ char *lock = vm_template_path(name, VM_TEMPLATE_LOCK_SUFFIX),
			    *draft = vm_template_path(name, VM_TEMPLATE_DRAFT_SUFFIX);
	_cleanup_free_ char *directory = vm_template_path(name, "");
	_cleanup_free_ char *json = vm_template_path(name, VM_TEMPLATE_JSON);
	_cleanup_close_ int fd = -1;

	if (exists(json) && !exists(draft))
		return;
	error_free(lock_try(lock, LOCK_EXCLUSIVE, &fd));
	if (fd < 0)
		return;
	error_free(paths_remove(draft));
	if (!exists(json))
		error_free(paths_remove(directory));
	if (!exists(directory))
		unlink(lock);
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
