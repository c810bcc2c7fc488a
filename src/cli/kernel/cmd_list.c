// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include <string.h>

#include "kernel/cache.h"
#include "text/table.h"

struct list_config {
	bool json;
};

static const struct cli_option options[] = {
	{ .name = "json", CLI_FLAG(struct list_config, json), .help = "print JSON" },
};

/* What nobody asking for a kernel would get; NULL when none is fit. */
static char *default_id(void)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_error_ struct error *err = kernel_resolve("default", &kernel);

	return err ? NULL : take_ptr(kernel->id);
}

static void list_json(const struct kernel_list *list, const char *chosen, struct strbuf *out)
{
	struct json_writer w = json_writer_to(out, JSON_PRETTY);

	json_begin_object(&w);
	json_add_string(&w, "default", chosen);
	json_key(&w, "kernels");
	json_begin_array(&w);
	for (size_t i = 0; i < list->n; i++) {
		if (list->at[i].kernel)
			kernel_write_json(list->at[i].kernel, &w);
	}
	json_end_array(&w);
	json_key(&w, "damaged");
	json_begin_array(&w);
	for (size_t i = 0; i < list->n; i++) {
		if (list->at[i].kernel)
			continue;
		json_begin_object(&w);
		json_add_string(&w, "id", list->at[i].id);
		json_add_string(&w, "reason", list->at[i].damage);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_end_object(&w);
	strbuf_append_char(out, '\n');
}

static void list_table(const struct kernel_list *list, const char *chosen, struct strbuf *out)
{
	static const struct text_column columns[] = {
		{ .title = "kernel" },
		{ .title = "sched_ext" },
		{ .title = "size", .right = true },
		{ .title = "from" },
		{ .title = "note", .shrinks = true },
	};
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns));
	struct text_look look = text_look_for(STDOUT_FILENO);

	for (size_t i = 0; i < list->n; i++) {
		const struct kernel *kernel = list->at[i].kernel;

		text_table_add(table, list->at[i].id);
		if (!kernel) {
			text_table_add(table, "damaged");
			text_table_add(table, NULL);
			text_table_add(table, NULL);
			text_table_add(table, list->at[i].damage);
			continue;
		}
		text_table_add(table, kernel_scx_name(kernel->scx));
		text_table_add_bytes(table, kernel_disk_bytes(kernel));
		text_table_add(table, kernel->suite ? kernel->suite : kernel->source);
		if (chosen && strcmp(chosen, kernel->id) == 0)
			text_table_add(table, "default");
		else if (kernel->scx_reason)
			/* Not the list of functions. */
			text_table_addf(table, "%.*s", (int)strcspn(kernel->scx_reason, ":"),
					kernel->scx_reason);
		else
			text_table_add(table, "");
	}
	text_table_format(table, &look, out);
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct list_config *config = config_;
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_error_ struct error *err = kernel_list_read(&list);
	_cleanup_free_ char *chosen = NULL;

	if (err)
		return kernel_fail(err);
	chosen = default_id();
	if (config->json) {
		list_json(&list, chosen, &out);
	} else if (list.n == 0) {
		fputs("no kernel is cached; 'ktstr kernel fetch' gets the default one\n", stderr);
		return CLI_EXIT_OK;
	} else {
		list_table(&list, chosen, &out);
	}
	return cli_print(&out);
}

const struct cli_command cmd_kernel_list = {
	.name = "list",
	.summary = "Show the cached kernels, newest first",
	.usage = "[--json]",
	CLI_OPTIONS(options),
	.config_size = sizeof(struct list_config),
	.run = run,
};
