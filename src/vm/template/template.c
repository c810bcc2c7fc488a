// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/template/template.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/paths.h"

void vm_template_free(struct vm_template *template)
{
	if (!template)
		return;
	free(template->dir);
	free(template->state_path);
	for (unsigned int i = 0; i < template->n_ram; i++)
		free(template->ram_paths[i]);
	if (template->lock_fd >= 0)
		close(template->lock_fd);
	free(template);
}

char *vm_template_name(const char *key)
{
	return xasprintf("%016llx", (unsigned long long)hash_bytes(HASH_INIT, key, strlen(key)));
}

char *vm_template_path(const char *name, const char *suffix)
{
	_cleanup_free_ char *below = xasprintf("templates/%s%s", name, suffix);

	return paths_cache(below);
}

struct vm_template *vm_template_new(const char *dir, const struct vm_template_proof *proof,
				    unsigned int n_ram)
{
	struct vm_template *template = xnew(struct vm_template);

	template->lock_fd = -1;
	template->dir = xstrdup(dir);
	template->proof = *proof;
	template->state_path = xasprintf("%s/state", dir);
	for (unsigned int i = 0; i < n_ram; i++)
		template->ram_paths[template->n_ram++] = xasprintf("%s/ram.%u", dir, i);
	return template;
}

/* Every file has the size its description says; NULL: damaged. */
static struct vm_template *check_files(const char *dir, const struct vm_template_description *d)
{
	struct vm_template *template = vm_template_new(dir, &d->proof,
						       (unsigned int)d->ram_bytes.n);
	struct stat st;

	template->model = d->model;
	if (stat(template->state_path, &st) < 0 || (uint64_t)st.st_size != d->state_bytes)
		goto damaged;
	template->bytes += (uint64_t)st.st_blocks * 512;
	for (unsigned int i = 0; i < d->ram_bytes.n; i++) {
		if (stat(template->ram_paths[i], &st) < 0 ||
		    (uint64_t)st.st_size != d->ram_bytes.at[i])
			goto damaged;
		template->bytes += (uint64_t)st.st_blocks * 512;
	}
	return template;
damaged:
	vm_template_free(template);
	return NULL;
}

struct vm_template *vm_template_load(const char *name, const char *key)
{
	_cleanup_vm_template_description_ struct vm_template_description d = { 0 };
	_cleanup_free_ char *dir = vm_template_path(name, "");
	_cleanup_free_ char *json = vm_template_path(name, VM_TEMPLATE_JSON);
	/* Damage costs one boot, nothing else. */
	_cleanup_error_ struct error *damage = vm_template_description_read(json, &d);
	struct vm_template *template;

	/* Another key by this name is damage as well, or an accident of one in 2^64. */
	template = !damage && strcmp(d.key, key) == 0 ? check_files(dir, &d) : NULL;
	if (template)
		utimensat(AT_FDCWD, json, NULL, 0);
	return template;
}

struct error *vm_template_open(const char *key, struct vm_template **ret)
{
	_cleanup_free_ char *name = vm_template_name(key);
	_cleanup_free_ char *lock = vm_template_path(name, VM_TEMPLATE_LOCK_SUFFIX);
	_cleanup_close_ int fd = -1;
	struct error *err;

	*ret = NULL;
	/* No lock file: nobody ever made one. */
	if (access(lock, F_OK) < 0)
		return NULL;
	err = lock_try(lock, LOCK_SHARED, &fd);
	if (err || fd < 0)
		return err;
	*ret = vm_template_load(name, key);
	if (*ret)
		(*ret)->lock_fd = take_fd(fd);
	return NULL;
}

bool vm_template_discard(struct vm_template *template)
{
	_cleanup_error_ struct error *err = NULL;

	if (template->lock_fd < 0 || flock(template->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return false;
	err = paths_remove(template->dir);
	return !err;
}
