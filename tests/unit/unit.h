/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test includes: cmocka in the order it needs, and a few words of our own. */
#ifndef KTSTR_TESTS_UNIT_H
#define KTSTR_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

/* Shows the error's text when it was not expected. */
#define assert_success(expr)                                                                     \
	do {                                                                                     \
		struct error *unexpected_ = (expr);                                              \
		if (unexpected_)                                                                 \
			fail_msg("[%s] %s", error_tag(unexpected_), error_message(unexpected_)); \
	} while (0)

/* Fails unless expr is an error with this tag; frees it. */
#define assert_error_tag(expr, tag_)                                          \
	do {                                                                  \
		struct error *expected_ = (expr);                             \
		if (!expected_)                                               \
			fail_msg("%s succeeded, expected [%s]", #expr, tag_); \
		assert_string_equal(error_tag(expected_), tag_);              \
		error_free(expected_);                                        \
	} while (0)

/* A skip says why; the runner takes one without a reason as a failure. */
#define skip_unless(condition, ...)                            \
	do {                                                   \
		if (!(condition)) {                            \
			print_message("# skip: " __VA_ARGS__); \
			print_message("\n");                   \
			skip();                                \
		}                                              \
	} while (0)

#define assert_contains(haystack, needle)                                           \
	do {                                                                        \
		const char *hay_ = (haystack);                                      \
		if (!strstr(hay_, (needle)))                                        \
			fail_msg("\"%s\" does not contain \"%s\"", hay_, (needle)); \
	} while (0)

#endif
