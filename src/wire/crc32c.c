// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wire/crc32c.h"

#include <stdbool.h>
#include <string.h>

#include <endian.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { SLICES = 8 };

#define POLYNOMIAL UINT32_C(0x82f63b78) /* 0x1edc6f41 with its bits reversed */

static uint32_t table[SLICES][256];

/* Before main(): no thread can meet a half-made table, and the sum needs no check. */
__attribute__((constructor)) static void make_table(void)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		table[0][byte] = crc;
	}
	for (unsigned int slice = 1; slice < SLICES; slice++)
		for (unsigned int byte = 0; byte < 256; byte++) {
			uint32_t crc = table[slice - 1][byte];

			table[slice][byte] = crc >> 8 ^ table[0][crc & 0xff];
		}
}

uint32_t wire_crc32c_by_table(uint32_t crc, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	crc = ~crc;
	for (; n >= 8; at += 8, n -= 8) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		word = le64toh(word) ^ crc;
		crc = 0;
		for (unsigned int slice = 0; slice < SLICES; slice++)
			crc ^= table[SLICES - 1 - slice][word >> (8 * slice) & 0xff];
	}
	for (; n; at++, n--)
		crc = crc >> 8 ^ table[0][(crc ^ *at) & 0xff];
	return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const void *bytes,
								 size_t n)
{
	const uint8_t *at = bytes;
	uint64_t sum = (uint32_t)~crc;

	for (; n >= 8; at += 8, n -= 8) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		sum = __builtin_ia32_crc32di(sum, word);
	}
	for (; n; at++, n--)
		sum = __builtin_ia32_crc32qi((uint32_t)sum, *at);
	return ~(uint32_t)sum;
}

enum { CPUID_HYPERVISOR_BIT = 31, CPUID_HYPERVISOR_NAME = 0x40000000 };

static bool emulated;

/* QEMU without KVM computes the instruction bit by bit: the table is twice as quick there. */
__attribute__((constructor)) static void find_emulator(void)
{
	unsigned int eax, name[3];

	if (!__get_cpuid(1, &eax, &name[0], &name[1], &name[2]) ||
	    !(name[1] >> CPUID_HYPERVISOR_BIT))
		return;
	__cpuid(CPUID_HYPERVISOR_NAME, eax, name[0], name[1], name[2]);
	emulated = memcmp(name, "TCGTCGTCGTCG", sizeof(name)) == 0;
}

uint32_t wire_crc32c(uint32_t crc, const void *bytes, size_t n)
{
	if (!emulated && __builtin_cpu_supports("sse4.2"))
		return by_instruction(crc, bytes, n);
	return wire_crc32c_by_table(crc, bytes, n);
}
#else
uint32_t wire_crc32c(uint32_t crc, const void *bytes, size_t n)
{
	return wire_crc32c_by_table(crc, bytes, n);
}
#endif
