/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can be wrong before a test runs. */
#ifndef KTSTR_HARNESS_ERROR_H
#define KTSTR_HARNESS_ERROR_H

#include "base/error.h"

#define HARNESS_ERRORS(X)                                                                          \
	X(HARNESS_NOT_TESTS, "not-a-test-binary", "the file is not a program that declares tests") \
	X(HARNESS_API, "test-api", "program and runner have different API versions")               \
	X(HARNESS_MISTAKES, "test-mistakes", "tests are declared wrongly")                         \
	X(HARNESS_LISTING, "test-listing", "the program failed to list its tests")                 \
	X(HARNESS_PATTERN, "no-such-test", "there is no test of that name")                        \
	X(HARNESS_PLAN, "test-plan", "what was asked for cannot be planned")                       \
	X(HARNESS_FILES, "file-changed", "a file is not the one that was found before")
DECLARE_ERROR_DOMAIN(harness, HARNESS, HARNESS_ERRORS);

#endif
