// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/modules.h"

#include "dump/dump.h"
#include "dump/member.h"
#include "text/escape.h"

static bool show_module(void *context, const struct kmem_module *module)
{
	struct dump_sink *sink = context;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	if (sink->json) {
		json_begin_object(sink->json);
		json_add_string(sink->json, "name", module->name);
		dump_add_hex(sink->json, "base", module->base);
		json_add_u64(sink->json, "text_bytes", module->size);
		json_end_object(sink->json);
		return true;
	}
	text_escape(&name, module->name);
	dump_line(sink, "%-24s 0x%llx %llu", strbuf_str(&name), (unsigned long long)module->base,
		  (unsigned long long)module->size);
	return true;
}

struct error *dump_modules(struct kmem *kmem, const struct dump_request *request,
			   struct dump_sink *sink)
{
	struct kmem_walk walk = dump_walk_wanted(sink, dump_wanted(request, sink));
	struct error *err;

	if (sink->json) {
		json_key(sink->json, "modules");
		json_begin_array(sink->json);
	}
	err = kmem_modules(kmem, &walk, show_module, sink);
	if (sink->json)
		json_end_array(sink->json);
	if (err)
		return err;
	dump_walk(sink, "modules", &walk);
	return NULL;
}
