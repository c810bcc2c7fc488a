// SPDX-License-Identifier: LGPL-2.1-or-later
/* All views as one report. */
#include <string.h>

#include "dump/dump.h"

const struct dump_view dump_views[] = {
#define DUMP_VIEW(id, word_, argument_, meaning_) \
	{ .word = word_, .argument = argument_, .meaning = meaning_, .show = dump_##id },
#include "dump/views.def"
#undef DUMP_VIEW
};
const size_t dump_n_views = ARRAY_SIZE(dump_views);

const struct dump_view *dump_view_find(const char *word)
{
	for (size_t i = 0; i < dump_n_views; i++) {
		if (strcmp(dump_views[i].word, word) == 0)
			return &dump_views[i];
	}
	return NULL;
}

bool dump_view_needs_argument(const struct dump_view *view)
{
	return view->argument && view->argument[0] != '[';
}

struct error *dump_one(const struct dump_view *view, struct kmem *kmem,
		       const struct dump_request *request, struct dump_sink *sink)
{
	struct error *err;

	dump_open(sink, NULL);
	err = view->show(kmem, request, sink);
	dump_close(sink);
	return err;
}

static void show_section(const struct dump_view *view, struct kmem *kmem, const char *no_kmem,
			 const struct dump_request *request, struct dump_sink *sink)
{
	_cleanup_error_ struct error *err = NULL;
	const size_t lost = sink->lines_lost, last = sink->lines_left > 1;

	sink->lines_left -= last;
	dump_open(sink, view->word);
	dump_line(sink, "%s: %s", view->word, view->meaning);
	sink->indent += 2;
	if (kmem)
		err = view->show(kmem, request, sink);
	if (err || !kmem)
		dump_unavailable(sink, "unavailable", NULL, err ? error_message(err) : no_kmem);
	dump_close(sink);
	/* A view that was cut says so in place: the reader may not reach the end of the report. */
	sink->lines_left += last;
	if (last && sink->lines_lost > lost)
		dump_line(sink, "… at least %zu more lines", sink->lines_lost - lost);
	sink->indent -= 2;
	if (sink->lines_left)
		dump_lines(sink, "");
}

static size_t n_views_behind(size_t i)
{
	size_t n = 0;

	while (++i < dump_n_views)
		n += !dump_view_needs_argument(&dump_views[i]);
	return n;
}

/* Lines that a long view leaves for later views: half, or a few for each. */
enum { LINES_KEPT_PER_VIEW = 12 };

static size_t lines_to_keep(const struct dump_sink *sink, size_t n_behind)
{
	const size_t left = sink->lines_left, half = n_behind ? left / 2 : 0;
	size_t wanted = n_behind * LINES_KEPT_PER_VIEW;
	/* Where there is less than that, each gets its share. */
	size_t share = left / (n_behind + 1), fair = left - (share || !left ? share : 1);

	wanted = wanted < fair ? wanted : fair;
	return wanted > half ? wanted : half;
}

static void show_all(struct kmem *kmem, const char *no_kmem, const struct dump_request *request,
		     struct dump_sink *sink)
{
	const size_t most_json = sink->most_json;

	dump_open(sink, NULL);
	for (size_t i = 0; i < dump_n_views; i++) {
		size_t kept = lines_to_keep(sink, n_views_behind(i));

		if (dump_view_needs_argument(&dump_views[i]))
			continue;
		sink->lines_left -= kept;
		if (sink->json && sink->json->out->n < most_json)
			sink->most_json = sink->json->out->n + (most_json - sink->json->out->n) / 2;
		show_section(&dump_views[i], kmem, no_kmem, request, sink);
		sink->lines_left += kept;
		sink->most_json = most_json;
	}
	dump_close(sink);
}

void dump_all(struct kmem *kmem, const struct dump_request *request, struct dump_sink *sink)
{
	show_all(kmem, NULL, request, sink);
}

void dump_failure(struct kmem *kmem, const char *reason, const struct dump_request *request,
		  size_t lines, struct strbuf *text, struct strbuf *json)
{
	if (text) {
		struct dump_sink sink = dump_sink_to_text(text, lines ? lines : DUMP_DEFAULT_LINES);

		show_all(kmem, reason, request, &sink);
		if (sink.lines_lost)
			strbuf_appendf(text, "… at least %zu more lines\n", sink.lines_lost);
	}
	if (json) {
		struct json_writer writer = json_writer_to(json, JSON_PRETTY);
		struct dump_sink sink = dump_sink_to_json(&writer);

		show_all(kmem, reason, request, &sink);
		strbuf_append_char(json, '\n');
	}
}
