// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/fetch.h"

#include <string.h>

#include "base/str.h"
#include "kernel/kernel.h"

#define FLAVOUR_ROW_(id, word) [id] = (word),
static const char *const flavour_words[] = { KERNEL_FLAVOURS(FLAVOUR_ROW_) };

const char *kernel_flavour_name(enum kernel_flavour flavour)
{
	return flavour_words[flavour];
}

static void package_deinit(struct kernel_package *package)
{
	free(package->name);
	free(package->version);
	free(package->depends);
	*package = (struct kernel_package){ 0 };
}

void kernel_packages_deinit(struct kernel_packages *packages)
{
	for (size_t i = 0; i < packages->n; i++)
		package_deinit(&packages->at[i]);
	vec_deinit(packages);
}

/* What dpkg allows in a name and in a version; so neither can be an option or a path. */
static bool is_package_word(const char *text)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789+-.~:";

	return text && text[0] && text[0] != '-' && strspn(text, allowed) == strlen(text);
}

static void finish(struct kernel_packages *into, struct kernel_package *package)
{
	if (!is_package_word(package->name) || !is_package_word(package->version)) {
		package_deinit(package);
		return;
	}
	if (!package->depends)
		package->depends = xstrdup("");
	vec_push(into, *package);
	*package = (struct kernel_package){ 0 };
}

/* Lines that go on from the one before begin with a blank. */
static void read_line(struct kernel_package *package, struct slice line)
{
	struct slice key, value;
	char **into = NULL;

	if (slice_is_blank(line.at[0]) || !slice_split_pair(line, &key, &value))
		return;
	if (slice_equal(key, "Package"))
		into = &package->name;
	else if (slice_equal(key, "Version"))
		into = &package->version;
	else if (slice_equal(key, "Depends"))
		into = &package->depends;
	else if (slice_equal(key, "Size") && !slice_u64(value, &package->bytes))
		package->bytes = 0;
	if (into) {
		free(*into);
		*into = xstrndup(value.at, value.n);
	}
}

struct error *kernel_packages_parse(const char *text, size_t n, struct kernel_packages *into)
{
	struct kernel_package package = { 0 };
	struct slice rest = { text, n }, line;

	while (slice_take_line(&rest, &line)) {
		if (into->n >= KERNEL_LIMIT_PACKAGES) {
			package_deinit(&package);
			return base_error(BASE_LIMIT, 0, "more than %d packages of kernels",
					  KERNEL_LIMIT_PACKAGES);
		}
		if (line.n == 0)
			finish(into, &package);
		else
			read_line(&package, line);
	}
	finish(into, &package);
	return NULL;
}

const struct kernel_package *kernel_packages_find(const struct kernel_packages *packages,
						  const char *name)
{
	const struct kernel_package *newest = NULL;

	for (size_t i = 0; i < packages->n; i++) {
		const struct kernel_package *package = &packages->at[i];

		if (strcmp(package->name, name) == 0 &&
		    (!newest || strverscmp(package->version, newest->version) > 0))
			newest = package;
	}
	return newest;
}

static bool take_ending(char *text, const char *ending)
{
	size_t n = strlen(text), ending_n = strlen(ending);

	if (n <= ending_n || !str_ends_with(text, ending))
		return false;
	text[n - ending_n] = 0;
	return true;
}

bool kernel_release_of_package(const char *name, char **ret_release,
			       enum kernel_flavour *ret_flavour)
{
	static const char prefix[] = "linux-image-";
	_cleanup_free_ char *release = NULL, *rest = NULL;
	enum kernel_flavour flavour = KERNEL_FLAVOUR_GENERIC;
	struct kernel_version version;

	if (!str_starts_with(name, prefix))
		return false;
	release = xstrdup(name + sizeof(prefix) - 1);
	/* Not signed is as good for a guest, where no signed one exists. */
	take_ending(release, "-unsigned");
	rest = xstrdup(release);
	/* A series without a patch level is a package that only points to the newest. */
	if (!take_ending(rest, "-amd64") || !kernel_version_parse(rest, &version, NULL) ||
	    !version.has_patch || !kernel_name_is_safe(release))
		return false;
	if (take_ending(rest, "-cloud"))
		flavour = KERNEL_FLAVOUR_CLOUD;
	else if (take_ending(rest, "-rt"))
		flavour = KERNEL_FLAVOUR_RT;
	*ret_release = take_ptr(release);
	*ret_flavour = flavour;
	return true;
}

void kernel_candidates_deinit(struct kernel_candidates *candidates)
{
	for (size_t i = 0; i < candidates->n; i++)
		free(candidates->at[i].release);
	vec_deinit(candidates);
}

static int compare_candidates(const void *a_, const void *b_)
{
	const struct kernel_candidate *a = a_, *b = b_;
	int order = kernel_version_compare(&b->version, &a->version);

	if (!order)
		order = strverscmp(b->package->version, a->package->version);
	/* The signed one has the shorter name. */
	if (!order)
		order = strcmp(a->package->name, b->package->name);
	return order;
}

void kernel_candidates_from(const struct kernel_packages *packages, enum kernel_flavour flavour,
			    struct kernel_candidates *ret)
{
	struct kernel_candidates all = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < packages->n; i++) {
		struct kernel_candidate candidate = { .package = &packages->at[i] };

		if (!kernel_release_of_package(packages->at[i].name, &candidate.release,
					       &candidate.flavour))
			continue;
		if (candidate.flavour == flavour &&
		    kernel_version_parse(packages->at[i].version, &candidate.version, NULL))
			vec_push(&all, candidate);
		else
			free(candidate.release);
	}
	if (all.n)
		qsort(all.at, all.n, sizeof(*all.at), compare_candidates);
	/* Several versions of one package, signed and not: the first is the best. */
	for (size_t i = 0; i < all.n; i++) {
		bool seen = false;

		for (size_t k = 0; k < kept && !seen; k++)
			seen = strcmp(all.at[k].release, all.at[i].release) == 0;
		if (seen)
			free(all.at[i].release);
		else
			all.at[kept++] = all.at[i];
	}
	all.n = kept;
	*ret = all;
}

void kernel_depends_of_release(const char *depends, const char *release,
			       void (*fn)(void *context, const char *name), void *context)
{
	const char *at = depends;

	while (*at) {
		size_t n;

		at += strspn(at, " ,|\t");
		n = strcspn(at, " ,|\t(:[");
		if (n) {
			_cleanup_free_ char *name = xstrndup(at, n);

			if (strstr(name, release) && is_package_word(name))
				fn(context, name);
		}
		at += n;
		/* Versions and architectures in brackets are not names. */
		at += strcspn(at, ",|");
	}
}
