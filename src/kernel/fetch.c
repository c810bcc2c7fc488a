// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/fetch.h"

#include <string.h>

#include "base/alloc.h"
#include "kernel/apt.h"
#include "kernel/cache.h"
#include "kernel/kernel.h"

struct fetching {
	const struct kernel_fetch *asked;
	const struct kernel_watch *watch;
	struct kernel_apt apt;
	struct kernel_packages packages;
	struct kernel_candidates candidates;
};

static void fetching_deinit(struct fetching *f)
{
	kernel_candidates_deinit(&f->candidates);
	kernel_packages_deinit(&f->packages);
	kernel_apt_deinit(&f->apt);
}

/* Stanzas of the packages named, one per line, in `names`. */
static struct error *show_packages(struct fetching *f, struct strbuf *names,
				   struct kernel_packages *into)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	VEC(const char *) words = VEC_INIT;
	char *save = NULL;
	struct error *err = NULL;

	for (char *name = names->n ? strtok_r(names->at, "\n", &save) : NULL; name;
	     name = strtok_r(NULL, "\n", &save))
		vec_push(&words, name);
	if (words.n)
		err = kernel_apt_cache(&f->apt, f->watch, "show", words.at, words.n, &text);
	vec_deinit(&words);
	return err ? err : kernel_packages_parse(strbuf_str(&text), text.n, into);
}

/* Every package that is a kernel's image by its name. */
static struct error *read_candidates(struct fetching *f)
{
	static const char *const prefix[] = { "linux-image-" };
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT, images = STRBUF_INIT;
	struct error *err = kernel_apt_cache(&f->apt, f->watch, "pkgnames", prefix, 1, &names);
	char *save = NULL;

	if (err)
		return err;
	for (char *name = names.n ? strtok_r(names.at, "\n", &save) : NULL; name;
	     name = strtok_r(NULL, "\n", &save)) {
		_cleanup_free_ char *release = NULL;
		enum kernel_flavour flavour;

		if (kernel_release_of_package(name, &release, &flavour) &&
		    flavour == f->asked->flavour)
			strbuf_appendf(&images, "%s\n", name);
	}
	err = show_packages(f, &images, &f->packages);
	if (!err)
		kernel_candidates_from(&f->packages, f->asked->flavour, &f->candidates);
	return err;
}

/* The packages of one kernel: names in the order found, stanzas of all but the image's own. */
struct parts {
	struct fetching *f;
	const char *release;
	struct kernel_packages packages;
	struct strbuf unknown; /* names whose stanzas are not read yet */
	char *names[KERNEL_LIMIT_PARTS];
	size_t n;
};

static void parts_deinit(struct parts *parts)
{
	strbuf_deinit(&parts->unknown);
	kernel_packages_deinit(&parts->packages);
	for (size_t i = 0; i < parts->n; i++)
		free(parts->names[i]);
}

static void note_part(void *context, const char *name)
{
	struct parts *parts = context;

	for (size_t i = 0; i < parts->n; i++) {
		if (strcmp(parts->names[i], name) == 0)
			return;
	}
	if (parts->n == KERNEL_LIMIT_PARTS)
		return;
	parts->names[parts->n++] = xstrdup(name);
	strbuf_appendf(&parts->unknown, "%s\n", name);
}

static const struct kernel_package *find_part(const struct parts *parts, const char *name)
{
	const struct kernel_package *package = kernel_packages_find(&parts->packages, name);

	return package ? package : kernel_packages_find(&parts->f->packages, name);
}

/*
 * A kernel may be cut into several packages: the image's own package depends on them. Parts
 * that left the archive are passed over; if the image itself was in one, unpacking will say
 * so.
 */
static struct error *collect_parts(struct parts *parts, const char *image)
{
	note_part(parts, image);
	strbuf_clear(&parts->unknown);
	for (size_t i = 0; i < parts->n; i++) {
		const struct kernel_package *package = find_part(parts, parts->names[i]);
		_cleanup_error_ struct error *err = NULL;

		if (!package)
			continue;
		kernel_depends_of_release(package->depends, parts->release, note_part, parts);
		if (parts->unknown.n == 0)
			continue;
		/* apt-cache fails when all of the names are gone. */
		err = show_packages(parts->f, &parts->unknown, &parts->packages);
		if (error_is(err, &base_error_domain, BASE_CANCELLED))
			return take_ptr(err);
		strbuf_clear(&parts->unknown);
	}
	return NULL;
}

