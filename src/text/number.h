/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers for people. Files and piped lines carry exact integers; these forms
 * are for tables on a terminal. Rounding is half up, to one decimal.
 */
#ifndef KTSTR_TEXT_NUMBER_H
#define KTSTR_TEXT_NUMBER_H

#include "base/strbuf.h"

/* 512 B, 16.0 MiB, 16.0 EiB */
void text_format_bytes(struct strbuf *into, uint64_t bytes);
/* after - before, with a sign when negative: -1.5 KiB */
void text_format_bytes_difference(struct strbuf *into, uint64_t after, uint64_t before);
/* Bytes in a time: 1.5 MiB/s. A time of 0 has no rate: "-". */
void text_format_rate(struct strbuf *into, uint64_t bytes, uint64_t ns);
/* 850 ns, 12.5 us, 3.0 ms, 42.1 s */
void text_format_duration(struct strbuf *into, uint64_t ns);

#endif
