/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a fuzzer is made of. In the fuzz build libFuzzer drives
 * LLVMFuzzerTestOneInput(); in every other build fuzz_corpus_main.c runs each
 * file of the fuzzer's corpus through it, as an ordinary test.
 */
#ifndef KTSTR_TESTS_FUZZ_H
#define KTSTR_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Called once per execution when the input got past the first validation. */
void fuzz_mark_deep(void);

#endif