static struct error *find_suite(struct fetching *f, const char *name, char **ret)
{
	const char *const names[] = { name };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = kernel_apt_cache(&f->apt, f->watch, "madison", names, 1, &text);
	const char *bar, *suite;

	if (err)
		return err;
	/* "name | version | URI suite/component arch Packages" */
	bar = strrchr(strbuf_str(&text), '|');
	suite = bar ? strchr(bar + 2, ' ') : NULL;
	*ret = suite ? xstrndup(suite + 1, strcspn(suite + 1, "/ \n")) : NULL;
	return NULL;
}

static struct error *fetch_candidate(struct fetching *f, const struct kernel_candidate *candidate,
				     struct kernel_unpack *unpack)
{
	_cleanup_(parts_deinit) struct parts parts = { .f = f, .release = candidate->release };
	char *words[KERNEL_LIMIT_PARTS] = { 0 };
	uint64_t total = 0;
	size_t n = 0;
	struct error *err = collect_parts(&parts, candidate->package->name);

	if (err)
		return err;
	for (size_t i = 0; i < parts.n; i++) {
		const struct kernel_package *package = find_part(&parts, parts.names[i]);

		if (!package)
			continue;
		words[n++] = xasprintf("%s=%s", package->name, package->version);
		total += package->bytes;
	}
	kernel_say(f->watch, "downloading %s: %.1f MB in %zu package%s", candidate->release,
		   (double)total / 1e6, n, n == 1 ? "" : "s");
	err = kernel_apt_download(&f->apt, f->watch, (const char *const *)words, n, total,
				  candidate->release, unpack->debs);
	for (size_t i = 0; i < n; i++)
		free(words[i]);
	return err;
}

static struct error *install_candidate(struct fetching *f, const struct kernel_candidate *candidate,
				       const char *source, bool only_usable, struct kernel **ret)
{
	_cleanup_free_ char *suite = NULL;
	_cleanup_kernel_unpack_ struct kernel_unpack unpack = { 0 };
	struct error *err = kernel_unpack_begin(&unpack);

	if (!err)
		err = find_suite(f, candidate->package->name, &suite);
	if (!err)
		err = fetch_candidate(f, candidate, &unpack);
	if (err)
		return err;
	return kernel_unpack_install(&unpack,
				     &(struct kernel_parcel){
					     .label = candidate->release,
					     .flavour = kernel_flavour_name(candidate->flavour),
					     .source = source,
					     .suite = suite,
				     },
				     only_usable, f->watch, ret);
}

/* Cached already, undamaged, from the same version of the package. */
static bool is_of_source(const struct kernel *kernel, const void *source)
{
	return strcmp(kernel->source, source) == 0;
}

static bool fits(const struct kernel_candidate *candidate, const char *wanted)
{
	struct kernel_version version;
	const char *rest;

	if (strcmp(wanted, "newest") == 0 || strcmp(wanted, candidate->release) == 0)
		return true;
	return kernel_version_parse(wanted, &version, &rest) && *rest == 0 &&
	       kernel_version_matches(&version, &candidate->version);
}

static struct error *not_in_reach(const struct fetching *f, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf series = STRBUF_INIT;
	struct kernel_version last = { 0 };

	for (size_t i = 0; i < f->candidates.n; i++) {
		const struct kernel_version *version = &f->candidates.at[i].version;

		if (version->major == last.major && version->minor == last.minor)
			continue;
		strbuf_appendf(&series, "%s%u.%u", series.n ? ", " : "", version->major,
			       version->minor);
		last = *version;
	}
	return kernel_error(KERNEL_NOT_IN_REACH, 0,
			    "no available package contains kernel %s, flavour %s; available: %s%s",
			    wanted, kernel_flavour_name(f->asked->flavour),
			    series.n ? strbuf_str(&series) : "none",
			    f->asked->sid ? "" : " (--sid reaches further)");
}

