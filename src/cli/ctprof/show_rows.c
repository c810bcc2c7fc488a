// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/ctprof/blocks.h"
#include "cli/ctprof/compact.h"
#include "cli/ctprof/rows.h"
#include "cli/ctprof/show.h"
#include "text/terminal.h"

/* The section that is being put together. */
struct section {
	const struct profile *profile;
	const struct table_look *look;
	struct strbuf *into;
	bool open, is_compact;
	enum metric_section id;
	struct compact compact;
	struct blocks blocks;
	struct group_key headed;
	bool has_heading;
};

static const struct table_column columns[] = {
	{ .title = "NAME" },
	{ .title = "VALUE", .right = true },
};

static void open_section(struct section *section, enum metric_section id)
{
	section->open = true;
	section->id = id;
	section->has_heading = false;
	section->is_compact = !section->profile->options->everything &&
			      compact_init(&section->compact, id);
	if (!section->is_compact)
		blocks_init(&section->blocks, columns, ARRAY_SIZE(columns));
}

static void close_section(struct section *section)
{
	const struct table_look *look = section->look;
	_cleanup_strbuf_ struct strbuf table = STRBUF_INIT;

	if (!section->open)
		return;
	section->open = false;
	if (section->is_compact) {
		compact_format(&section->compact, look, &table);
		compact_deinit(&section->compact);
	} else {
		blocks_format(&section->blocks, look, &table);
		blocks_deinit(&section->blocks);
	}
	if (!table.n)
		return;
	strbuf_appendf(section->into, "\n%s## %s%s\n", look->colour ? TERMINAL_BOLD : "",
		       metric_sections[section->id].heading, look->colour ? TERMINAL_RESET : "");
	strbuf_append(section->into, strbuf_str(&table));
}

static void add_line(struct section *section, const struct row *row)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	bool of_host = !row->key.cgroup && !row->key.process;

	if (!row_says_something(row) && !section->profile->options->everything)
		return;
	if (!of_host &&
	    (!section->has_heading || memcmp(&section->headed, &row->key, sizeof(row->key)) != 0)) {
		profile_format_label(section->profile, &row->key, &text);
		blocks_heading(&section->blocks, 0, strbuf_str(&text));
		strbuf_clear(&text);
		section->headed = row->key;
		section->has_heading = true;
	}
	row_format_value(row, &text);
	blocks_row(&section->blocks);
	table_add(section->blocks.table, row->name);
	table_add(section->blocks.table, strbuf_str(&text));
}

static void take_row(const struct row *row, void *section_)
{
	struct section *section = section_;

	if (row->for_programs)
		return;
	if (!section->open || section->id != row->section) {
		close_section(section);
		open_section(section, row->section);
	}
	if (section->is_compact)
		compact_add(&section->compact, section->profile, row);
	else
		add_line(section, row);
}

void show_format_rows(const struct profile *profile, const struct table_look *look,
		      struct strbuf *into)
{
	struct section section = { .profile = profile, .look = look, .into = into };

	rows_each(profile, take_row, &section);
	close_section(&section);
}
