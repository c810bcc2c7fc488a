/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An archive of sample kernels behind an apt of our own; see fake-archive. */
#ifndef KTSTR_TESTS_KERNEL_ARCHIVE_H
#define KTSTR_TESTS_KERNEL_ARCHIVE_H

#include "sample.h"

static inline void archive_image(const char *cache, const char *release, unsigned int leaky)
{
	_cleanup_free_ char *images = xasprintf("%s/archive/images", cache);
	_cleanup_free_ char *banner = xasprintf("%s x", release);
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;

	assert_success(paths_make(images, 0755));
	sample_bzimage(&(struct sample){ .banner = banner, .leaky = leaky }, &file);
	free(sample_write(images, release, &file));
}

/* Puts its apt in front of the real one. `words` are fake-archive's. */
static inline void archive_begin(const char *cache, const char *words)
{
	static char *real_path;
	_cleanup_free_ char *command = xasprintf("%s %s/archive %s", FAKE_ARCHIVE, cache, words);
	_cleanup_free_ char *archive = xasprintf("%s/archive", cache), *path = NULL;

	if (!real_path)
		real_path = xstrdup(getenv("PATH"));
	assert_success(paths_make(archive, 0755));
	assert_int_equal(system(command), 0);
	path = xasprintf("%s/archive/bin:%s", cache, real_path);
	assert_int_equal(setenv("PATH", path, 1), 0);
}

static inline char *archive_log(const char *cache)
{
	_cleanup_free_ char *path = xasprintf("%s/archive/log", cache);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(io_read_file(path, 1 << 20, &text));
	strbuf_append(&text, "");
	return strbuf_take(&text);
}

#endif