static struct error *fetch_index(struct fetching *f, size_t index, bool only_usable,
				 struct kernel **ret)
{
	const struct kernel_package *package = f->candidates.at[index].package;
	_cleanup_free_ char *source = xasprintf("%s %s", package->name, package->version);
	_cleanup_kernel_ struct kernel *cached = NULL;
	struct error *err = kernel_cache_find(is_of_source, source, &cached);

	if (err)
		return err;
	if (!cached)
		return install_candidate(f, &f->candidates.at[index], source, only_usable, ret);
	err = only_usable ? kernel_require_scx(cached) : NULL;
	if (!err)
		*ret = take_ptr(cached);
	return err;
}

static struct error *fetch_wanted(struct fetching *f, const char *wanted, struct kernel **ret)
{
	for (size_t i = 0; i < f->candidates.n; i++) {
		if (fits(&f->candidates.at[i], wanted))
			return fetch_index(f, i, false, ret);
	}
	return not_in_reach(f, wanted);
}

/* The newest of each series, beginning with the default one and then with the newest. */
static struct error *fetch_default(struct fetching *f, struct kernel **ret)
{
	_cleanup_strbuf_ struct strbuf refused = STRBUF_INIT;
	struct kernel_version last = { 0 };
	size_t tries = 0;

	for (size_t i = 0; i < f->candidates.n; i++) {
		if (fits(&f->candidates.at[i], KERNEL_DEFAULT_SERIES)) {
			_cleanup_error_ struct error *err = fetch_index(f, i, true, ret);

			if (!error_is(err, &kernel_error_domain, KERNEL_NO_SCX))
				return take_ptr(err);
			break;
		}
	}
	for (size_t i = 0; i < f->candidates.n && tries < KERNEL_LIMIT_TRIES; i++) {
		const struct kernel_version version = f->candidates.at[i].version;
		_cleanup_error_ struct error *err = NULL;

		if (version.major == last.major && version.minor == last.minor)
			continue;
		last = version;
		tries++;
		err = fetch_index(f, i, true, ret);
		if (!error_is(err, &kernel_error_domain, KERNEL_NO_SCX))
			return take_ptr(err);
		kernel_say(f->watch, "passing over %s", error_message(err));
		strbuf_appendf(&refused, "%s%u.%u", refused.n ? ", " : "", version.major,
			       version.minor);
	}
	return kernel_error(KERNEL_NOT_IN_REACH, 0,
			    "no available kernel is usable for sched_ext; tried: %s",
			    refused.n ? strbuf_str(&refused) : "none");
}

static struct error *fetch_with_lists(const struct kernel_fetch *fetch,
				      const struct kernel_watch *watch, bool fresh,
				      struct kernel **ret)
{
	_cleanup_(fetching_deinit) struct fetching f = { .asked = fetch, .watch = watch };
	struct error *err = kernel_apt_open(fetch->sid, fresh, watch, &f.apt);

	if (!err)
		err = read_candidates(&f);
	if (err)
		return err;
	return fetch->wanted ? fetch_wanted(&f, fetch->wanted, ret) : fetch_default(&f, ret);
}

struct error *kernel_fetch(const struct kernel_fetch *fetch, const struct kernel_watch *watch,
			   struct kernel **ret)
{
	_cleanup_free_ char *purpose = xasprintf(
		"fetching %s", fetch->wanted ? fetch->wanted : "the default kernel");
	_cleanup_close_ int lock = -1;
	struct error *err = kernel_cache_lock(purpose, watch, &lock);

	if (err)
		return err;
	err = fetch_with_lists(fetch, watch, false, ret);
	/* Lists of some hours ago may name what is gone, or not yet what is new. */
	if (error_is(err, &kernel_error_domain, KERNEL_NOT_IN_REACH) ||
	    error_is(err, &kernel_error_domain, KERNEL_APT)) {
		error_free(err);
		err = fetch_with_lists(fetch, watch, true, ret);
	}
	return err;
}
