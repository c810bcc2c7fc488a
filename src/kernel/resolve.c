// SPDX-License-Identifier: LGPL-2.1-or-later
/* From a word to a cached kernel. */
#include "kernel/kernel.h"

#include <glob.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "kernel/cache.h"

static struct error *not_cached(const char *wanted)
{
	/* Text after a version names a local build, which cannot be fetched. */
	if (!wanted)
		return kernel_error(KERNEL_NOT_CACHED, 0,
				    "no kernel is cached yet: run 'ktstr kernel fetch'");
	return kernel_error(KERNEL_NOT_CACHED, 0,
			    "kernel %s is not cached: run 'ktstr kernel fetch %s'", wanted, wanted);
}

/* The list is sorted, so the first that fits is the newest. */
static struct kernel *take_first(struct kernel_list *list, const struct kernel_version *wanted,
				 bool usable)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct kernel *kernel = list->at[i].kernel;
		struct kernel_version version;

		if (!kernel || (usable && kernel->scx != KERNEL_SCX_USABLE) ||
		    !kernel_version_parse(kernel->version, &version, NULL))
			continue;
		if (!wanted || kernel_version_matches(wanted, &version))
			return take_ptr(list->at[i].kernel);
	}
	return NULL;
}

static struct error *resolve_default(struct kernel_list *list, struct kernel **ret)
{
	struct kernel_version series;
	struct kernel *kernel = NULL;

	if (kernel_version_parse(KERNEL_DEFAULT_SERIES, &series, NULL))
		kernel = take_first(list, &series, true);
	if (!kernel)
		kernel = take_first(list, NULL, true);
	if (!kernel && list->n == 0)
		return not_cached(NULL);
	if (!kernel)
		return kernel_error(KERNEL_NOT_CACHED, 0,
				    "none of the %zu cached kernels is usable for sched_ext: run "
				    "'ktstr kernel fetch'",
				    list->n);
	*ret = kernel;
	return NULL;
}

static struct error *resolve_id(struct kernel_list *list, const char *wanted, struct kernel **ret)
{
	for (size_t i = 0; i < list->n; i++) {
		struct kernel_entry *entry = &list->at[i];

		if (strcmp(entry->id, wanted) != 0)
			continue;
		if (!entry->kernel)
			return kernel_error(KERNEL_CORRUPT, 0,
					    "the cached kernel %s is damaged (%s): run 'ktstr "
					    "kernel remove %s', then fetch it again",
					    entry->id, entry->damage, entry->id);
		*ret = take_ptr(entry->kernel);
		return NULL;
	}
	return NULL;
}

static struct error *resolve_word(struct kernel_list *list, const char *wanted, struct kernel **ret)
{
	struct kernel_version version;
	struct kernel *kernel = NULL;
	const char *rest;
	struct error *err = resolve_id(list, wanted, &kernel);

	if (err)
		return err;
	if (!kernel) {
		if (!kernel_version_parse(wanted, &version, &rest))
			return kernel_error(
				KERNEL_WORD, 0,
				"'%s' is not a kernel: give a series (6.18), a version, an "
				"id of 'ktstr kernel list', or a path with a slash",
				wanted);
		if (*rest == 0)
			kernel = take_first(list, &version, false);
	}
	if (!kernel)
		return not_cached(wanted);
	*ret = kernel;
	return NULL;
}

static struct error *resolve_path(const char *path, struct kernel **ret)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	_cleanup_free_ char *metadata = NULL;

	if (!real)
		return base_error(BASE_IO, errno, "%s", path);
	metadata = xasprintf("%s/" KERNEL_METADATA_FILE, real);
	/* A directory of a cache, ours or another one. */
	if (access(metadata, F_OK) == 0)
		return error_wrap(kernel_metadata_read(real, ret), "%s", path);
	return kernel_add(real, false, NULL, ret);
}

struct error *kernel_resolve(const char *wanted, struct kernel **ret)
{
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	struct error *err;

	if (!wanted)
		wanted = getenv("KTSTR_KERNEL");
	if (wanted && strchr(wanted, '/'))
		return resolve_path(wanted, ret);
	err = kernel_list_read(&list);
	if (err)
		return err;
	if (!wanted || !wanted[0] || strcmp(wanted, "default") == 0)
		return resolve_default(&list, ret);
	if (strcmp(wanted, "newest") == 0) {
		struct kernel *newest = take_first(&list, NULL, false);

		if (!newest)
			return not_cached(NULL);
		*ret = newest;
		return NULL;
	}
	return resolve_word(&list, wanted, ret);
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

struct error *kernel_find_image(const char *directory, char **ret)
{
	/* A build tree, a directory of ours or of somebody else's, an unpacked package. */
	static const char *const patterns[] = { "arch/x86/boot/bzImage", "bzImage", "vmlinuz",
						"vmlinuz-*", "vmlinux" };

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		_cleanup_free_ char *pattern = xasprintf("%s/%s", directory, patterns[i]);
		struct error *err = NULL;
		bool found = false;
		glob_t hits = { 0 };

