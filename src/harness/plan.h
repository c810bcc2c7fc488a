/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which variants to run: tests × topologies × kernels × repeats, each with a name and an id. */
#ifndef KTSTR_HARNESS_PLAN_H
#define KTSTR_HARNESS_PLAN_H

#include "exchange/declaration.h"
#include "harness/error.h"
#include "harness/variant_id.h"
#include "kernel/kernel.h"

struct harness_plan_options {
	/*
	 * A glob (* ? [) for the whole "suite:test", or a part of it; a test is taken when any
	 * matches. None: all tests.
	 */
	const char *const *patterns;
	size_t n_patterns;
	/* Topologies or names of presets, as a user writes them. None: each test's own. */
	const char *const *topologies;
	size_t n_topologies;
	/* At least one, unless only names are asked for: then variants may have neither kernel nor
	 * id. */
	const struct kernel *const *kernels;
	size_t n_kernels;
	unsigned int repeat; /* 0 is 1 */
	bool names_only;
};

/* Borrows suite, test and kernel. */
struct harness_variant {
	const struct exchange_declared_suite *suite;
	const struct exchange_declared_test *test;
	struct topo topology;
	const struct kernel *kernel;
	size_t kernel_index; /* in the options */
	unsigned int repeat_index;
	/*
	 * suite:test@topology, then ",kernel" when there is more than one, then ",run=N" (from
	 * 1) with repeats. No two variants of a plan share it.
	 */
	char *name;
	/* Over what is run, whenever and by whom; repeats share it. Hexadecimal. */
	char id[HARNESS_VARIANT_ID_CHARS + 1];
};

struct harness_plan {
	VEC(struct harness_variant)
	variants; /* by suite as given, test's name, topology, kernel, repeat */
};

void harness_plan_deinit(struct harness_plan *plan);
#define _cleanup_harness_plan_ __attribute__((cleanup(harness_plan_deinit)))

/*
 * Names suites apart: the base name, or as much of the end of the path as no other has. The same
 * binary twice is HARNESS_PLAN. Call it once all suites are listed, before harness_plan_make().
 */
struct error *harness_plan_name_suites(struct exchange_declared_suite *suites, size_t n) MUST_CHECK;

bool harness_plan_pattern_matches(const char *pattern, const struct exchange_declared_suite *suite,
				  const struct exchange_declared_test *test);
/* The first pattern that no test matches; NULL when each has one. Borrowed. */
const char *harness_plan_find_unmatched(const struct harness_plan_options *options,
					const struct exchange_declared_suite *suites, size_t n);

/*
 * The suites must stay where they are as long as the plan lives. A topology or kernel that is
 * given twice counts once. HARNESS_PATTERN: a pattern matches nothing
 * (harness_plan_find_unmatched() says which); HARNESS_PLAN: too many; topo's errors for a wrong
 * topology.
 */
struct error *harness_plan_make(const struct exchange_declared_suite *suites, size_t n,
				const struct harness_plan_options *options,
				struct harness_plan *ret) MUST_CHECK;

#endif
