/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values through the writer of the room json. */
#ifndef KTSTR_TESTS_BTF_JSON_SINK_H
#define KTSTR_TESTS_BTF_JSON_SINK_H

#include "btf/value.h"
#include "json/writer.h"

static inline void value_write_json(const struct btf_value_tree *tree,
				    const struct btf_value_node *node, struct strbuf *out)
{
	struct json_writer w = json_writer_to(out, JSON_COMPACT);

	btf_value_write(tree, node, &w);
}

#endif
