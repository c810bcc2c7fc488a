/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sample kernels put into a cache. */
#ifndef KTSTR_TESTS_KERNEL_CACHED_H
#define KTSTR_TESTS_KERNEL_CACHED_H

#include "kernel/cache.h"
#include "sample.h"

/* Adds a kernel with this banner from a file of the same name as its release. */
static inline void cached_add(const char *cache, const struct sample *sample, struct kernel **ret)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	_cleanup_free_ char *dir = xasprintf("%s/files", cache), *path = NULL, *name = NULL;
	struct kernel *kernel = NULL;

	assert_success(paths_make(dir, 0755));
	name = xasprintf("vmlinuz-%.*s-%u", (int)strcspn(sample->banner, " "), sample->banner,
			 sample->build_id_at);
	sample_bzimage(sample, &file);
	path = sample_write(dir, name, &file);
	assert_success(kernel_add(path, false, NULL, &kernel));
	if (ret)
		*ret = kernel;
	else
		kernel_free(kernel);
}

#endif
