// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "cli/frame/commands.h"
#include "cli/frame/topology_option.h"
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
	{ .name = "json", CLI_FLAG(struct topo_config, json), .help = "print JSON" },
	{ .name = "presets",
	  CLI_FLAG(struct topo_config, presets),
	  .help = "list the topologies that have a name" },
	{ .name = "sysfs",
	  .argument = "DIR",
	  CLI_STRING(struct topo_config, sysfs),
	  .complete = CLI_COMPLETE_FILE,
	  .help = "describe the machine with this /sys" },
};

static const struct cli_option positionals[] = {
	{ .argument = "TOPOLOGY",
	  CLI_STRING(struct topo_config, topology),
	  .help = "a topology (2n4l2c1t) or the name of a preset; without it, this machine" },
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "done" },
	{ CLI_EXIT_FAILED, "the machine cannot be read" },
	{ CLI_EXIT_USAGE, "the command line is wrong" },
};

static struct error *check(void *config_)
{
	struct topo_config *config = config_;

	if (config->topology && config->presets)
		return cli_error(CLI_USAGE, 0, "--presets takes no topology");
	return config->topology ? cli_parse_topology(config->topology, &config->parsed) : NULL;
}

static int print(const struct topo_config *config, const struct topo_shown *shown)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct block_look look = { .unicode = topo_wants_unicode(),
				   .columns = text_terminal_columns(STDOUT_FILENO) };

	if (look.columns == 0)
		look.columns = COLUMNS_WHEN_UNKNOWN;
	if (config->json)
		topo_format_json(shown, &out);
	else
		topo_format_text(shown, &look, &out);
	return cli_print(&out);
}

static int show_presets(const struct topo_config *config)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	if (config->json)
		topo_format_presets_json(&out);
	else
		topo_format_presets(text_terminal_columns(STDOUT_FILENO),
				    text_terminal_has_colour(STDOUT_FILENO), &out);
	return cli_print(&out);
}

static int show_machine(const struct topo_config *config)
{
	_cleanup_topo_machine_ struct topo_machine *machine = NULL;
	_cleanup_view_ struct view view = { 0 };
	_cleanup_error_ struct error *err = topo_machine_read(config->sysfs, &machine);

	if (err)
		return cli_fail(err);
	view_of_machine(machine, &view);
	return print(config, &(struct topo_shown){ .view = &view, .machine = machine });
}

static int show_topology(const struct topo_config *config)
{
	const struct topo_preset *preset = topo_preset_find(config->topology);
	_cleanup_view_ struct view view = { 0 };

	view_of_topology(&config->parsed, &view);
	return print(config,
		     &(struct topo_shown){ .view = &view, .preset = preset ? preset->name : NULL });
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct topo_config *config = config_;

	if (config->presets)
		return show_presets(config);
	return config->topology ? show_topology(config) : show_machine(config);
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
	CLI_OPTIONS(options),
	CLI_POSITIONALS(positionals),
	CLI_EXITS(exits),
	.config_size = sizeof(struct topo_config),
	.defaults = &defaults,
	.check = check,
	.run = run,
};
