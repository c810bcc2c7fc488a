// SPDX-License-Identifier: LGPL-2.1-or-later
/* Making a template: locked, under another name, whole or not at all. */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/lock.h"
#include "base/paths.h"
#include "vm/template_internal.h"
#include "vm/template_json.h"

struct error *template_draft_begin(const char *key, const struct cancel *cancel,
				   struct template_draft *ret)
{
	_cleanup_free_ char *folder = paths_cache("templates");
	_cleanup_free_ char *lock = NULL;
	struct error *err;

	*ret = (struct template_draft){ .key = xstrdup(key),
					.name = template_name(key),
					.lock_fd = -1 };
	lock = template_lock_path(ret->name);
	err = paths_make(folder, 0700);
	if (!err)
		err = lock_wait(lock, LOCK_EXCLUSIVE, cancel, &ret->lock_fd);
	if (err)
		return err;
	ret->dir = xasprintf("%s/%s" TEMPLATE_DRAFT_SUFFIX, folder, ret->name);
	/* Only the holder of the lock has a folder of this name: what is there was left. */
	return paths_remove(ret->dir);
}

/*
 * From maker to user. The system may give the lock to another in between, who may remove the
 * template: then there is none.
 */
static struct error *share(struct template_draft *draft, struct template **ret)
{
	struct error *err;

	if (flock(draft->lock_fd, LOCK_SH) < 0)
		return vm_error(VM_TEMPLATE, errno, "cannot share the lock of %s", draft->name);
	err = template_load(draft->name, draft->key, ret);
	if (!err && *ret)
		(*ret)->lock_fd = take_fd(draft->lock_fd);
	return err;
}

struct error *template_draft_existing(struct template_draft *draft, struct template **ret)
{
	for (;;) {
		_cleanup_template_ struct template *seen = NULL;
		struct error *err = template_load(draft->name, draft->key, &seen);

		if (err || !seen) {
			*ret = NULL;
			return err;
		}
		err = share(draft, ret);
		if (err || *ret)
			return err;
		if (flock(draft->lock_fd, LOCK_EX) < 0)
			return vm_error(VM_TEMPLATE, errno, "cannot lock %s", draft->name);
	}
}

struct error *template_draft_make_folder(struct template_draft *draft)
{
	return error_wrap(paths_make(draft->dir, 0700), "a new template");
}

static struct error *sync_file(const char *dir, const char *name, uint64_t *ret_bytes)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return vm_error(VM_TEMPLATE, errno, "cannot open %s", path);
	if (fsync(fd) < 0)
		return vm_error(errno == ENOSPC || errno == EDQUOT ? VM_CACHE_FULL : VM_TEMPLATE,
				errno, "cannot write %s (%llu bytes) to disk", path,
				(unsigned long long)st.st_size);
	*ret_bytes = (uint64_t)st.st_size;
	return NULL;
}

static struct error *put_in_place(const struct template_draft *draft)
{
	_cleanup_free_ char *final = template_folder_path(draft->name);
	struct error *err;

	/* One that was damaged, or we would not be making it. */
	err = paths_remove(final);
	if (err)
		return err;
	if (rename(draft->dir, final) < 0)
		return vm_error(VM_TEMPLATE, errno, "cannot put %s in place", final);
	return io_sync_folder_of(final);
}

struct error *template_draft_finish(struct template_draft *draft,
				    const struct template_proof *proof, unsigned int n_ram,
				    struct template **ret)
{
	struct template_description d = { .key = draft->key, .proof = *proof, .n_ram = n_ram };
	_cleanup_free_ char *json = xasprintf("%s/template.json", draft->dir);
	struct error *err;

	err = sync_file(draft->dir, "state", &d.state_bytes);
	for (unsigned int i = 0; !err && i < n_ram; i++) {
		char name[16];

		snprintf(name, sizeof(name), "ram.%u", i);
		err = sync_file(draft->dir, name, &d.ram_bytes[i]);
	}
	if (!err)
		err = template_description_write(&d, json);
	if (!err)
		err = put_in_place(draft);
	if (!err)
		err = template_evict(template_limit_bytes(), draft->name);
	if (!err)
		err = share(draft, ret);
	if (!err && !*ret)
		err = vm_error(VM_TEMPLATE, 0, "%s was removed as soon as it was made",
			       draft->name);
	return err;
}

void template_draft_deinit(struct template_draft *draft)
{
	if (draft->dir && draft->lock_fd >= 0)
		error_free(paths_remove(draft->dir));
	if (draft->lock_fd >= 0)
		close(draft->lock_fd);
	free(draft->key);
	free(draft->name);
	free(draft->dir);
	*draft = (struct template_draft){ .lock_fd = -1 };
}
