// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include <string.h>

#include "kernel/cache.h"
#include "text/escape.h"

struct check_config {
	const char *wanted;
	bool json;
};

static const struct cli_option options[] = {
	{ .name = "json", CLI_FLAG(struct check_config, json), .help = "print JSON" },
};

static const struct cli_option positionals[] = {
	{ .argument = "KERNEL",
	  CLI_STRING(struct check_config, wanted),
	  .help = "a series, a version, an id or a path; without it the default kernel" },
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "the kernel is complete and usable for sched_ext" },
	{ CLI_EXIT_FAILED, "it is not, or there is none" },
	{ CLI_EXIT_USAGE, "the command line is wrong" },
};

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct check_config *config = config_;
	_cleanup_kernel_check_ struct kernel_check check = { 0 };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_error_ struct error *err = kernel_resolve(config->wanted, &kernel);
	int code;

	if (!err)
		err = kernel_verify(kernel, &check);
	if (err)
		return kernel_fail(err);
	if (config->json) {
		struct json_writer w = json_writer_to(&out, JSON_PRETTY);

		json_begin_object(&w);
		json_add_string(&w, "id", kernel->id);
		json_add_string(&w, "sched_ext", kernel_scx_name(check.verdict));
		json_add_string(&w, "sched_ext_reason", check.reason);
		json_add_u64(&w, "functions", check.functions);
		json_add_u64(&w, "leaky", check.leaky);
		json_end_object(&w);
	} else {
		strbuf_appendf(&out, "%s: files as recorded; sched_ext %s", kernel->id,
			       kernel_scx_name(check.verdict));
		if (check.reason) {
			strbuf_append(&out, ": ");
			text_escape(&out, check.reason);
		} else {
			strbuf_appendf(&out, ": %u scx functions, none leaks an argument",
				       check.functions);
		}
	}
	strbuf_append_char(&out, '\n');
	code = cli_print(&out);
	return code == CLI_EXIT_OK && check.verdict != KERNEL_SCX_USABLE ? CLI_EXIT_FAILED : code;
}

const struct cli_command cmd_kernel_check = {
	.name = "check",
	.summary = "Verify a cached kernel and check whether sched_ext works on it",
	.usage = "[--json] [KERNEL]",
	.description =
		"Reads every file again and compares it with what was recorded, then reads the kernel's BTF: programs for sched_ext are refused by kernels whose scx functions leak an 'aux' argument into their prototypes.",
	CLI_OPTIONS(options),
	CLI_POSITIONALS(positionals),
	CLI_EXITS(exits),
	.config_size = sizeof(struct check_config),
	.run = run,
};
