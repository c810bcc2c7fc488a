// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include "base/suggest.h"
#include "topo/topology.h"

struct error *cli_parse_topology(const char *text, struct topo *ret)
{
	struct suggest near = { .wanted = text };
	_cleanup_error_ struct error *err = topo_parse_or_preset(text, ret);

	if (!err)
		return NULL;
	for (size_t i = 0; i < topo_n_presets; i++)
		suggest_offer(&near, topo_presets[i].name);
	if (near.names[0])
		return cli_error(CLI_USAGE, 0, "%s; did you mean '%s'?", error_message(err),
				 near.names[0]);
	return error_recast(take_ptr(err), &cli_error_domain, CLI_USAGE);
}
