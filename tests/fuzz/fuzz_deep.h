/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_TESTS_FUZZ_DEEP_H
#define KTSTR_TESTS_FUZZ_DEEP_H

#include <stdint.h>

/* How often fuzz_mark_deep() was called so far. */
uint64_t fuzz_deep_count(void);

#endif
