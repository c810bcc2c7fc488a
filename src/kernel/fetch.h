/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels out of the distribution's archive. */
#ifndef KTSTR_KERNEL_FETCH_H
#define KTSTR_KERNEL_FETCH_H

#include "base/vec.h"
#include "kernel/kernel.h"

/* What package lists say about kernels: text of apt-cache in, candidates out. */

/*      id                       word */
#define KERNEL_FLAVOURS(X)                   \
	X(KERNEL_FLAVOUR_CLOUD, "cloud")     \
	X(KERNEL_FLAVOUR_GENERIC, "generic") \
	X(KERNEL_FLAVOUR_RT, "rt")

#define KERNEL_FLAVOUR_ENUM_(id, word) id,
enum kernel_flavour { KERNEL_FLAVOURS(KERNEL_FLAVOUR_ENUM_) KERNEL_N_FLAVOURS };
const char *kernel_flavour_name(enum kernel_flavour flavour);

struct kernel_package {
	char *name;
	char *version; /* Debian's */
	char *depends; /* "" when it needs nothing */
	uint64_t bytes;
};

struct kernel_packages {
	struct kernel_package *at;
	size_t n;
	size_t capacity;
};

void kernel_packages_deinit(struct kernel_packages *packages);
#define _cleanup_kernel_packages_ __attribute__((cleanup(kernel_packages_deinit)))

/*
 * Appends the stanzas of `apt-cache show`. Stanzas without name and version, or with names
 * that are not a package's, are passed over.
 */
struct error *kernel_packages_parse(const char *text, size_t n,
				    struct kernel_packages *into) MUST_CHECK;
/* The newest version of that name, or NULL. */
const struct kernel_package *kernel_packages_find(const struct kernel_packages *packages,
						  const char *name);

/* A package that one would install to get a kernel. Texts are borrowed from the packages. */
struct kernel_candidate {
	const struct kernel_package *package;
	char *release; /* "6.18.15+deb13-cloud-amd64" */
	enum kernel_flavour flavour;
	struct kernel_version version;
};

struct kernel_candidates {
	struct kernel_candidate *at;
	size_t n;
	size_t capacity;
};

void kernel_candidates_deinit(struct kernel_candidates *candidates);
#define _cleanup_kernel_candidates_ __attribute__((cleanup(kernel_candidates_deinit)))

/* Newest first; one of each release. */
void kernel_candidates_from(const struct kernel_packages *packages, enum kernel_flavour flavour,
			    struct kernel_candidates *ret);
/* From a name, e.g. linux-image-6.18.15+deb13-cloud-amd64; false when it is not an image. */
bool kernel_release_of_package(const char *name, char **ret_release,
			       enum kernel_flavour *ret_flavour) MUST_CHECK;

/*
 * Names in a Depends field that carry the release in them: the parts a kernel was cut into
 * (image, configuration, modules). Alternatives are all named, in order.
 */
void kernel_depends_of_release(const char *depends, const char *release,
			       void (*fn)(void *context, const char *name), void *context);

struct kernel_fetch {
	/* A series, a version, a release, "newest", or NULL for the default kernel. */
	const char *wanted;
	enum kernel_flavour flavour;
	bool sid;
};

/*
 * Finds, downloads, unpacks, checks and caches. What is cached already is not fetched again.
 * A default that is not usable for sched_ext is passed over; what was asked for by
 * number is kept whatever the check says. None there: KERNEL_NOT_IN_REACH, with what is.
 */
struct error *kernel_fetch(const struct kernel_fetch *fetch, const struct kernel_watch *watch,
			   struct kernel **ret) MUST_CHECK;

#endif
