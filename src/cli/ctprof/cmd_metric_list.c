// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "cli/ctprof/commands.h"
#include "cli/ctprof/metric_list.h"

struct list_config {
	bool json;
};

static const struct cli_option options[] = {
	{ .name = "json", CLI_FLAG(struct list_config, json), .help = "print everything as JSON" },
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "done" },
	{ CLI_EXIT_FAILED, "the list could not be written" },
	{ CLI_EXIT_USAGE, "the command line is wrong" },
};

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct list_config *config = config_;
	struct text_look look = text_look_for(STDOUT_FILENO);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (config->json)
		metric_list_format_json(&text);
	else
		metric_list_format_text(&look, &text);
	return cli_print(&text);
}

const struct cli_command cmd_ctprof_metric_list = {
	.name = "metric-list",
	.summary = "List the metrics of snapshots",
	.usage = "[--json]",
	.description =
		"Shows what tags mean, which sections there are, every metric with its kind, unit, source, tags and meaning, every derived metric with its formula, and the values of cgroups, pressure and the host. ktstr-metrics(7) says the same.",
	CLI_OPTIONS(options),
	CLI_EXITS(exits),
	.config_size = sizeof(struct list_config),
	.run = run,
};
