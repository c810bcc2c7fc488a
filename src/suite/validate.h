/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mistakes in declarations, found before any machine is booted. */
#ifndef KTSTR_SUITE_VALIDATE_H
#define KTSTR_SUITE_VALIDATE_H

#include "base/strbuf.h"
#include "suite/entries.h"

/* All of them, one line each: "FILE:LINE: NAME: what is wrong". Nothing when all is well. */
void suite_validate_entries(const struct suite_entry_list *list, struct strbuf *into);

#endif
