// SPDX-License-Identifier: LGPL-2.1-or-later
/* What an author's function says about what it saw. */
#include <stdio.h>

#include "base/alloc.h"
#include "suite/ctx.h"

PRINTF_LIKE(6, 0)
static void say(struct ktstr_ctx *ctx, enum ktstr_reason reason, const char *condition,
		const char *file, int line, const char *fmt, va_list args)
{
	_cleanup_free_ char *said = NULL, *text = NULL;

	/* The macros begin every text with a blank. */
	if (vasprintf(&said, *fmt == ' ' ? fmt + 1 : fmt, args) < 0)
		said = NULL;
	text = said && *said ? xasprintf("%s: %s", condition, said) : xstrdup(condition);
	suite_report_part(&ctx->report, reason, file, line, text);
}

void ktstr_expect_(struct ktstr_ctx *ctx, bool held, const char *condition, const char *file,
		   int line, const char *fmt, ...)
{
	va_list args;

	if (held)
		return;
	va_start(args, fmt);
	say(ctx, KTSTR_REASON_EXPECTATION, condition, file, line, fmt, args);
	va_end(args);
}

void ktstr_require_(struct ktstr_ctx *ctx, bool held, const char *condition, const char *file,
		    int line, const char *fmt, ...)
{
	va_list args;

	if (held)
		return;
	va_start(args, fmt);
	say(ctx, KTSTR_REASON_EXPECTATION, condition, file, line, fmt, args);
	va_end(args);
	ctx->unmet = true;
	suite_ctx_finish(ctx);
}

void ktstr_need_(struct ktstr_ctx *ctx, bool held, const char *condition, const char *file,
		 int line, const char *fmt, ...)
{
	va_list args;

	if (held)
		return;
	va_start(args, fmt);
	say(ctx, KTSTR_REASON_NEED, condition, file, line, fmt, args);
	va_end(args);
	ctx->unmet = true;
	suite_ctx_finish(ctx);
}

void ktstr_note(struct ktstr_ctx *ctx, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	suite_report_note(&ctx->report, text ? text : fmt);
}
