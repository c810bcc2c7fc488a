// SPDX-License-Identifier: GPL-2.0-or-later
/* Dies before main(): it cannot even say which tests it holds. */
#include <signal.h>

#include <ktstr/short.h>

__attribute__((constructor)) static void die(void)
{
	raise(SIGSEGV);
}

static void nothing(struct ktstr_ctx *ctx)
{
	(void)ctx;
}
KTSTR_TEST(unreachable) = { .run = nothing };
