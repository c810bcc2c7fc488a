// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topo/topology.h"

#include <string.h>

const struct topo_preset topo_presets[] = {
#define PRESET(name_, nodes_, llcs_, cores_, threads_) \
	{ name_, { .nodes = (nodes_), .llcs = (llcs_), .cores = (cores_), .threads = (threads_) } },
#include "topo/presets.def"
#undef PRESET
};
const size_t topo_n_presets = ARRAY_SIZE(topo_presets);

const struct topo_preset *topo_preset_find(const char *name)
{
	for (size_t i = 0; i < topo_n_presets; i++)
		if (strcmp(topo_presets[i].name, name) == 0)
			return &topo_presets[i];
	return NULL;
}

struct error *topo_parse_or_preset(const char *text, struct topo *ret)
{
	const struct topo_preset *preset = topo_preset_find(text);
	struct topo_quote q;

	if (preset) {
		*ret = preset->topology;
		return NULL;
	}
	/* A topology begins with a number and no preset does. */
	if (*text >= 'a' && *text <= 'z')
		return topo_error(TOPO_FORM, 0,
				  "\"%s\" is neither a preset nor a topology such as 1n2l4c1t",
				  topo_quote_bytes(&q, text, strlen(text)));
	return topo_parse(text, ret);
}
