// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include <unistd.h>

#include "cli/ctprof/cmd_capture.h"
#include "cli/ctprof/metric_list.h"
#include "cli/ctprof/show.h"

struct list_config {
	bool json;
};

static const struct cli_option options[] = {
	CLI_OPTION("json", NULL, CLI_FLAG(struct list_config, json), "print everything as JSON"),
};

static struct error *show(const void *config_, struct strbuf *out)
{
	const struct list_config *config = config_;
	struct text_look look = text_look_for(STDOUT_FILENO);

	if (config->json)
		metric_list_format_json(out);
	else
		metric_list_format_text(&look, out);
	return NULL;
}

static const struct cli_command cmd_metric_list = {
	.name = "metric-list",
	.summary = "List the metrics of snapshots",
	.usage = "[--json]",
	.description =
		"Shows what tags mean, which sections there are, every metric with its kind, unit, source, tags and meaning, every derived metric with its formula, and the values of cgroups, pressure and the host. ktstr-metrics(7) says the same.",
	CLI_OPTIONS(options),
	CLI_EXITS_USUAL("done", "the list could not be written"),
	.config_size = sizeof(struct list_config),
	.show = show,
};

static const struct cli_command *const subcommands[] = {
	&cmd_ctprof_capture,
	&cmd_metric_list,
	&cmd_ctprof_show,
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "done" },
	{ CLI_EXIT_FAILED, "the command failed" },
	{ CLI_EXIT_USAGE, "the command line is wrong" },
	{ 130, "interrupted" },
};

const struct cli_command cli_cmd_ctprof = {
	.name = "ctprof",
	.summary = "Profile all threads and cgroups of a host",
	.usage = "COMMAND [options]",
	.description =
		"A snapshot holds what the kernel counts about every thread since it was created, the cgroups they are in, pressure, sched_ext and the host. Where a command takes a snapshot it is a file, or FILE@N: the N-th of a series.",
	CLI_EXITS(exits),
	CLI_SUBCOMMANDS(subcommands),
};
