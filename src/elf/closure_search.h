/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the loader looks for one library: the lists of folders and the words in them. */
#ifndef KTSTR_ELF_CLOSURE_SEARCH_H
#define KTSTR_ELF_CLOSURE_SEARCH_H

#include "base/strbuf.h"
#include "elf/closure.h"

/*
 * Appends text with $ORIGIN, $LIB and $PLATFORM, also in braces, replaced. False when the
 * result would be longer than any path; the loader skips such an entry.
 */
bool closure_expand(const char *text, size_t n, const char *origin, uint16_t machine,
		    struct strbuf *into) MUST_CHECK;

/*
 * Walks a colon-separated list: *at moves behind the entry, *into holds it expanded.
 * False at the end. An empty entry is the working folder, which a guest does not
 * share: it is skipped, as is one that is not absolute after expansion.
 */
bool closure_next_folder(const char **at, const char *origin, uint16_t machine,
			 struct strbuf *into) MUST_CHECK;

#endif
