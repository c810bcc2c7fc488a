// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/apt.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/paths.h"

enum { FRESH_SEC = 6 * 3600 };

/* private_apt.sh, as a string. */
extern const char ktstr_private_apt_start[];

void kernel_apt_deinit(struct kernel_apt *apt)
{
	free(apt->dir);
	free(apt->conf);
	*apt = (struct kernel_apt){ 0 };
}

static bool is_fresh(const char *stamp)
{
	struct stat st;

	return stat(stamp, &st) == 0 && st.st_mtime <= (time_t)clock_unix_sec() &&
	       (time_t)clock_unix_sec() - st.st_mtime < FRESH_SEC;
}

struct error *kernel_apt_script(const char *const *words, const char *label,
				const struct kernel_watch *watch)
{
	_cleanup_free_ char *script = xasprintf("%s\n\"$@\"\n", ktstr_private_apt_start);
	const char *argv[12] = { "sh", "-c", script, "private_apt.sh" };

	for (size_t n = 4; *words && n < ARRAY_SIZE(argv) - 1; n++)
		argv[n] = *words++;
	return kernel_run(&(struct kernel_run){ .argv = argv, .label = label }, watch, NULL);
}

struct error *kernel_apt_open(bool sid, bool fresh, const struct kernel_watch *watch,
			      struct kernel_apt *ret)
{
	const char *name = sid ? "with-sid" : "stable";
	_cleanup_kernel_apt_ struct kernel_apt apt = { .dir = paths_cache("kernel-apt") };
	_cleanup_free_ char *stamp = xasprintf("%s/%s.fresh", apt.dir, name);
	struct error *err = paths_make(apt.dir, 0755);

	if (err)
		return err;
	apt.conf = xasprintf("%s/%s.conf", apt.dir, name);
	if (fresh || !is_fresh(stamp)) {
		const char *const words[] = { "private_apt_renew", apt.dir, name,
					      sid ? "sid" : NULL, NULL };
		bool usable = access(stamp, F_OK) == 0;

		kernel_say(watch, "reading package lists");
		err = kernel_apt_script(words, "apt-get", watch);
		if (err && (!usable || error_is(err, &base_error_domain, BASE_CANCELLED)))
			return err;
		/* Without a network, lists that we have are better than none. */
		if (err)
			kernel_say(watch, "updating failed (%s); using older package lists",
				   error_message(err));
		error_free(err);
	}
	*ret = apt;
	apt = (struct kernel_apt){ 0 };
	return NULL;
}

static const char **join_words(const char *const *first, size_t n_first, const char *const *more,
			       size_t n_more)
{
	const char **argv = xcalloc(n_first + n_more + 1, sizeof(*argv));

	memcpy(argv, first, n_first * sizeof(*argv));
	if (n_more)
		memcpy(argv + n_first, more, n_more * sizeof(*argv));
	return argv;
}

struct error *kernel_apt_cache(const struct kernel_apt *apt, const struct kernel_watch *watch,
			       const char *verb, const char *const *names, size_t n,
			       struct strbuf *out)
{
	const char *const first[] = { "apt-cache", "-c", apt->conf, verb };
	_cleanup_free_ const char **argv = join_words(first, ARRAY_SIZE(first), names, n);

	return kernel_run(&(struct kernel_run){ .argv = argv }, watch, out);
}

struct error *kernel_apt_download(const struct kernel_apt *apt, const struct kernel_watch *watch,
				  const char *const *words, size_t n, uint64_t total_bytes,
				  const char *what, const char *directory)
{
	const char *const first[] = { "apt-get",	  "-c",	     apt->conf, "-q", "-o",
				      "APT::Status-Fd=3", "download" };
	_cleanup_free_ const char **argv = join_words(first, ARRAY_SIZE(first), words, n);

	return kernel_run(
		&(struct kernel_run){
			.argv = argv, .cwd = directory, .what = what, .total_bytes = total_bytes },
		watch, NULL);
}
