/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_BASE_MACROS_H
#define KTSTR_BASE_MACROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)			  (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(fmt_index, first_arg) __attribute__((format(printf, fmt_index, first_arg)))
#define MUST_CHECK			  __attribute__((warn_unused_result))
#define NEVER_NULL			  __attribute__((returns_nonnull))
#define UNUSED				  __attribute__((unused))

/*
 * Checked arithmetic: true and *ret written when the exact result fits,
 * false and *ret untouched otherwise.
 */
static inline bool add_fits_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*ret = sum;
	return true;
}

/* The sum, or the largest number there is when it does not fit. */
static inline uint64_t add_saturating_u64(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return add_fits_u64(a, b, &sum) ? sum : UINT64_MAX;
}

static inline bool sub_fits_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
	if (b > a)
		return false;
	*ret = a - b;
	return true;
}

static inline bool mul_fits_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*ret = product;
	return true;
}

/* Rounds up to a power of two; an alignment of 0 means 1, as ELF has it. */
static inline bool round_up_fits_u64(uint64_t value, uint64_t align, uint64_t *ret)
{
	uint64_t padded;

	if (align == 0)
		align = 1;
	if (!add_fits_u64(value, align - 1, &padded))
		return false;
	*ret = padded & ~(align - 1);
	return true;
}

#endif
