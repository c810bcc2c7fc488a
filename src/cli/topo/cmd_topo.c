// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "cli/frame/commands.h"
#include "cli/topo/topo.h"
#include "text/terminal.h"
#include "topo/topology.h"

enum { COLUMNS_WHEN_UNKNOWN = 80 };

struct topo_config {
	const char *topology;
	const char *sysfs;
	bool json;
	bool presets;
	struct topo parsed; /* ->topology */
};

static const struct topo_config defaults = { .sysfs = "/sys" };

static const struct cli_option options[] = {
	CLI_OPTION("json", NULL, CLI_FLAG(struct topo_config, json), "print JSON"),
	CLI_OPTION("presets", NULL, CLI_FLAG(struct topo_config, presets),
		   "list the topologies that have a name"),
	CLI_OPTION("sysfs", "DIR", CLI_STRING(struct topo_config, sysfs),
		   "describe the machine with this /sys", .complete = CLI_COMPLETE_FILE),
	CLI_ARGUMENT("TOPOLOGY", CLI_STRING(struct topo_config, topology),
		     "a topology (2n4l2c1t) or the name of a preset; without it, this machine"),
};

static struct error *check(void *config_)
{
	struct topo_config *config = config_;

	if (config->topology && config->presets)
		return cli_error(CLI_USAGE, 0, "--presets takes no topology");
	return config->topology ? cli_parse_topology(config->topology, &config->parsed) : NULL;
}

static void show_presets(const struct topo_config *config, struct strbuf *out)
{
	struct text_look look = text_look_for(STDOUT_FILENO);

	if (config->json)
		topo_format_presets_json(out);
	else
		topo_format_presets(&look, out);
}

static struct error *show(const void *config_, struct strbuf *out)
{
	const struct topo_config *config = config_;
	struct block_look look = { .unicode = topo_wants_unicode(),
				   .columns = text_terminal_columns(STDOUT_FILENO) };
	_cleanup_topo_machine_ struct topo_machine *machine = NULL;
	_cleanup_view_ struct view view = { 0 };
	struct error *err;

	if (config->presets) {
		show_presets(config, out);
		return NULL;
	}
	if (config->topology) {
		const struct topo_preset *preset = topo_preset_find(config->topology);

		view_of_topology(&config->parsed, &view);
		view.preset = preset ? preset->name : NULL;
	} else {
		err = topo_machine_read(config->sysfs, &machine);
		if (err)
			return err;
		view_of_machine(machine, &view);
	}
	if (look.columns == 0)
		look.columns = COLUMNS_WHEN_UNKNOWN;
	if (config->json)
		topo_format_json(&view, out);
	else
		topo_format_text(&view, &look, out);
	return NULL;
}

const struct cli_command cli_cmd_topo = {
	.name = "topo",
	.summary = "Show a topology, or that of this machine",
	.usage = "[TOPOLOGY] [--json] [--presets] [--sysfs DIR]",
	.description =
		"A topology is {nodes}n{llcs}l{cores}c{threads}t: NUMA nodes, last-level caches in the whole machine, cores per cache, threads per core. Memory of each node and distances may follow: 2n4l2c1t,mem=1G:512M,dist=10:21:21:10.",
	.examples = "  ktstr topo\n"
		    "  ktstr topo 2n4l4c2t\n"
		    "  ktstr topo numa4-8llc --json\n"
		    "  ktstr topo --presets\n",
	CLI_ROWS(options, 1),
	CLI_EXITS_USUAL("done", "the machine cannot be read"),
	.config_size = sizeof(struct topo_config),
	.defaults = &defaults,
	.check = check,
	.show = show,
};
