/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A private apt beside the system's: own lists, cache and sources; the system's mirror, keys
 * and proxies. Nothing outside $cache/kernel-apt is written. The caller holds the lock of the
 * kernel cache.
 */
#ifndef KTSTR_KERNEL_APT_H
#define KTSTR_KERNEL_APT_H

#include "base/strbuf.h"
#include "kernel/kernel.h"
#include "kernel/cache.h"

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
/* apt-get download WORDS… ("name=version") into a directory. */
struct error *kernel_apt_download(const struct kernel_apt *apt, const struct kernel_watch *watch,
				  const char *const *words, size_t n, uint64_t total_bytes,
				  const char *what, const char *directory) MUST_CHECK;

/* Running apt and dpkg: output kept, progress passed on, ended when the work is cancelled. */
struct kernel_run {
	const char *const *argv;
	const char *label; /* what messages call it; NULL: argv[0] */
	const char *cwd;   /* NULL: ours */
	/* Of a download, for the progress; with total_bytes 0 there is none. */
	const char *what;
	uint64_t total_bytes;
};

/*
 * Appends standard output to *out (may be NULL). Any end but exit status 0 is KERNEL_APT with
 * the last line the program complained with. Descriptor 3 of the child takes apt's status
 * lines.
 */
struct error *kernel_run(const struct kernel_run *run, const struct kernel_watch *watch,
			 struct strbuf *out) MUST_CHECK;
/* Percent in hundredths of a line like "dlstatus:1:33.3333:Retrieving …"; false for others. */
bool kernel_run_parse_status(const char *line, uint32_t *ret_hundredths) MUST_CHECK;

/* From downloaded packages to a cached kernel. */
struct kernel_unpack {
	struct kernel_store store;
	char *debs; /* where the packages are downloaded to */
	char *tree; /* where they are unpacked */
};

struct error *kernel_unpack_begin(struct kernel_unpack *ret) MUST_CHECK;
void kernel_unpack_deinit(struct kernel_unpack *unpack);
#define _cleanup_kernel_unpack_ __attribute__((cleanup(kernel_unpack_deinit)))

/*
 * The image is whatever file of the packages is called vmlinuz…, wherever it stands. The parcel
 * says the rest: its label is the release. With only_usable a kernel that is not is KERNEL_NO_SCX,
 * and nothing is cached.
 */
struct error *kernel_unpack_install(struct kernel_unpack *unpack, const struct kernel_parcel *known,
				    bool only_usable, const struct kernel_watch *watch,
				    struct kernel **ret) MUST_CHECK;

#endif
