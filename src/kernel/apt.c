// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/apt.h"

#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/paths.h"
#include "kernel/limits.h"
#include "kernel/run.h"
#include "kernel/sources.h"

enum { FRESH_SEC = 6 * 3600, OS_RELEASE_LIMIT = 1 << 16, RELEASE_LIMIT = 16 << 20 };

void kernel_apt_deinit(struct kernel_apt *apt)
{
	free(apt->dir);
	free(apt->conf);
	*apt = (struct kernel_apt){ 0 };
}

/*
 * Hooks of the system's apt are for the system's lists and fail for ordinary users; the
 * download user cannot enter a home directory. A suite may be renamed by a release of Debian.
 */
static struct error *write_conf(const char *dir, const char *name, const char *sources,
				char **ret_path)
{
	_cleanup_free_ char *lists = xasprintf("%s/%s/lists/partial", dir, name);
	_cleanup_free_ char *archives = xasprintf("%s/%s/cache/archives/partial", dir, name);
	_cleanup_free_ char *path = xasprintf("%s/%s.conf", dir, name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err;

	if (strpbrk(dir, "\"\\\n;"))
		return kernel_error(KERNEL_APT, 0,
				    "the cache's path %s has characters that apt cannot take", dir);
	strbuf_appendf(&text,
		       "#clear APT::Update::Pre-Invoke;\n"
		       "#clear APT::Update::Post-Invoke;\n"
		       "#clear APT::Update::Post-Invoke-Success;\n"
		       "Dir::State::lists \"%s/%s/lists\";\n"
		       "Dir::Cache \"%s/%s/cache\";\n"
		       "Dir::Cache::archives \"archives\";\n"
		       "Dir::Cache::pkgcache \"pkgcache.bin\";\n"
		       "Dir::Cache::srcpkgcache \"srcpkgcache.bin\";\n"
		       "APT::Sandbox::User \"root\";\n"
		       "APT::Default-Release \"\";\n"
		       "Acquire::AllowReleaseInfoChange \"true\";\n"
		       "Acquire::Languages \"none\";\n"
		       "Acquire::Retries \"3\";\n"
		       "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled \"false\";\n",
		       dir, name, dir, name);
	if (sources)
		strbuf_appendf(&text,
			       "Dir::Etc::sourcelist \"%s\";\n"
			       "Dir::Etc::sourceparts \"-\";\n",
			       sources);
	err = paths_make(lists, 0755);
	if (!err)
		err = paths_make(archives, 0755);
	if (!err)
		err = io_replace_file(path, text.at, text.n);
	if (!err)
		*ret_path = take_ptr(path);
	return err;
}

static struct error *apt_get(const char *conf, const struct kernel_watch *watch,
			     const char *const *words, struct strbuf *out)
{
	const char *argv[16] = { "apt-get", "-c", conf, "-q" };
	size_t n = 4;

	for (; *words; words++)
		argv[n++] = *words;
	return kernel_run(&(struct kernel_run){ .argv = argv }, watch, out);
}

/* VERSION_CODENAME of the system. */
static struct error *read_codename(char **ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = io_read_file("/etc/os-release", OS_RELEASE_LIMIT, &text);
	char *save = NULL;

	if (err)
		return err;
	for (char *line = text.n ? strtok_r(text.at, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "VERSION_CODENAME=", 17) != 0)
			continue;
		line += 17;
		line += *line == '"';
		*ret = xstrndup(line, strcspn(line, "\""));
		return NULL;
	}
	return kernel_error(KERNEL_APT, 0, "/etc/os-release has no VERSION_CODENAME");
}

static struct error *ask_targets(const char *conf, const struct kernel_watch *watch,
				 const char *codename, struct kernel_sources *ret)
{
	static const char *const words[] = { "indextargets", "--format", KERNEL_SOURCES_FORMAT,
					     "Created-By: Packages", NULL };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = apt_get(conf, watch, words, &text);

	return err ? err : kernel_sources_parse(strbuf_str(&text), text.n, codename, ret);
}

/*
 * The system's sources are read into private lists. A third-party source that fails is no
 * concern of ours, so only the answer counts.
 */
static struct error *discover(const char *dir, const struct kernel_watch *watch,
			      struct kernel_sources *ret)
{
	static const char *const update[] = { "update", NULL };
	_cleanup_free_ char *conf = NULL, *codename = NULL;
	struct error *err = read_codename(&codename), *update_err;

	if (!err)
		err = write_conf(dir, "system", NULL, &conf);
	if (err)
		return err;
	update_err = apt_get(conf, watch, update, NULL);
	if (error_is(update_err, &base_error_domain, BASE_CANCELLED))
		return update_err;
	err = ask_targets(conf, watch, codename, ret);
	if (err && update_err) {
		error_free(err);
		return update_err;
	}
	error_free(update_err);
	if (!err)
		kernel_sources_read_keys(ret);
	return err;
}

