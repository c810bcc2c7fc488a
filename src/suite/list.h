/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a test binary says about its tests, for people and for the runner. */
#ifndef KTSTR_SUITE_LIST_H
#define KTSTR_SUITE_LIST_H

#include "base/strbuf.h"
#include "suite/entries.h"

/* Both want entries without mistakes. */
void suite_list_format(const struct suite_entry_list *list, struct strbuf *into);
/* One document and a newline; defaults are filled in, so that both sides mean the same. */
void suite_list_format_json(const struct suite_entry_list *list, struct strbuf *into);

#endif
