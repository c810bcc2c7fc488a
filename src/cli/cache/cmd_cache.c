// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include <unistd.h>

#include "base/paths.h"
#include "cli/cache/parts.h"
#include "json/writer.h"
#include "text/terminal.h"
#include "text/table.h"

struct list_config {
	bool json;
};

static const struct cli_option list_options[] = {
	CLI_OPTION("json", NULL, CLI_FLAG(struct list_config, json), "print JSON"),
};

static void list_table(struct strbuf *out)
{
	_cleanup_text_table_ struct text_table *table = TEXT_TABLE("part", ">size", "~holds",
								   "~clean");
	struct text_look look = text_look_for(STDOUT_FILENO);

	for (size_t i = 0; i < n_cache_parts; i++) {
		uint64_t bytes = cache_part_bytes(&cache_parts[i]);

		if (!bytes)
			continue;
		text_table_add(table, cache_parts[i].name);
		text_table_add_bytes(table, bytes);
		text_table_add_row(table, cache_parts[i].what,
				   cache_parts[i].kept ? cache_parts[i].kept : "removes it");
	}
	text_table_format(table, &look, out);
}

static void list_json(const char *path, struct strbuf *out)
{
	struct json_writer w = json_writer_to(out, JSON_PRETTY);

	json_begin_object(&w);
	json_add_string(&w, "path", path);
	json_open_array(&w, "parts");
	for (size_t i = 0; i < n_cache_parts; i++) {
		json_begin_object(&w);
		json_add_string(&w, "name", cache_parts[i].name);
		json_add_u64(&w, "bytes", cache_part_bytes(&cache_parts[i]));
		json_add_string(&w, "holds", cache_parts[i].what);
		json_add_bool(&w, "cleaned", !cache_parts[i].kept);
		json_end_object(&w);
	}
	json_end_document(&w);
}

static struct error *show_list(const void *config_, struct strbuf *out)
{
	const struct list_config *config = config_;
	_cleanup_free_ char *path = paths_cache("");

	if (config->json) {
		list_json(path, out);
	} else {
		list_table(out);
		strbuf_appendf(out, "%s: ", path);
		text_format_bytes(out, paths_disk_bytes(path));
		strbuf_append_char(out, '\n');
	}
	return NULL;
}

static const struct cli_command cmd_cache_list = {
	.name = "list",
	.summary = "List what the cache holds, with sizes",
	.usage = "[--json]",
	CLI_OPTIONS(list_options),
	.config_size = sizeof(struct list_config),
	.show = show_list,
};

struct clean_config {
	struct cli_strings parts;
	bool dry_run;
};

static const struct cli_option clean_options[] = {
	CLI_OPTION("dry-run", NULL, CLI_FLAG(struct clean_config, dry_run),
		   "print what would be removed, and remove nothing", .letter = 'n'),
	CLI_ARGUMENT("PART", CLI_STRINGS(struct clean_config, parts),
		     "only this part of the cache, as ktstr cache list names it"),
};

static struct error *check_clean(void *config_)
{
	const struct clean_config *config = config_;

	for (size_t i = 0; i < config->parts.n; i++) {
		const struct cache_part *part = cache_part_find(config->parts.at[i]);

		if (!part)
			return cli_error(
				CLI_USAGE, 0,
				"PART '%s' is not a part of the cache; ktstr cache list names them",
				config->parts.at[i]);
		if (part->kept)
			return cli_error(CLI_USAGE, 0, "PART '%s' is not cleaned: %s", part->name,
					 part->kept);
	}
	return NULL;
}

static bool is_wanted(const struct clean_config *config, const struct cache_part *part)
{
	for (size_t i = 0; i < config->parts.n; i++)
		if (cache_part_find(config->parts.at[i]) == part)
			return true;
	return config->parts.n == 0 && !part->kept;
}

static void say_cleaning(const struct cache_part *part, const struct cache_cleaning *cleaning,
			 bool dry_run, struct strbuf *out)
{
	if (cleaning->removed_bytes) {
		strbuf_appendf(out, "%s: ", part->name);
		text_format_bytes(out, cleaning->removed_bytes);
		strbuf_append(out, dry_run ? " would be removed\n" : " removed\n");
	}
	if (cleaning->used_bytes) {
		strbuf_appendf(out, "%s: ", part->name);
		text_format_bytes(out, cleaning->used_bytes);
		strbuf_append(out, " kept: in use\n");
	}
}

static int run_clean(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct clean_config *config = config_;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	int code = CLI_EXIT_OK, printed;

	for (size_t i = 0; i < n_cache_parts; i++) {
		const struct cache_part *part = &cache_parts[i];
		struct cache_cleaning cleaning = { 0 };
		_cleanup_error_ struct error *err = NULL;

		if (!is_wanted(config, part))
			continue;
		/* One that resists does not protect the others. */
		err = cache_part_clean(part, config->dry_run, &cleaning);
		if (err) {
			cli_print_error(error_message(err));
			code = CLI_EXIT_FAILED;
		}
		say_cleaning(part, &cleaning, config->dry_run, &out);
	}
	if (!out.n && code == CLI_EXIT_OK)
		strbuf_append(&out, "nothing to remove\n");
	printed = cli_print(&out);
	return code == CLI_EXIT_OK ? printed : code;
}

static const struct cli_command cmd_cache_clean = {
	.name = "clean",
	.summary = "Remove what is rebuilt when it is needed",
	.usage = "[--dry-run] [PART...]",
	.description =
		"Without a PART: everything that is rebuilt automatically: templates of guests, package lists, roots of other Debian releases. Kernels and built libraries stay. What is in use stays as well, and is reported.",
	CLI_ROWS(clean_options, 1),
	.config_size = sizeof(struct clean_config),
	.check = check_clean,
	.run = run_clean,
};

static const struct cli_command *const subcommands[] = { &cmd_cache_list, &cmd_cache_clean };

const struct cli_command cli_cmd_cache = {
	.name = "cache",
	.summary = "See and clean what ktstr keeps on disk",
	.usage = "COMMAND [options]",
	.description =
		"The cache is $KTSTR_CACHE_DIR, else $XDG_CACHE_HOME/ktstr, else ~/.cache/ktstr.",
	CLI_EXITS_USUAL("done", "something could not be removed"),
	CLI_SUBCOMMANDS(subcommands),
};
