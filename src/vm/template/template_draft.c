// SPDX-License-Identifier: LGPL-2.1-or-later
/* Making a template: locked, under another name, whole or not at all. */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/paths.h"
#include "vm/template/template.h"

/* Less than the device state of a guest needs. */
#define NO_ROOM_BYTES (UINT64_C(1) << 20)

enum {
	POLL_MS = 20,
	LOCK_TEXT_LIMIT = 64,
};

/* Only informs processes that wait for the lock. */
static void leave_name(int lock_fd)
{
	if (ftruncate(lock_fd, 0) == 0)
		(void)!dprintf(lock_fd, "%d\n", getpid());
}

pid_t vm_template_maker(const char *key)
{
	_cleanup_free_ char *name = vm_template_name(key),
			    *lock = vm_template_path(name, VM_TEMPLATE_LOCK_SUFFIX);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_close_ int fd = -1;

	if (access(lock, F_OK) < 0)
		return 0;
	error_free(lock_try(lock, LOCK_SHARED, &fd));
	if (fd >= 0)
		return 0;
	error_free(io_read_file(lock, LOCK_TEXT_LIMIT, &text));
	return (pid_t)strtol(strbuf_str(&text), NULL, 10);
}

/*
 * Takes the exclusive lock, or finds the template. Users may hold the lock for as long as they
 * like, so an existing template is used without waiting for them.
 */
static struct error *acquire(struct vm_template_draft *draft)
{
	_cleanup_free_ char *lock = vm_template_path(draft->name, VM_TEMPLATE_LOCK_SUFFIX);
	struct error *err;

	if (draft->lock_fd >= 0)
		close(take_fd(draft->lock_fd));
	for (;;) {
		err = vm_template_open(draft->key, &draft->found);
		if (err || draft->found)
			return err;
		err = lock_try(lock, LOCK_EXCLUSIVE, &draft->lock_fd);
		if (err)
			return err;
		if (draft->lock_fd >= 0)
			break;
		if (!cancel_sleep(draft->cancel, POLL_MS * NS_PER_MS))
			return cancel_error(draft->cancel, "waiting for a template");
	}
	draft->exclusive = true;
	leave_name(draft->lock_fd);
	/* Only the holder of the lock has a directory of this name: what is there was left. */
	return paths_remove(draft->dir);
}

struct error *vm_template_draft_begin(const char *key, const struct cancel *cancel,
				      struct vm_template_draft *ret)
{
	_cleanup_vm_template_draft_ struct vm_template_draft draft = { .lock_fd = -1 };
	_cleanup_free_ char *directory = paths_cache("templates");
	struct error *err;

	draft.key = xstrdup(key);
	draft.name = vm_template_name(key);
	draft.dir = vm_template_path(draft.name, VM_TEMPLATE_DRAFT_SUFFIX);
	draft.cancel = cancel;
	err = paths_make(directory, 0700);
	if (!err)
		err = acquire(&draft);
	if (err)
		return vm_template_draft_explain(&draft, err);
	*ret = draft;
	draft = (struct vm_template_draft){ .lock_fd = -1 };
	return NULL;
}

static bool has_name(int fd, const char *path)
{
	struct stat held, named;

	return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino &&
	       held.st_dev == named.st_dev;
}

/*
 * From maker to user. In between another process may get the lock, and may remove the
 * template and the lock file with it: the lock we then hold is useless.
 */
static struct error *share(struct vm_template_draft *draft, struct vm_template **ret)
{
	_cleanup_free_ char *lock = vm_template_path(draft->name, VM_TEMPLATE_LOCK_SUFFIX);
	struct error *err = NULL;

	draft->exclusive = false;
	if (flock(draft->lock_fd, LOCK_SH | LOCK_NB) < 0 || !has_name(draft->lock_fd, lock)) {
		close(take_fd(draft->lock_fd));
		err = lock_wait(lock, LOCK_SHARED, draft->cancel, &draft->lock_fd);
	}
	if (err)
		return err;
	*ret = vm_template_load(draft->name, draft->key);
	if (*ret)
		(*ret)->lock_fd = take_fd(draft->lock_fd);
	return NULL;
}

struct error *vm_template_draft_existing(struct vm_template_draft *draft, struct vm_template **ret)
{
	for (;;) {
		_cleanup_vm_template_ struct vm_template *seen = NULL;
		struct error *err;

		if (draft->found) {
			*ret = take_ptr(draft->found);
			return NULL;
		}
		seen = vm_template_load(draft->name, draft->key);
		if (!seen) {
			*ret = NULL;
			return NULL;
		}
		err = share(draft, ret);
		if (err || *ret)
			return err;
		err = acquire(draft);
		if (err)
			return err;
	}
}

