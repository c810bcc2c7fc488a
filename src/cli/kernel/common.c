// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include "base/io.h"
#include "harness/needs.h"
#include "kernel/limits.h"
#include "kernel/cache.h"

enum { EXIT_CANCELLED = 130 };

int kernel_fail(const struct error *err)
{
	cli_print_error(error_message(err));
	return error_is(err, &base_error_domain, BASE_CANCELLED) ? EXIT_CANCELLED : CLI_EXIT_FAILED;
}

uint64_t kernel_disk_bytes(const struct kernel *kernel)
{
	uint64_t total = kernel->modules_bytes;

	for (int i = 0; i < KERNEL_N_FILES; i++)
		total += kernel->files[i].bytes;
	return total;
}

/* The agent speaks through a virtio port before it could load a module. */
static const char *const boot_options[] = { "CONFIG_VIRTIO_PCI=y", "CONFIG_VIRTIO_CONSOLE=y" };

void kernel_format_notes(const struct kernel *kernel, const struct bytes *config,
			 struct strbuf *into)
{
	if (kernel->scx != KERNEL_SCX_USABLE)
		strbuf_appendf(into, "note: %s for sched_ext: %s\n", kernel_scx_name(kernel->scx),
			       kernel->scx_reason);
	for (size_t i = 0; config && i < ARRAY_SIZE(boot_options); i++) {
		_cleanup_strbuf_ struct strbuf why = STRBUF_INIT;

		if (!harness_kconfig_has(*config, boot_options[i], &why))
			strbuf_appendf(into, "note: guests cannot boot it: %s\n", strbuf_str(&why));
	}
}

void kernel_say_notes(const struct kernel *kernel)
{
	_cleanup_strbuf_ struct strbuf config = STRBUF_INIT, notes = STRBUF_INIT;
	struct bytes bytes;
	bool has_config = false;

	if (kernel->config_path) {
		_cleanup_error_ struct error *err = io_read_file(
			kernel->config_path, KERNEL_LIMIT_CONFIG_BYTES, &config);

		has_config = !err;
	}
	bytes = (struct bytes){ (const uint8_t *)strbuf_str(&config), config.n };
	kernel_format_notes(kernel, has_config ? &bytes : NULL, &notes);
	fputs(strbuf_str(&notes), stderr);
}

void kernel_format_scx(const struct kernel *kernel, struct strbuf *into)
{
	strbuf_append(into, kernel_scx_name(kernel->scx));
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
