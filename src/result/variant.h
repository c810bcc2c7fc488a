/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What makes two runs the same variant of a test, as 16 hexadecimal digits. */
#ifndef KTSTR_RESULT_VARIANT_H
#define KTSTR_RESULT_VARIANT_H

#include "result/run_record.h"

/* The order of sysctls and of kernel arguments counts as it does for the kernel. */
struct result_variant_traits {
	const char *suite, *test;
	const char *topology; /* booted */
	struct result_texts scheduler_argv, sysctls, kernel_args;
	const char *kernel_build_id; /* or its id in the cache, when it has none */
	uint64_t memory_bytes;
};

/* The caller owns the string. */
char *result_variant_id(const struct result_variant_traits *variant) MUST_CHECK;

#endif