		if (glob(pattern, GLOB_NOSORT, NULL, &hits) == 0) {
			found = hits.gl_pathc == 1 && is_file(hits.gl_pathv[0]);
			if (found)
				*ret = xstrdup(hits.gl_pathv[0]);
			else if (hits.gl_pathc > 1)
				err = kernel_error(KERNEL_NOT_KERNEL, 0,
						   "%s holds %zu kernels, name one of them",
						   directory, (size_t)hits.gl_pathc);
		}
		globfree(&hits);
		if (err || found)
			return err;
	}
	return kernel_error(KERNEL_NOT_KERNEL, 0, "%s holds neither bzImage, vmlinuz nor vmlinux",
			    directory);
}

char *kernel_find_config(const char *image_path)
{
	const char *name = strrchr(image_path, '/');
	int directory_n = name ? (int)(name - image_path) : 0;
	const char *release = name && strncmp(name, "/vmlinuz-", 9) == 0 ? name + 9 : NULL;
	char *candidates[] = {
		release ? xasprintf("%.*s/config-%s", directory_n, image_path, release) : NULL,
		name ? xasprintf("%.*s/config", directory_n, image_path) : NULL,
		name ? xasprintf("%.*s/.config", directory_n, image_path) : NULL,
		name ? xasprintf("%.*s/../../../.config", directory_n, image_path) : NULL,
	};
	char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(candidates); i++) {
		if (!found && candidates[i] && is_file(candidates[i]))
			found = candidates[i];
		else
			free(candidates[i]);
	}
	return found;
}

static uint64_t mtime_ns(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

/* The kernel that this very file became earlier. */
static bool is_taken(const struct kernel *kernel, const void *arg)
{
	const struct kernel_parcel *parcel = arg;

	return kernel->origin_path && strcmp(kernel->origin_path, parcel->origin_path) == 0 &&
	       kernel->origin_bytes == parcel->origin_bytes &&
	       kernel->origin_mtime_ns == parcel->origin_mtime_ns;
}

/* The same build with its modules, which a file cannot bring. */
static bool has_modules(const struct kernel *kernel, const void *arg)
{
	const struct kernel_image *image = arg;

	return kernel->modules_dir && kernel->build_id && image->build_id &&
	       strcmp(kernel->build_id, image->build_id) == 0;
}

static struct error *store_image(const struct kernel_image *image,
				 const struct kernel_parcel *parcel, struct kernel **ret)
{
	_cleanup_kernel_store_ struct kernel_store store = { 0 };
	struct error *err = kernel_store_begin(&store);

	return err ? err : kernel_store_commit(&store, image, parcel, ret);
}

static struct error *take_file(struct kernel_parcel *parcel, bool force,
			       const struct kernel_watch *watch, struct kernel **ret)
{
	const char *path = parcel->origin_path;
	_cleanup_close_ int lock = -1;
	_cleanup_free_ char *purpose = xasprintf("adding %s", path);
	_cleanup_free_ char *config = kernel_find_config(path);
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	_cleanup_kernel_ struct kernel *kept = NULL;
	_cleanup_kernel_image_ struct kernel_image *image = NULL;
	struct error *err = io_read_file(path, KERNEL_LIMIT_FILE_BYTES, &file);

	if (err)
		return err;
	parcel->config_path = config;
	parcel->file = (struct bytes){ (const uint8_t *)strbuf_str(&file), file.n };
	err = kernel_image_parse(parcel->file, path, &image);
	if (!err)
		err = kernel_cache_lock(purpose, watch, &lock);
	if (!err && !force)
		err = kernel_cache_find(has_modules, image, &kept);
	if (err)
		return err;
	if (!kept)
		return store_image(image, parcel, ret);
	kernel_say(watch,
		   "%s is cached already, from %s and with its modules: kept (--force replaces it)",
		   kept->id, kept->source);
	*ret = take_ptr(kept);
	return NULL;
}

struct error *kernel_add(const char *given, bool force, const struct kernel_watch *watch,
			 struct kernel **ret)
{
	_cleanup_free_ char *path = realpath(given, NULL);
	struct kernel_parcel parcel = { 0 };
	struct kernel *taken = NULL;
	struct error *err;
	struct stat st;

	if (!path || stat(path, &st) < 0)
		return base_error(BASE_IO, errno, "%s", given);
	if (S_ISDIR(st.st_mode)) {
		_cleanup_free_ char *image = NULL;

		err = kernel_find_image(path, &image);
		if (err)
			return err;
		free(path);
		path = take_ptr(image);
		if (stat(path, &st) < 0)
			return base_error(BASE_IO, errno, "%s", path);
	}
	if (!S_ISREG(st.st_mode))
		return kernel_error(KERNEL_NOT_KERNEL, 0, "%s is neither a file nor a directory",
				    given);
	parcel.label = parcel.source = parcel.origin_path = path;
	parcel.origin_bytes = (uint64_t)st.st_size;
	parcel.origin_mtime_ns = mtime_ns(&st);
	err = force ? NULL : kernel_cache_find(is_taken, &parcel, &taken);
	if (err)
		return err;
	if (!taken)
		return take_file(&parcel, force, watch, ret);
	*ret = taken;
	return NULL;
}
