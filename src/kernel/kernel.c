// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/kernel.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/metadata.h"

DEFINE_ERROR_DOMAIN(kernel, KERNEL, KERNEL_ERRORS);

void kernel_free(struct kernel *kernel)
{
	if (!kernel)
		return;
	kernel_metadata_deinit(kernel);
	free(kernel->dir);
	free(kernel->bzimage_path);
	free(kernel->vmlinux_path);
	free(kernel->config_path);
	free(kernel->btf_path);
	free(kernel->modules_dir);
	free(kernel);
}

struct error *kernel_require_scx(const struct kernel *kernel)
{
	if (kernel->scx == KERNEL_SCX_USABLE)
		return NULL;
	return kernel_error(KERNEL_NO_SCX, 0, "kernel %s cannot be used for sched_ext: %s",
			    kernel->id, kernel->scx_reason ? kernel->scx_reason : "unknown");
}

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
