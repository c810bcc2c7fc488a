// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include "kernel/metadata.h"

enum { EXIT_CANCELLED = 130 };

int kernel_fail(const struct error *err)
{
	command_print_error(error_message(err));
	return error_is(err, &base_error_domain, BASE_CANCELLED) ? EXIT_CANCELLED : EXIT_FAILED;
}

uint64_t kernel_disk_bytes(const struct kernel *kernel)
{
	uint64_t total = kernel->modules_bytes;

	for (int i = 0; i < KERNEL_N_FILES; i++)
		total += kernel->files[i].bytes;
	return total;
}

void kernel_format_scx(const struct kernel *kernel, struct strbuf *into)
{
	strbuf_append(into, kernel_scx_word(kernel->scx));
	if (kernel->scx_reason)
		strbuf_appendf(into, ": %s", kernel->scx_reason);
}

void kernel_write_json(const struct kernel *kernel, struct json_writer *w)
{
	json_begin_object(w);
	kernel_metadata_write(kernel, w);
	json_add_u64(w, "bytes", kernel_disk_bytes(kernel));
	json_key(w, "paths");
	json_begin_object(w);
	json_add_string(w, "folder", kernel->dir);
	json_add_string(w, "bzImage", kernel->bzimage_path);
	json_add_string(w, "vmlinux", kernel->vmlinux_path);
	json_add_string(w, "config", kernel->config_path);
	json_add_string(w, "btf", kernel->btf_path);
	json_add_string(w, "modules", kernel->modules_dir);
	json_end_object(w);
	json_end_object(w);
}
