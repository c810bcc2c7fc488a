/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two kinds of memory. Small bookkeeping whose size we choose: x*() aborts on
 * exhaustion, callers need no error path. Anything whose size comes from input
 * (a section, a file, a table of a foreign process): alloc_checked() with a
 * stated limit, and an error that names what was too large.
 */
#ifndef KTSTR_BASE_ALLOC_H
#define KTSTR_BASE_ALLOC_H

#include <stdarg.h>

#include "base/error.h"
#include "base/macros.h"

void *xcalloc(size_t n, size_t size) MUST_CHECK;
void *xreallocarray(void *p, size_t n, size_t size) MUST_CHECK;
char *xstrdup(const char *s) MUST_CHECK;
char *xstrndup(const char *s, size_t n) MUST_CHECK;
char *xvasprintf(const char *fmt, va_list args) PRINTF_LIKE(1, 0) MUST_CHECK;
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2) MUST_CHECK;

#define xnew(type) ((type *)xcalloc(1, sizeof(type)))

/* Zeroed memory of n * size bytes; `what` names the thing in the error. */
struct error *alloc_checked(uint64_t n, uint64_t size, uint64_t limit_bytes, const char *what,
			    void **ret) MUST_CHECK;

#endif
