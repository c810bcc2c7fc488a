/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors as values. NULL is success. An error has a kind from a closed
 * vocabulary (its domain), an errno where one applies, and a message that
 * callers extend with context on the way up:
 *
 *	#define THREAD_ERRORS(X)                                                 \
 *		X(THREAD_PTRACE_SEIZE, "ptrace-seize", "PTRACE_SEIZE was refused")
 *	DECLARE_ERROR_DOMAIN(thread, THREAD, THREAD_ERRORS);    in the header
 *	DEFINE_ERROR_DOMAIN(thread, THREAD, THREAD_ERRORS);     in one .c file
 *
 *	return thread_error(THREAD_PTRACE_SEIZE, errno, "tid %d", tid);
 *	return error_wrap(err, "probing pid %d", pid);
 *
 * prints "[ptrace-seize] probing pid 41: tid 42: Operation not permitted".
 * The tag is the wire word: it never changes once released.
 */
#ifndef KTSTR_BASE_ERROR_H
#define KTSTR_BASE_ERROR_H

#include <errno.h>
#include <stdarg.h>

#include "base/cleanup.h"
#include "base/macros.h"

struct error;

struct error_kind {
	const char *tag;
	const char *meaning;
};

struct error_domain {
	const char *name;
	const struct error_kind *kinds;
	int n_kinds;
};

#define ERROR_KIND_ENUM_(id, tag, meaning) id,
#define ERROR_KIND_ROW_(id, tag, meaning)  [id] = { tag, meaning },

#define DECLARE_ERROR_DOMAIN(name, PREFIX, LIST)                                                  \
	enum name##_error_kind{ LIST(ERROR_KIND_ENUM_) PREFIX##_N_ERROR_KINDS };                  \
	extern const struct error_domain name##_error_domain;                                     \
	struct error *name##_error(enum name##_error_kind kind, int errnum, const char *fmt, ...) \
		PRINTF_LIKE(3, 4) MUST_CHECK NEVER_NULL

#define DEFINE_ERROR_DOMAIN(name_, PREFIX, LIST)                                                \
	static const struct error_kind name_##_error_kinds[] = { LIST(ERROR_KIND_ROW_) };       \
	const struct error_domain name_##_error_domain = {                                      \
		.name = #name_,                                                                 \
		.kinds = name_##_error_kinds,                                                   \
		.n_kinds = PREFIX##_N_ERROR_KINDS,                                              \
	};                                                                                      \
	struct error *name_##_error(enum name_##_error_kind kind, int errnum, const char *fmt,  \
				    ...)                                                        \
	{                                                                                       \
		va_list args;                                                                   \
		va_start(args, fmt);                                                            \
		struct error *err = error_newv(&name_##_error_domain, kind, errnum, fmt, args); \
		va_end(args);                                                                   \
		return err;                                                                     \
	}                                                                                       \
	struct error_domain_##name_##_swallows_semicolon

/* What can go wrong below any room's own vocabulary. */
#define BASE_ERRORS(X)                                                    \
	X(BASE_IO, "io", "the system refused to read or write")           \
	X(BASE_PARSE, "parse", "the bytes do not have the expected form") \
	X(BASE_LIMIT, "limit", "a stated limit was reached")              \
	X(BASE_ABSENT, "absent", "the thing asked for does not exist")    \
	X(BASE_CANCELLED, "cancelled", "a signal or the deadline ended the work")
DECLARE_ERROR_DOMAIN(base, BASE, BASE_ERRORS);

struct error *error_newv(const struct error_domain *domain, int kind, int errnum, const char *fmt,
			 va_list args) PRINTF_LIKE(4, 0) MUST_CHECK NEVER_NULL;
/* Puts "context: " in front of the message, keeps the kind; NULL stays NULL. */
struct error *error_wrap(struct error *err, const char *fmt, ...) PRINTF_LIKE(2, 3) MUST_CHECK;
/* The same message and errno in the words of another domain; NULL stays NULL. */
struct error *error_recast(struct error *err, const struct error_domain *domain,
			   int kind) MUST_CHECK;
void error_free(struct error *err);

bool error_is(const struct error *err, const struct error_domain *domain, int kind);
const struct error_domain *error_domain_of(const struct error *err);
int error_kind_of(const struct error *err);
/* 0 when no errno applies. */
int error_errno(const struct error *err);
const char *error_tag(const struct error *err);
/* Context and message with the errno's text, without the tag. Owned by err. */
const char *error_message(const struct error *err);

DEFINE_CLEANUP(error, struct error *, NULL, error_free);
#define _cleanup_error_ _cleanup_(cleanup_error)

#endif
