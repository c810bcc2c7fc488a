// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/topology_option.h"

#include "cli/frame/command.h"
#include "cli/frame/suggest.h"
#include "topo/presets.h"

struct error *topology_option_parse(const char *text, struct topology *ret)
{
	struct suggestion near = { .word = text };
	_cleanup_error_ struct error *err = topology_parse_or_preset(text, ret);

	if (!err)
		return NULL;
	for (size_t i = 0; i < n_presets; i++)
		suggest_offer(&near, presets[i].name);
	if (near.best)
		return cli_error(CLI_USAGE, 0, "%s; did you mean '%s'?", error_message(err),
				 near.best);
	return error_recast(take_ptr(err), &cli_error_domain, CLI_USAGE);
}
