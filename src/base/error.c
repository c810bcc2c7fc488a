// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

struct error {
	const struct error_domain *domain;
	int kind;
	int errnum;
	char *message;
};

DEFINE_ERROR_DOMAIN(base, BASE, BASE_ERRORS);

struct error *error_newv(const struct error_domain *domain, int kind, int errnum, const char *fmt,
			 va_list args)
{
	struct error *err = xnew(struct error);
	_cleanup_free_ char *text = xvasprintf(fmt, args);

	err->domain = domain;
	err->kind = kind;
	err->errnum = errnum;
	/* strerrorname_np() would be exact, but people search for the text. */
	err->message = errnum ? xasprintf("%s: %s", text, strerror(errnum)) : take_ptr(text);
	return err;
}

struct error *error_wrap(struct error *err, const char *fmt, ...)
{
	_cleanup_free_ char *context = NULL;
	va_list args;
	char *joined;

	if (!err)
		return NULL;
	va_start(args, fmt);
	context = xvasprintf(fmt, args);
	va_end(args);
	joined = xasprintf("%s: %s", context, err->message);
	free(err->message);
	err->message = joined;
	return err;
}

struct error *error_recast(struct error *err, const struct error_domain *domain, int kind)
{
	if (!err)
		return NULL;
	err->domain = domain;
	err->kind = kind;
	return err;
}

void error_free(struct error *err)
{
	if (!err)
		return;
	free(err->message);
	free(err);
}

bool error_is(const struct error *err, const struct error_domain *domain, int kind)
{
	return err && err->domain == domain && err->kind == kind;
}

const struct error_domain *error_domain_of(const struct error *err)
{
	return err->domain;
}

int error_kind_of(const struct error *err)
{
	return err->kind;
}

int error_errno(const struct error *err)
{
	return err->errnum;
}

const char *error_tag(const struct error *err)
{
	return err->domain->kinds[err->kind].tag;
}

const char *error_message(const struct error *err)
{
	return err->message;
}
