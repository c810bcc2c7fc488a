/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What libbpf would print, kept instead. */
#ifndef KTSTR_BPFLOAD_LOG_H
#define KTSTR_BPFLOAD_LOG_H

#include "base/strbuf.h"

/*
 * Between the two, warnings of libbpf that this thread causes go to *into; nothing is ever
 * printed, in any thread, once a program has been opened.
 */
void bpfload_log_begin(struct strbuf *into);
void bpfload_log_end(void);

/*
 * The end of a log on one line, for an error: the last lines that say something, joined by
 * " | ". Lines that only frame others, and what libbpf puts in front of each, are left out.
 */
void bpfload_log_tail(const char *text, size_t n, struct strbuf *into);

#endif
