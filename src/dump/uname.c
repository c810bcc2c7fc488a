// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/dump.h"

struct error *dump_uname(struct kmem *kmem, const struct dump_request *request UNUSED,
			 struct dump_sink *sink)
{
	const struct kmem_uname *u = &kmem->uname;
	const struct {
		const char *key, *text;
	} parts[] = {
		{ "sysname", u->sysname }, { "nodename", u->nodename }, { "release", u->release },
		{ "version", u->version }, { "machine", u->machine },
	};
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		dump_add_string(sink, parts[i].key, parts[i].text);
		strbuf_appendf(&line, "%s%s", i ? " " : "", parts[i].text);
	}
	dump_line(sink, "%s", strbuf_str(&line));
	return NULL;
}
