/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Templates as a guest would leave them, only smaller. */
#ifndef KTSTR_TESTS_VM_TEMPLATES_H
#define KTSTR_TESTS_VM_TEMPLATES_H

#include "dirs.h"
#include "vm/template/template.h"

enum { TEMPLATE_RAM_BYTES = 64 << 10 };

static const struct vm_template_proof test_proof = {
	.nonce = { 0xde, 0xad },
	.nonce_phys = 4096,
	.generation = 1,
	.monotonic_ns = 1000,
	.monotonic_limit_ns = 2000,
};

static inline bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static inline struct error *fill_file(const char *dir, const char *name, char with, size_t n)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	_cleanup_free_ char *bytes = xcalloc(n, 1);

	if (fd < 0)
		return base_error(BASE_IO, errno, "%s", path);
	memset(bytes, with, n);
	return io_write_all(fd, path, bytes, n);
}

/* What a maker does between begin and finish. */
static inline struct error *fill_draft(struct vm_template_draft *draft, size_t ram_bytes)
{
	struct error *err = vm_template_draft_make_dir(draft);

	if (!err)
		err = fill_file(draft->dir, "state", draft->key[0], 1000);
	return err ? err : fill_file(draft->dir, "ram.0", draft->key[0], ram_bytes);
}

/* Made, or found. */
static inline struct error *make_template(const char *key, size_t ram_bytes,
					  struct vm_template **ret)
{
	_cleanup_vm_template_draft_ struct vm_template_draft draft = { .lock_fd = -1 };
	struct cancel cancel = { 0 };
	struct error *err;

	*ret = NULL;
	err = vm_template_draft_begin(key, &cancel, &draft);
	if (!err)
		err = vm_template_draft_existing(&draft, ret);
	if (err || *ret)
		return err;
	err = fill_draft(&draft, ram_bytes);
	return err ? err : vm_template_draft_finish(&draft, &test_proof, NULL, 1, ret);
}

static inline void put_template(const char *key, size_t ram_bytes)
{
	struct vm_template *made;

	assert_success(make_template(key, ram_bytes, &made));
	assert_non_null(made);
	vm_template_free(made);
}

/* Below the directory of templates; `fmt` gets the name that belongs to the key. */
static inline char *template_path(const char *key, const char *suffix)
{
	_cleanup_free_ char *name = vm_template_name(key);
	_cleanup_free_ char *below = xasprintf("templates/%s%s", name, suffix);

	return paths_cache(below);
}

static inline bool template_has(const char *key, const char *suffix)
{
	_cleanup_free_ char *path = template_path(key, suffix);

	return exists(path);
}

static inline bool can_open(const char *key)
{
	struct vm_template *found;
	bool is;

	assert_success(vm_template_open(key, &found));
	is = found != NULL;
	vm_template_free(found);
	return is;
}

/* Names in the directory of templates, without "." and "..". */
static inline int count_entries(void)
{
	_cleanup_free_ char *top = paths_cache("templates");
	_cleanup_dir_ DIR *dir = opendir(top);
	int n = 0;

	while (dir && readdir(dir))
		n++;
	return n ? n - 2 : 0;
}

/* As if it had been used so long ago. */
static inline void make_older(const char *key, int seconds)
{
	_cleanup_free_ char *path = template_path(key, "/template.json");
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };

	assert_int_equal(clock_gettime(CLOCK_REALTIME, &times[1]), 0);
	times[1].tv_sec -= seconds;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

#endif
