/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What long work in this room tells whoever started it, and how it is asked to end. */
#ifndef KTSTR_KERNEL_WATCH_H
#define KTSTR_KERNEL_WATCH_H

#include "base/cancel.h"

struct kernel_watch {
	const struct cancel *cancel; /* may be NULL */
	/* One line about what begins now; may be NULL. */
	void (*say)(void *context, const char *line);
	/* How far a download is, in bytes; called often; may be NULL. */
	void (*progress)(void *context, const char *what, uint64_t done, uint64_t total);
	void *context;
};

void kernel_say(const struct kernel_watch *watch, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
