// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/ctx.h"

#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "suite/body.h"
#include "suite/slowness.h"

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

uint64_t ctx_scaled_ms(const struct ktstr_ctx *ctx, uint64_t ms)
{
	return slowness_scaled_ms(ctx->slowness, ms);
}

void ctx_finish(struct ktstr_ctx *ctx)
{
	/* A process that the author's function forked may report, but not end the test. */
	if (getpid() != ctx->pid) {
		fflush(NULL);
		_exit(1);
	}
	if (ctx->end_payloads)
		ctx->end_payloads(ctx);
	fflush(NULL);
	body_say_finished(&ctx->report);
	_exit(0);
}

void ctx_end_with(struct ktstr_ctx *ctx, enum ktstr_reason reason, const char *file, int line,
		  const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	report_part(&ctx->report, reason, file, line, text ? text : fmt);
	ctx_finish(ctx);
}

void ctx_end_broken(struct ktstr_ctx *ctx, struct error *err)
{
	report_part(&ctx->report, KTSTR_REASON_SETUP, NULL, 0, error_message(err));
	error_free(err);
	ctx_finish(ctx);
}

struct error *ctx_open_cgroup(const struct ktstr_ctx *ctx, const char *name, int *ret_fd)
{
	if (name)
		return base_error(BASE_ABSENT, 0, "this system has no cgroups");
	(void)ctx;
	*ret_fd = -1;
	return NULL;
}
