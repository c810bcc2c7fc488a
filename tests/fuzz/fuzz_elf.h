/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzzers of object files share. */
#ifndef KTSTR_TESTS_FUZZ_ELF_H
#define KTSTR_TESTS_FUZZ_ELF_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

/* libFuzzer's; absent in the build that only runs the corpus. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t limit) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed);

enum { FUZZ_ELF_WINDOW_BYTES = 64 };

/*
 * Mostly changes a few bytes between the file header and the section headers:
 * blind changes break the frame, and then nothing behind it is reached. One time in four
 * anything may change.
 */
static inline size_t fuzz_mutate_elf(uint8_t *data, size_t n, size_t limit, unsigned int seed)
{
	uint8_t window[FUZZ_ELF_WINDOW_BYTES];
	size_t start, width;
	Elf64_Ehdr header;

	if (!LLVMFuzzerMutate)
		return n;
	if (n <= sizeof(header) || seed % 4 == 0)
		return LLVMFuzzerMutate(data, n, limit);
	memcpy(&header, data, sizeof(header));
	if (header.e_shoff <= sizeof(header) || header.e_shoff > n)
		return LLVMFuzzerMutate(data, n, limit);
	start = sizeof(header) + seed / 4 % (header.e_shoff - sizeof(header));
	width = header.e_shoff - start;
	if (width > sizeof(window))
		width = sizeof(window);
	memcpy(window, data + start, width);
	LLVMFuzzerMutate(window, width, width);
	memcpy(data + start, window, width);
	return n;
}

#endif
