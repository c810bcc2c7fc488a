/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks a test binary which tests it holds: `BINARY --list --json`, as a child of ours. */
#ifndef KTSTR_HARNESS_LISTING_H
#define KTSTR_HARNESS_LISTING_H

#include "base/cancel.h"
#include "base/strbuf.h"
#include "exchange/declaration.h"
#include "harness/error.h"

struct harness_listing_bounds {
	uint64_t timeout_ns;
	size_t output_bytes;
};

/*
 * Path and name (the base name) are filled too.
 *
 * HARNESS_NOT_TESTS: not there, not executable, or some other program. HARNESS_API: built for
 * another version; the message says which side is to be renewed. HARNESS_MISTAKES: the message is
 * a line of ours and then its lines, `FILE:LINE: TEST: what`. HARNESS_LISTING: it crashed, hung,
 * said too much or contradicts itself. BASE_CANCELLED.
 *
 * The child reads nothing, has our environment without KTSTR_… (they are for guests), and
 * whatever it started ends with it.
 */
struct error *harness_listing_read(const char *binary, const struct cancel *cancel,
				   struct exchange_declared_suite *ret) MUST_CHECK;
/* And the document itself, which may say more than we know. */
struct error *harness_listing_read_text(const char *binary, const struct cancel *cancel,
					struct exchange_declared_suite *ret,
					struct strbuf *ret_text) MUST_CHECK;
/* With other bounds than HARNESS_LIMIT_LISTING_…. */
struct error *harness_listing_read_within(const char *binary,
					  const struct harness_listing_bounds *bounds,
					  const struct cancel *cancel,
					  struct exchange_declared_suite *ret) MUST_CHECK;

/*
 * The document alone; `label` names the binary in errors. Path and name stay NULL. Members that
 * are not known are ignored; one that is missing or wrong is named with its path:
 * `tests[3].needs.smt`. Tests come out sorted by name.
 */
struct error *harness_listing_parse(const char *text, size_t n, const char *label,
				    struct exchange_declared_suite *ret) MUST_CHECK;

#endif
