/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of our documents that are more than their JSON type. */
#ifndef KTSTR_EXCHANGE_CODECS_H
#define KTSTR_EXCHANGE_CODECS_H

#include <ktstr/ktstr.h>

#include "json/rows.h"

/* Of <ktstr/reasons.def>. */
extern const char *const exchange_reason_names[KTSTR_N_REASONS];
extern const enum ktstr_verdict exchange_reason_verdicts[KTSTR_N_REASONS];

extern const struct json_codec exchange_cpus_codec;   /* struct cpuset: "0-3,8" */
extern const struct json_codec exchange_text_codec;   /* char *, cut at EXCHANGE_LIMIT_TEXT */
extern const struct json_codec exchange_bytes_codec;  /* struct strbuf, with NUL bytes */
extern const struct json_codec exchange_number_codec; /* char *: a number as it was written */

/* For rows: what is wrong with a char *. */
const char *exchange_check_name(const void *member);
const char *exchange_check_end(const void *member); /* "finished", "exited 3" */

/* For whoever fills a struct of a document only to write it. */

/* A text or list that is only read, in a member that owns what was read. */
#define EXCHANGE_BORROW(text) ((void *)(uintptr_t)(text))

#endif
