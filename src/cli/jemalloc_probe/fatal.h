/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a run ends without a result. The word behind "ktstr-probe-fatal:" is one
 * of the attach vocabulary or one of these; it never changes once released.
 */
#ifndef KTSTR_CLI_JEMALLOC_PROBE_FATAL_H
#define KTSTR_CLI_JEMALLOC_PROBE_FATAL_H

#include "base/error.h"
#include "base/strbuf.h"
#include "probe/error.h"

#define FATAL_ERRORS(X)                                                                     \
	X(FATAL_SELF_PROBE_REJECTED, "self-probe-rejected", "the probe cannot read itself") \
	X(FATAL_TID_ENUMERATION_FAILURE, "tid-enumeration-failure",                         \
	  "the threads of the process cannot be listed")                                    \
	X(FATAL_OTHER, "other", "none of the above")
DECLARE_ERROR_DOMAIN(fatal, FATAL, FATAL_ERRORS);

/* Every word there is, for those who list them: X(id, tag, meaning). */
#define FATAL_ALL(X) ATTACH_ERRORS(X) FATAL_ERRORS(X)

/* The word for any error: its own tag if that is in the vocabulary, else "other". */
const char *fatal_tag(const struct error *err);

#endif
