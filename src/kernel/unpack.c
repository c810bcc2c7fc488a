// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/apt.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/paths.h"
#include "kernel/add.h"

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

/* The directory of modules is that of the release, wherever the packages have it. */
static char *find_modules(const struct kernel_unpack *unpack, const char *release)
{
	static const char *const places[] = { "usr/lib/modules", "lib/modules" };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *dir = xasprintf("%s/%s/%s", unpack->tree, places[i], release);
		_cleanup_free_ char *inside = xasprintf("%s/kernel", dir);

		if (access(inside, F_OK) == 0)
			return take_ptr(dir);
	}
	return NULL;
}

static struct error *install(struct kernel_unpack *unpack, const char *image_path,
			     const struct kernel_unpack_request *request, struct kernel **ret)
{
	_cleanup_free_ char *config = xasprintf("%s/config", unpack->store.work);
	_cleanup_free_ char *modules = find_modules(unpack, request->release);
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	_cleanup_kernel_image_ struct kernel_image *image = NULL;
	_cleanup_kernel_check_ struct kernel_check check = { 0 };
	struct kernel_parcel parcel = {
		.label = request->release,
		.config_path = access(config, F_OK) == 0 ? config : NULL,
		.modules_dir = modules,
		.flavour = request->flavour,
		.source = request->source,
		.suite = request->suite,
	};
	struct error *err = kernel_read_image(image_path, &file);

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
	const char *const words[] = { "private_apt_unpack", unpack->store.work, NULL };
	_cleanup_free_ char *image = xasprintf("%s/image", unpack->store.work);
	struct error *err;

	kernel_say(watch, "unpacking and checking %s", request->release);
	err = kernel_apt_script(words, "dpkg-deb", watch);
	if (err)
		return err;
	if (access(image, F_OK) < 0)
		return kernel_error(KERNEL_NOT_IN_REACH, 0, "the packages of %s contain no vmlinuz",
				    request->release);
	return install(unpack, image, request, ret);
}
