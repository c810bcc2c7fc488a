/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_RESULTS_RECORD_MAN_H
#define KTSTR_CLI_RESULTS_RECORD_MAN_H

#include "base/strbuf.h"

/* Every member of a record, in the order in which they are written, in the language of scdoc. */
void record_format_man(struct strbuf *into);

#endif
