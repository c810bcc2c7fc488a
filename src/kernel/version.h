/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Versions of kernels and the words people ask for them with. */
#ifndef KTSTR_KERNEL_VERSION_H
#define KTSTR_KERNEL_VERSION_H

#include "base/macros.h"

struct kernel_version {
	uint32_t major, minor, patch;
	bool has_patch;
};

/*
 * The numbers a text starts with: "6.18", "6.18.15+deb13-cloud-amd64". False when there are
 * not two of them. *ret_rest, if not NULL, is what follows them.
 */
bool kernel_version_parse(const char *text, struct kernel_version *ret,
			  const char **ret_rest) MUST_CHECK;
/* Less than, equal to or greater than 0; a missing patch level is 0. */
int kernel_version_compare(const struct kernel_version *a, const struct kernel_version *b);
/* A series holds every version of it; a version is only itself. */
bool kernel_version_matches(const struct kernel_version *wanted, const struct kernel_version *have);
/* Fit to become the name of a directory: letters, digits and +-._~, no leading dot. */
bool kernel_name_is_safe(const char *name);

#endif