/*
 * Some suites exist on some mirrors only, and those of the next release only after a while.
 * The suite is asked for by its codename, if its release file says one: caches on the way
 * keep what stands behind "stable" apart from what stands behind the name it has for good.
 */
static struct error *add_if_there(const char *dir, const char *conf,
				  const struct kernel_watch *watch, const char *suite,
				  struct kernel_sources *sources)
{
	_cleanup_free_ char *uri = xasprintf(
		"%s%sdists/%s/InRelease", sources->uri,
		sources->uri[strlen(sources->uri) - 1] == '/' ? "" : "/", suite);
	_cleanup_free_ char *file = xasprintf("%s/probe", dir);
	const char *const argv[] = {
		"/usr/lib/apt/apt-helper", "-c", conf, "download-file", uri, file, NULL
	};
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = kernel_run(&(struct kernel_run){ .argv = argv }, watch, NULL);

	if (error_is(err, &base_error_domain, BASE_CANCELLED))
		return err;
	if (!err)
		err = io_read_file(file, RELEASE_LIMIT, &text);
	if (!err) {
		_cleanup_free_ char *codename = kernel_sources_codename(strbuf_str(&text), text.n);

		kernel_sources_add(sources, codename ? codename : suite);
	}
	error_free(err);
	return paths_remove(file);
}

static struct error *collect_sources(const char *dir, bool sid, const struct kernel_watch *watch,
				     struct strbuf *text)
{
	_cleanup_kernel_sources_ struct kernel_sources sources = { 0 };
	_cleanup_free_ char *conf = xasprintf("%s/system.conf", dir);
	_cleanup_free_ char *own = NULL, *next = NULL, *codename = NULL;
	struct error *err = discover(dir, watch, &sources);

	if (!err)
		err = read_codename(&codename);
	if (err)
		return err;
	own = xasprintf("%s-backports", codename);
	err = add_if_there(dir, conf, watch, own, &sources);
	if (!err && sources.next) {
		next = xasprintf("%s-backports", sources.next);
		err = add_if_there(dir, conf, watch, next, &sources);
	}
	if (err)
		return err;
	if (sid)
		kernel_sources_add(&sources, "sid");
	kernel_sources_format(&sources, text);
	return NULL;
}

static bool is_fresh(const char *stamp)
{
	struct stat st;

	return stat(stamp, &st) == 0 && st.st_mtime <= (time_t)clock_unix_sec() &&
	       (time_t)clock_unix_sec() - st.st_mtime < FRESH_SEC;
}

static struct error *renew(const struct kernel_apt *apt, const char *sources, const char *stamp,
			   bool sid, const struct kernel_watch *watch)
{
	static const char *const update[] = { "update", NULL };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = collect_sources(apt->dir, sid, watch, &text);

	if (!err)
		err = io_replace_file(sources, strbuf_str(&text), text.n);
	if (!err)
		err = apt_get(apt->conf, watch, update, NULL);
	if (!err)
		err = io_replace_file(stamp, "", 0);
	return err;
}

struct error *kernel_apt_open(bool sid, bool fresh, const struct kernel_watch *watch,
			      struct kernel_apt *ret)
{
	const char *name = sid ? "with-sid" : "stable";
	_cleanup_kernel_apt_ struct kernel_apt apt = { .dir = paths_cache("kernel-apt") };
	_cleanup_free_ char *sources = xasprintf("%s/%s.sources", apt.dir, name);
	_cleanup_free_ char *stamp = xasprintf("%s/%s.fresh", apt.dir, name);
	struct error *err = paths_make(apt.dir, 0755);

	if (!err)
		err = write_conf(apt.dir, name, sources, &apt.conf);
	if (err)
		return err;
	if (fresh || !is_fresh(stamp)) {
		bool usable = access(stamp, F_OK) == 0;

		kernel_say(watch, "reading package lists");
		err = renew(&apt, sources, stamp, sid, watch);
		if (err && (!usable || error_is(err, &base_error_domain, BASE_CANCELLED)))
			return err;
		/* Without a network, lists that we have are better than none. */
		if (err)
			kernel_say(watch, "that failed (%s); going on with older lists",
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
				  const char *what, const char *folder)
{
	const char *const first[] = { "apt-get",	  "-c",	     apt->conf, "-q", "-o",
				      "APT::Status-Fd=3", "download" };
	_cleanup_free_ const char **argv = join_words(first, ARRAY_SIZE(first), words, n);

	return kernel_run(
		&(struct kernel_run){
			.argv = argv, .cwd = folder, .what = what, .total_bytes = total_bytes },
		watch, NULL);
}
