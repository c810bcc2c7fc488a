// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/modules.h"

#include "dump/rows.h"

struct row {
	struct dump_text name;
	uint64_t base, size;
};

static const struct dump_column columns[] = {
	{ .key = "name", .title = "", .width = -24, DUMP_TEXT(row, name) },
	{ .key = "base", .title = "", DUMP_HEX(row, base) },
	{ .key = "text_bytes", .title = "", DUMP_U64(row, size) },
};

static bool show_module(void *context, const struct kmem_module *module)
{
	dump_rows_add(context, &(struct row){ { 0, module->name }, module->base, module->size });
	return true;
}

struct error *dump_modules(struct kmem *kmem, const struct dump_request *request,
			   struct dump_sink *sink)
{
	struct kmem_walk walk = dump_walk_wanted(sink, dump_wanted(request, sink));
	struct dump_rows rows;
	struct error *err;

	dump_rows_begin(&rows, sink, "modules", columns, ARRAY_SIZE(columns));
	err = kmem_modules(kmem, &walk, show_module, &rows);
	dump_rows_end(&rows);
	if (!err)
		dump_walk(sink, "modules", &walk);
	return err;
}
