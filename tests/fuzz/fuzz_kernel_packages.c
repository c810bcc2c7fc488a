// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/kernel/packages.c src/kernel/kernel.c */
#include "fuzz.h"

#include <string.h>

#include "kernel/fetch.h"

static void count(void *context, const char *name)
{
	/* Nothing that apt would take for an option. */
	if (!name[0] || name[0] == '-')
		__builtin_trap();
	*(size_t *)context += strlen(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static volatile size_t sink;
	struct kernel_packages packages = { 0 };
	struct error *err = kernel_packages_parse((const char *)data, n, &packages);
	size_t total = 0;

	if (!err && packages.n)
		fuzz_mark_deep();
	for (int flavour = 0; !err && flavour < KERNEL_N_FLAVOURS; flavour++) {
		struct kernel_candidates candidates = { 0 };

		kernel_candidates_from(&packages, (enum kernel_flavour)flavour, &candidates);
		total += strlen(kernel_flavour_name((enum kernel_flavour)flavour));
		for (size_t i = 0; i < candidates.n; i++) {
			const struct kernel_candidate *c = &candidates.at[i];

			if (!kernel_name_is_safe(c->release) ||
			    !kernel_packages_find(&packages, c->package->name))
				__builtin_trap();
			if (i &&
			    kernel_version_compare(&candidates.at[i - 1].version, &c->version) < 0)
				__builtin_trap();
			if (!kernel_version_matches(&c->version, &c->version))
				__builtin_trap();
			kernel_depends_of_release(c->package->depends, c->release, count, &total);
		}
		kernel_candidates_deinit(&candidates);
	}
	sink += total;
	error_free(err);
	kernel_packages_deinit(&packages);
	return 0;
}
