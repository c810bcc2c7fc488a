// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/ctx.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "suite/declared.h"
#include "suite/system.h"

/* NULL: it is an author's, and cannot be formatted. */
PRINTF_LIKE(1, 0)
static char *format(const char *fmt, va_list args)
{
	char *text;

	return vasprintf(&text, fmt, args) < 0 ? NULL : text;
}

unsigned int ktstr_online_cpus(const struct ktstr_ctx *ctx)
{
	return ctx->online_cpus;
}

unsigned int ktstr_duration_ms(const struct ktstr_ctx *ctx)
{
	return ctx->duration_ms;
}

pid_t ktstr_scheduler_pid(const struct ktstr_ctx *ctx)
{
	return ctx->scheduler_pid;
}

double ktstr_slowness(const struct ktstr_ctx *ctx)
{
	return ctx->slowness;
}

uint64_t suite_ctx_scaled_ms(const struct ktstr_ctx *ctx, uint64_t ms)
{
	return suite_slowness_scaled_ms(ctx->slowness, ms);
}

void suite_ctx_finish(struct ktstr_ctx *ctx)
{
	/* A process that the author's function forked may report, but not end the test. */
	if (getpid() != ctx->pid) {
		fflush(NULL);
		_exit(1);
	}
	if (ctx->end_payloads)
		ctx->end_payloads(ctx);
	fflush(NULL);
	suite_body_say_finished(&ctx->report);
	_exit(ctx->unmet ? SUITE_BODY_EXIT_UNMET : 0);
}

void suite_ctx_end_with(struct ktstr_ctx *ctx, enum ktstr_reason reason, const char *file, int line,
			const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = format(fmt, args);
	va_end(args);
	suite_report_part(&ctx->report, reason, file, line, text ? text : fmt);
	suite_ctx_finish(ctx);
}

void suite_ctx_end_broken(struct ktstr_ctx *ctx, struct error *err)
{
	suite_report_part(&ctx->report, KTSTR_REASON_SETUP, NULL, 0, error_message(err));
	error_free(err);
	suite_ctx_finish(ctx);
}

struct error *suite_ctx_open_cgroup(const struct ktstr_ctx *ctx, const char *name, int *ret_fd)
{
	uint64_t limit_ms = suite_ctx_scaled_ms(ctx, SUITE_CGROUP_WRITE_MS);
	struct error *err;

	if (ctx->cgroups_fd < 0) {
		if (name)
			return base_error(BASE_ABSENT, 0, "cgroup %s: there is no cgroup v2 at %s",
					  name, SUITE_CGROUP_ROOT);
		*ret_fd = -1;
		return NULL;
	}
	if (!name)
		return suite_cgroup_open(ctx->cgroups_fd, SUITE_CGROUP_OWN, ret_fd);
	if (!*name || name[strspn(name, SUITE_NAME_LETTERS)])
		return base_error(BASE_PARSE, 0, "\"%s\" is not a name for a cgroup", name);
	err = suite_cgroup_open(ctx->cgroups_fd, name, ret_fd);
	if (!error_is(err, &base_error_domain, BASE_ABSENT))
		return err;
	error_free(err);
	err = suite_cgroup_make(ctx->cgroups_fd, name, NULL, limit_ms);
	return err ? err : suite_cgroup_open(ctx->cgroups_fd, name, ret_fd);
}

/* What an author's function says about what it saw. */

void ktstr_expect_(struct ktstr_ctx *ctx, enum ktstr_reason reason, bool goes_on, bool held,
		   const char *condition, const char *file, int line, const char *fmt, ...)
{
	_cleanup_free_ char *said = NULL, *text = NULL;
	va_list args;

	if (held)
		return;
	va_start(args, fmt);
	/* The macros begin every text with a blank. */
	said = format(*fmt == ' ' ? fmt + 1 : fmt, args);
	va_end(args);
	text = said && *said ? xasprintf("%s: %s", condition, said) : xstrdup(condition);
	suite_report_part(&ctx->report, reason, file, line, text);
	if (goes_on)
		return;
	ctx->unmet = true;
	suite_ctx_finish(ctx);
}

void ktstr_note(struct ktstr_ctx *ctx, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = format(fmt, args);
	va_end(args);
	suite_report_note(&ctx->report, text ? text : fmt);
}
