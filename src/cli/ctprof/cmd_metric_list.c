// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "cli/ctprof/commands.h"
#include "cli/ctprof/metric_list.h"

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

const struct cli_command cmd_ctprof_metric_list = {
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
