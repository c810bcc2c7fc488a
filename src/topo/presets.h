/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topologies with a name; the table is presets.def. */
#ifndef KTSTR_TOPO_PRESETS_H
#define KTSTR_TOPO_PRESETS_H

#include "topo/topology.h"

struct topo_preset {
	const char *name;
	struct topo topology;
};

extern const struct topo_preset topo_presets[];
extern const size_t topo_n_presets;

/* NULL when there is none of that name. */
const struct topo_preset *topo_preset_find(const char *name);
/* What a user writes: the name of a preset, or a topology. */
struct error *topo_parse_or_preset(const char *text, struct topo *ret) MUST_CHECK;

#endif
