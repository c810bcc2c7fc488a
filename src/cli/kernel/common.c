// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include <signal.h>

#include "base/io.h"
#include "cli/frame/interrupts.h"
#include "harness/needs.h"
#include "kernel/cache.h"
#include "kernel/kernel.h"
#include "text/terminal.h"

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
	json_open_object(w, "paths");
	json_add_string(w, "folder", kernel->dir);
	json_add_string(w, "bzImage", kernel->bzimage_path);
	json_add_string(w, "vmlinux", kernel->vmlinux_path);
	json_add_string(w, "config", kernel->config_path);
	json_add_string(w, "btf", kernel->btf_path);
	json_add_string(w, "modules", kernel->modules_dir);
	json_end_object(w);
	json_end_object(w);
}

void kernel_format_json(const struct kernel *kernel, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	kernel_write_json(kernel, &w);
	json_end_document(&w);
}

/* Handlers take no argument of ours. */
static struct cancel *handler_cancel;

static void on_stop(int signum UNUSED)
{
	cancel_request(handler_cancel);
}

static void say(void *context, const char *line)
{
	struct kernel_screen *screen = context;

	cli_screen_say(&screen->screen, line);
}

static void progress(void *context, const char *what, uint64_t done, uint64_t total)
{
	struct kernel_screen *screen = context;
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	if (total == 0)
		return;
	strbuf_appendf(&line, "%s  ", what);
	text_format_bytes(&line, done);
	strbuf_append(&line, " of ");
	text_format_bytes(&line, total);
	strbuf_appendf(&line, "  %3u%%", (unsigned int)(done * 100 / total));
	cli_screen_show(&screen->screen, strbuf_str(&line));
}

void kernel_screen_init(struct kernel_screen *screen, bool quiet)
{
	*screen = (struct kernel_screen){ 0 };
	cli_screen_init(&screen->screen, quiet, false);
	screen->watch = (struct kernel_watch){
		.cancel = &screen->cancel,
		.say = say,
		.progress = progress,
		.context = screen,
	};
	handler_cancel = &screen->cancel;
	error_free(cli_handle_signal(SIGINT, on_stop, (int)SA_RESETHAND));
	error_free(cli_handle_signal(SIGTERM, on_stop, (int)SA_RESETHAND));
}

void kernel_screen_finish(struct kernel_screen *screen)
{
	cli_screen_clear(&screen->screen);
}
