// SPDX-License-Identifier: LGPL-2.1-or-later
/* From a word to a cached kernel. */
#include "kernel/kernel.h"

#include <string.h>

#include "base/alloc.h"
#include "kernel/cache.h"

static struct error *not_cached(const char *wanted)
{
	/* What stands behind a version names a build that only its owner has. */
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
