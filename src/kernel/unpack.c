// SPDX-License-Identifier: LGPL-2.1-or-later

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/paths.h"
#include "kernel/add.h"
#include "kernel/limits.h"
#include "kernel/apt.h"

struct error *kernel_unpack_begin(struct kernel_unpack *ret)
{
	struct kernel_unpack unpack = { 0 };
	struct error *err = kernel_store_begin(&unpack.store);

	if (err)
		return err;
	unpack.debs = xasprintf("%s/debs", unpack.store.work);
	unpack.tree = xasprintf("%s/tree", unpack.store.work);
	err = paths_make(unpack.debs, 0755);
	if (!err)
		err = paths_make(unpack.tree, 0755);
	if (err) {
		kernel_unpack_deinit(&unpack);
		return err;
	}
	*ret = unpack;
	return NULL;
}

void kernel_unpack_deinit(struct kernel_unpack *unpack)
{
	kernel_store_deinit(&unpack->store);
	free(unpack->debs);
	free(unpack->tree);
	unpack->debs = unpack->tree = NULL;
}

static struct error *unpack_all(const struct kernel_unpack *unpack,
				const struct kernel_watch *watch)
{
	_cleanup_dir_ DIR *dir = opendir(unpack->debs);
	struct dirent *found;

	if (!dir)
		return base_error(BASE_IO, errno, "open %s", unpack->debs);
	while ((found = readdir(dir)) != NULL) {
		_cleanup_free_ char *deb = xasprintf("%s/%s", unpack->debs, found->d_name);
		const char *const argv[] = { "dpkg-deb", "-x", deb, unpack->tree, NULL };
		struct error *err;

		if (found->d_name[0] == '.')
			continue;
		err = kernel_run(&(struct kernel_run){ .argv = argv }, watch, NULL);
		if (err)
			return err;
		/* Not needed any more; an unpacked generic kernel is large enough. */
		err = paths_remove(deb);
		if (err)
			return err;
	}
	return NULL;
}

/* Looks through a tree for regular files, and for the folder of modules. */
struct search {
	const char *release;
	char *image;
	char *config;
	char *modules;
};

static struct error *search_tree(struct search *search, const char *folder, unsigned int depth)
{
	_cleanup_dir_ DIR *dir = opendir(folder);
	struct dirent *found;

	if (!dir)
		return base_error(BASE_IO, errno, "open %s", folder);
	if (depth == 0)
		return base_error(BASE_LIMIT, 0, "%s is nested too deeply", folder);
	while ((found = readdir(dir)) != NULL) {
		_cleanup_free_ char *path = xasprintf("%s/%s", folder, found->d_name);
		const char *name = found->d_name;
		struct error *err = NULL;
		struct stat st;

		if (name[0] == '.' || lstat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode)) {
			if (!search->modules && strcmp(name, search->release) == 0 &&
			    strstr(folder, "/lib/modules"))
				search->modules = xstrdup(path);
			err = search_tree(search, path, depth - 1);
		} else if (S_ISREG(st.st_mode)) {
			if (!search->image && strncmp(name, "vmlinuz", 7) == 0)
				search->image = xstrdup(path);
			if (!search->config &&
			    (strcmp(name, "config") == 0 || strncmp(name, "config-", 7) == 0))
				search->config = xstrdup(path);
		}
		if (err)
			return err;
	}
	return NULL;
}

static void search_deinit(struct search *search)
{
	free(search->image);
	free(search->config);
	free(search->modules);
}

/* Since 7.2 image and configuration stand among the modules, where they would be kept twice. */
static struct error *move_out(const struct kernel_unpack *unpack, const char *name, char **path)
{
	_cleanup_free_ char *to = xasprintf("%s/%s", unpack->store.work, name);

	if (!*path)
		return NULL;
	if (rename(*path, to) < 0)
		return base_error(BASE_IO, errno, "rename %s to %s", *path, to);
	free(*path);
	*path = take_ptr(to);
	return NULL;
}

static bool has_kernel_folder(const char *modules)
{
	_cleanup_free_ char *path = modules ? xasprintf("%s/kernel", modules) : NULL;

	return path && access(path, F_OK) == 0;
}

static struct error *install(struct kernel_unpack *unpack, const struct search *found,
			     const struct kernel_unpack_request *request, struct kernel **ret)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	_cleanup_kernel_image_ struct kernel_image *image = NULL;
	_cleanup_kernel_check_ struct kernel_check check = { 0 };
	struct kernel_parcel parcel = {
		.label = request->release,
		.config_path = found->config,
		.modules_dir = has_kernel_folder(found->modules) ? found->modules : NULL,
		.flavour = request->flavour,
		.source = request->source,
		.suite = request->suite,
	};
	struct error *err = kernel_read_image(found->image, &file);

	if (err)
		return err;
	parcel.file = (struct bytes){ (const uint8_t *)strbuf_str(&file), file.n };
	err = kernel_image_parse(parcel.file, request->release, &image);
	if (!err && request->only_usable) {
		err = kernel_check_btf(image->btf, request->release, &check);
		if (!err && check.verdict != KERNEL_SCX_USABLE)
			err = kernel_error(KERNEL_NO_SCX, 0,
					   "kernel %s cannot be used for sched_ext: %s",
					   request->release, check.reason);
	}
	return err ? err : kernel_store_commit(&unpack->store, image, &parcel, ret);
}

struct error *kernel_unpack_install(struct kernel_unpack *unpack,
				    const struct kernel_unpack_request *request,
				    const struct kernel_watch *watch, struct kernel **ret)
{
	_cleanup_(search_deinit) struct search found = { .release = request->release };
	struct error *err;

	kernel_say(watch, "unpacking and checking %s", request->release);
	err = unpack_all(unpack, watch);
	if (!err)
		err = search_tree(&found, unpack->tree, KERNEL_LIMIT_TREE_DEPTH);
	if (err)
		return err;
	if (!found.image)
		return kernel_error(KERNEL_NOT_IN_REACH, 0,
				    "the packages of %s hold no file called vmlinuz",
				    request->release);
	err = move_out(unpack, "image", &found.image);
	if (!err)
		err = move_out(unpack, "config", &found.config);
	return err ? err : install(unpack, &found, request, ret);
}
