// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_abort(void *p)
{
	if (!p) {
		fputs("ktstr: out of memory\n", stderr);
		abort();
	}
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	return or_abort(calloc(n ? n : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	return or_abort(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return or_abort(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return or_abort(strndup(s, n));
}

char *xvasprintf(const char *fmt, va_list args)
{
	char *s;

	return or_abort(vasprintf(&s, fmt, args) < 0 ? NULL : s);
}

char *xasprintf(const char *fmt, ...)
{
	va_list args;
	char *s;

	va_start(args, fmt);
	s = xvasprintf(fmt, args);
	va_end(args);
	return s;
}

struct error *alloc_checked(uint64_t n, uint64_t size, uint64_t limit_bytes, const char *what,
			    void **ret)
{
	uint64_t total;
	void *p;

	if (!mul_fits_u64(n, size, &total) || total > limit_bytes)
		return base_error(BASE_LIMIT, 0,
				  "%s: %llu x %llu bytes is past the limit of %llu bytes", what,
				  (unsigned long long)n, (unsigned long long)size,
				  (unsigned long long)limit_bytes);
	p = calloc(1, total ? total : 1);
	if (!p)
		return base_error(BASE_LIMIT, ENOMEM, "%s: %llu bytes", what,
				  (unsigned long long)total);
	*ret = p;
	return NULL;
}
