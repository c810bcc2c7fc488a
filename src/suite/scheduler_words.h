/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why a scheduler failed, in few words: found in what it printed and in what the kernel said. */
#ifndef KTSTR_SUITE_SCHEDULER_WORDS_H
#define KTSTR_SUITE_SCHEDULER_WORDS_H

#include "suite/stream.h"

/*
 * "; the kernel says: …" and "; it says: …" as far as there is something to say. The scheduler's
 * own words are left out when the kernel names an error: they repeat it. `kernel` may be NULL. The
 * caller owns it.
 */
char *suite_scheduler_words_of_end(const char *kernel, const struct suite_stream *out,
				   const struct suite_stream *err) MUST_CHECK;

/*
 * Why a program that loads a scheduler gave up: the lines of its output that speak of a failure,
 * the first ones and the last, "; " between them. The cause is printed first, its consequences
 * after it. NULL: it printed nothing. The caller owns it.
 */
char *suite_scheduler_words_of_load(const char *output) MUST_CHECK;

/*
 * The refusal in the log of the kernel's verifier as libbpf prints it, "program 'fifo_init': R1
 * invalid mem access 'scalar'": the last line before the verifier's statistics. NULL: there is no
 * such log. The caller owns it.
 */
char *suite_scheduler_words_of_verifier(const char *output) MUST_CHECK;

#endif
