// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/watch.h"

#include <stdio.h>

void kernel_say(const struct kernel_watch *watch, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	if (!watch || !watch->say)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	watch->say(watch->context, line);
}