struct error *vm_template_draft_make_dir(struct vm_template_draft *draft)
{
	struct error *err = paths_make(draft->dir, 0700);

	return error_wrap(vm_template_draft_explain(draft, err), "a new template");
}

struct error *vm_template_draft_explain(const struct vm_template_draft *draft, struct error *err)
{
	_cleanup_free_ char *top = paths_cache("");
	int errnum = err ? error_errno(err) : 0;
	uint64_t free_bytes;
	struct statvfs fs;

	if (!err || error_is(err, &vm_error_domain, VM_CACHE_FULL) ||
	    error_is(err, &base_error_domain, BASE_CANCELLED) ||
	    (statvfs(draft->dir, &fs) < 0 && statvfs(top, &fs) < 0))
		return err;
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	/* QEMU says only that it could not write; others say why. */
	if (errnum ? errnum != ENOSPC && errnum != EDQUOT : free_bytes >= NO_ROOM_BYTES)
		return err;
	err = error_recast(err, &vm_error_domain, VM_CACHE_FULL);
	return error_wrap(err, "%llu KiB are free in %s", (unsigned long long)free_bytes / 1024,
			  top);
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

static struct error *put_in_place(const struct vm_template_draft *draft)
{
	_cleanup_free_ char *final = vm_template_path(draft->name, "");
	struct error *err;

	/* One that was damaged, or we would not be making it. */
	err = paths_remove(final);
	if (err)
		return err;
	if (rename(draft->dir, final) < 0)
		return vm_error(VM_TEMPLATE, errno, "cannot rename the draft of %s", final);
	return io_sync_dir_of(final);
}

static struct error *finish(struct vm_template_draft *draft, const struct vm_template_proof *proof,
			    const struct vm_model *model, unsigned int n_ram,
			    struct vm_template **ret)
{
	uint64_t ram_bytes[TOPO_LIMIT_ASKED_NODES];
	struct vm_template_description d = {
		.key = draft->key,
		.proof = *proof,
		.has_model = model != NULL,
		.ram_bytes = { ram_bytes, n_ram },
	};
	_cleanup_free_ char *json = xasprintf("%s/template.json", draft->dir);
	struct error *err;

	if (model)
		d.model = *model;
	err = sync_file(draft->dir, "state", &d.state_bytes);
	for (unsigned int i = 0; !err && i < n_ram; i++) {
		char name[16];

		snprintf(name, sizeof(name), "ram.%u", i);
		err = sync_file(draft->dir, name, &ram_bytes[i]);
	}
	if (!err)
		err = vm_template_description_write(&d, json);
	if (!err)
		err = put_in_place(draft);
	if (err)
		return err;
	/* What cannot be removed is tried again by the next; the new one is good. */
	error_free(vm_template_evict(vm_template_limit_bytes(), draft->name));
	err = share(draft, ret);
	if (!err && !*ret)
		err = vm_error(VM_TEMPLATE, 0, "%s was removed as soon as it was made",
			       draft->name);
	return err;
}

struct error *vm_template_draft_finish(struct vm_template_draft *draft,
				       const struct vm_template_proof *proof,
				       const struct vm_model *model, unsigned int n_ram,
				       struct vm_template **ret)
{
	_cleanup_vm_template_ struct vm_template *made = NULL;
	struct error *err = finish(draft, proof, model, n_ram, &made);

	if (err)
		return vm_template_draft_explain(draft, err);
	*ret = take_ptr(made);
	return NULL;
}

static void remove_unfinished(const struct vm_template_draft *draft)
{
	_cleanup_free_ char *final = vm_template_path(draft->name, "");
	_cleanup_free_ char *lock = vm_template_path(draft->name, VM_TEMPLATE_LOCK_SUFFIX);

	error_free(paths_remove(draft->dir));
	if (access(final, F_OK) < 0)
		unlink(lock);
}

void vm_template_draft_deinit(struct vm_template_draft *draft)
{
	if (draft->exclusive)
		remove_unfinished(draft);
	if (draft->lock_fd >= 0)
		close(draft->lock_fd);
	vm_template_free(draft->found);
	free(draft->key);
	free(draft->name);
	free(draft->dir);
	*draft = (struct vm_template_draft){ .lock_fd = -1 };
}
