/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A private apt beside the system's: own lists, cache and sources; the system's mirror, keys
 * and proxies. Nothing outside $cache/kernel-apt is written. Who uses one holds the lock of the
 * kernel cache.
 */
#ifndef KTSTR_KERNEL_APT_H
#define KTSTR_KERNEL_APT_H

#include "base/strbuf.h"
#include "kernel/error.h"
#include "kernel/watch.h"

struct kernel_apt {
	char *dir;
	char *conf;
};

/* Lists not older than some hours; `fresh` asks for new ones, `sid` for that suite as well. */
struct error *kernel_apt_open(bool sid, bool fresh, const struct kernel_watch *watch,
			      struct kernel_apt *ret) MUST_CHECK;
void kernel_apt_deinit(struct kernel_apt *apt);
#define _cleanup_kernel_apt_ __attribute__((cleanup(kernel_apt_deinit)))

/* apt-cache VERB NAMES… */
struct error *kernel_apt_cache(const struct kernel_apt *apt, const struct kernel_watch *watch,
			       const char *verb, const char *const *names, size_t n,
			       struct strbuf *out) MUST_CHECK;
/* apt-get download WORDS… ("name=version") into a folder. */
struct error *kernel_apt_download(const struct kernel_apt *apt, const struct kernel_watch *watch,
				  const char *const *words, size_t n, uint64_t total_bytes,
				  const char *what, const char *folder) MUST_CHECK;

#endif
