/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels out of the distribution's archive. */
#ifndef KTSTR_KERNEL_FETCH_H
#define KTSTR_KERNEL_FETCH_H

#include "kernel/kernel.h"
#include "kernel/packages.h"

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
