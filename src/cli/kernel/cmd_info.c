// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include <time.h>

#include "kernel/cache.h"
#include "text/escape.h"
#include "text/number.h"

struct info_config {
	const char *wanted;
	bool json;
};

static const struct cli_option options[] = {
	{ .name = "json", CLI_FLAG(struct info_config, json), .help = "print JSON" },
};

static const struct cli_option positionals[] = {
	{ .argument = "KERNEL",
	  CLI_STRING(struct info_config, wanted),
	  .help = "a series, a version, an id or a path; without it the default kernel" },
};

static void row(struct strbuf *out, const char *name, const char *value)
{
	if (!value)
		return;
	strbuf_appendf(out, "%-10s ", name);
	text_escape(out, value);
	strbuf_append_char(out, '\n');
}

static void path_row(struct strbuf *out, const char *name, const char *path, uint64_t bytes)
{
	_cleanup_strbuf_ struct strbuf value = STRBUF_INIT;

	if (!path)
		return;
	strbuf_appendf(&value, "%s (", path);
	text_format_bytes(&value, bytes);
	strbuf_append_char(&value, ')');
	row(out, name, strbuf_str(&value));
}

static void format(const struct kernel *kernel, struct strbuf *out)
{
	const char *const paths[KERNEL_N_FILES] = {
		[KERNEL_BZIMAGE] = kernel->bzimage_path,
		[KERNEL_VMLINUX] = kernel->vmlinux_path,
		[KERNEL_CONFIG] = kernel->config_path,
		[KERNEL_BTF] = kernel->btf_path,
	};
	_cleanup_strbuf_ struct strbuf scx = STRBUF_INIT;
	time_t added = (time_t)kernel->added_unix_sec;
	char when[32] = "";
	struct tm tm;

	row(out, "id", kernel->id);
	row(out, "release", kernel->release);
	row(out, "version", kernel->version);
	row(out, "flavour", kernel->flavour);
	row(out, "build-id", kernel->build_id);
	kernel_format_scx(kernel, &scx);
	row(out, "sched_ext", strbuf_str(&scx));
	row(out, "source", kernel->source);
	row(out, "suite", kernel->suite);
	if (gmtime_r(&added, &tm) && strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &tm))
		row(out, "added", when);
	for (int i = 0; i < KERNEL_N_FILES; i++)
		path_row(out, kernel_file_name((enum kernel_file_kind)i), paths[i],
			 kernel->files[i].bytes);
	path_row(out, "modules", kernel->modules_dir, kernel->modules_bytes);
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct info_config *config = config_;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_error_ struct error *err = kernel_resolve(config->wanted, &kernel);

	if (err)
		return kernel_fail(err);
	if (config->json) {
		struct json_writer w = json_writer_to(&out, JSON_PRETTY);

		kernel_write_json(kernel, &w);
		strbuf_append_char(&out, '\n');
	} else {
		format(kernel, &out);
	}
	return cli_print(&out);
}

const struct cli_command cmd_kernel_info = {
	.name = "info",
	.summary = "Print what is known about a cached kernel",
	.usage = "[--json] [KERNEL]",
	CLI_OPTIONS(options),
	CLI_POSITIONALS(positionals),
	.config_size = sizeof(struct info_config),
	.run = run,
};
