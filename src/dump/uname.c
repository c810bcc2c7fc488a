// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/dump.h"
#include "text/escape.h"

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
		if (sink->json)
			json_add_string(sink->json, parts[i].key, parts[i].text);
		if (i)
			strbuf_append_char(&line, ' ');
		text_escape(&line, parts[i].text);
	}
	if (sink->text)
		dump_lines(sink, strbuf_str(&line));
	return NULL;
}
