// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of sub-commands, and those that only look: list, info and check. */
#include "cli/frame/commands.h"

#include <string.h>
#include <time.h>

#include "cli/kernel/commands.h"
#include "kernel/cache.h"
#include "text/terminal.h"
#include "text/table.h"

/* Of all three; list takes no KERNEL. */
struct look_config {
	const char *wanted;
	bool json;
};

static const struct cli_option options[] = {
	CLI_OPTION("json", NULL, CLI_FLAG(struct look_config, json), "print JSON"),
	CLI_ARGUMENT("KERNEL", CLI_STRING(struct look_config, wanted),
		     "a series, a version, an id or a path; without it the default kernel"),
};

/* The kernel taken when none is named; NULL when none is usable. */
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
	json_open_array(&w, "kernels");
	for (size_t i = 0; i < list->n; i++) {
		if (list->at[i].kernel)
			kernel_write_json(list->at[i].kernel, &w);
	}
	json_end_array(&w);
	json_open_array(&w, "damaged");
	for (size_t i = 0; i < list->n; i++) {
		if (list->at[i].kernel)
			continue;
		json_begin_object(&w);
		json_add_string(&w, "id", list->at[i].id);
		json_add_string(&w, "reason", list->at[i].damage);
		json_end_object(&w);
	}
	json_end_document(&w);
}

static void list_table(const struct kernel_list *list, const char *chosen, struct strbuf *out)
{
	_cleanup_text_table_ struct text_table *table = TEXT_TABLE("kernel", "sched_ext", ">size",
								   "from", "~note");
	struct text_look look = text_look_for(STDOUT_FILENO);

	for (size_t i = 0; i < list->n; i++) {
		const struct kernel *kernel = list->at[i].kernel;

		text_table_add(table, list->at[i].id);
		if (!kernel) {
			text_table_add_row(table, "damaged", NULL, NULL, list->at[i].damage);
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

static struct error *show_list(const void *config_, struct strbuf *out)
{
	const struct look_config *config = config_;
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	_cleanup_free_ char *chosen = NULL;
	struct error *err = kernel_list_read(&list);

	if (err)
		return err;
	chosen = default_id();
	if (config->json)
		list_json(&list, chosen, out);
	else if (list.n == 0)
		fputs("no kernel is cached; 'ktstr kernel fetch' gets the default one\n", stderr);
	else
		list_table(&list, chosen, out);
	return NULL;
}

static const struct cli_command cmd_list = {
	.name = "list",
	.summary = "Show the cached kernels, newest first",
	.usage = "[--json]",
	.options = options,
	.n_options = 1,
	.config_size = sizeof(struct look_config),
	.show = show_list,
};

static void row(struct strbuf *out, const char *name, const char *value)
{
	if (!value)
		return;
	strbuf_appendf(out, "%-10s ", name);
	text_escape(out, value);
	strbuf_append_char(out, '\n');
}

static void path_row(struct strbuf *out, const char *name, const char *path, uint64_t bytes)
{
	_cleanup_strbuf_ struct strbuf value = STRBUF_INIT;

	if (!path)
		return;
	strbuf_appendf(&value, "%s (", path);
	text_format_bytes(&value, bytes);
	strbuf_append_char(&value, ')');
	row(out, name, strbuf_str(&value));
}

static void format_info(const struct kernel *kernel, struct strbuf *out)
{
	const char *const paths[KERNEL_N_FILES] = {
		[KERNEL_BZIMAGE] = kernel->bzimage_path,
		[KERNEL_VMLINUX] = kernel->vmlinux_path,
		[KERNEL_CONFIG] = kernel->config_path,
		[KERNEL_BTF] = kernel->btf_path,
	};
	_cleanup_strbuf_ struct strbuf scx = STRBUF_INIT;
	time_t added = (time_t)kernel->added_unix_sec;
	char when[32] = "";
	struct tm tm;

	row(out, "id", kernel->id);
	row(out, "release", kernel->release);
	row(out, "version", kernel->version);
	row(out, "flavour", kernel->flavour);
	row(out, "build-id", kernel->build_id);
	kernel_format_scx(kernel, &scx);
	row(out, "sched_ext", strbuf_str(&scx));
	row(out, "source", kernel->source);
	row(out, "suite", kernel->suite);
	if (gmtime_r(&added, &tm) && strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &tm))
		row(out, "added", when);
	for (int i = 0; i < KERNEL_N_FILES; i++)
		path_row(out, kernel_file_name((enum kernel_file_kind)i), paths[i],
			 kernel->files[i].bytes);
	path_row(out, "modules", kernel->modules_dir, kernel->modules_bytes);
}

static struct error *show_info(const void *config_, struct strbuf *out)
{
	const struct look_config *config = config_;
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct error *err = kernel_resolve(config->wanted, &kernel);

	if (err)
		return err;
	if (config->json)
		kernel_format_json(kernel, out);
	else
		format_info(kernel, out);
	return NULL;
}

static const struct cli_command cmd_info = {
	.name = "info",
	.summary = "Print what is known about a cached kernel",
	.usage = "[--json] [KERNEL]",
	CLI_ROWS(options, 1),
	.config_size = sizeof(struct look_config),
	.show = show_info,
};

static void format_check(const struct kernel *kernel, const struct kernel_check *check,
			 struct strbuf *out)
{
	strbuf_appendf(out, "%s: files as recorded; sched_ext %s", kernel->id,
		       kernel_scx_name(check->verdict));
	if (check->reason) {
		strbuf_append(out, ": ");
		text_escape(out, check->reason);
	} else {
		strbuf_appendf(out, ": %u scx functions, none leaks an argument", check->functions);
	}
	strbuf_append_char(out, '\n');
}

static void format_check_json(const struct kernel *kernel, const struct kernel_check *check,
			      struct strbuf *out)
{
	struct json_writer w = json_writer_to(out, JSON_PRETTY);

	json_begin_object(&w);
	json_add_string(&w, "id", kernel->id);
	json_add_string(&w, "sched_ext", kernel_scx_name(check->verdict));
	json_add_string(&w, "sched_ext_reason", check->reason);
	json_add_u64(&w, "functions", check->functions);
	json_add_u64(&w, "leaky", check->leaky);
	json_end_document(&w);
}

static int run_check(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct look_config *config = config_;
	_cleanup_kernel_check_ struct kernel_check check = { 0 };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_error_ struct error *err = kernel_resolve(config->wanted, &kernel);
	int code;

	if (!err)
		err = kernel_verify(kernel, &check);
	if (err)
		return cli_fail(err);
	(config->json ? format_check_json : format_check)(kernel, &check, &out);
	code = cli_print(&out);
	return code == CLI_EXIT_OK && check.verdict != KERNEL_SCX_USABLE ? CLI_EXIT_FAILED : code;
}

static const struct cli_command cmd_check = {
	.name = "check",
	.summary = "Verify a cached kernel and check whether sched_ext works on it",
	.usage = "[--json] [KERNEL]",
	.description =
		"Reads every file again and compares it with what was recorded, then reads the kernel's BTF: programs for sched_ext are refused by kernels whose scx functions leak an 'aux' argument into their prototypes.",
	CLI_ROWS(options, 1),
	CLI_EXITS_USUAL("the kernel is complete and usable for sched_ext",
			"it is not, or there is none"),
	.config_size = sizeof(struct look_config),
	.run = run_check,
};

static const struct cli_command *const subcommands[] = {
	&cmd_kernel_fetch, &cmd_list, &cmd_info, &cmd_check, &cmd_kernel_add, &cmd_kernel_remove,
};

const struct cli_command cli_cmd_kernel = {
	.name = "kernel",
	.summary = "Get, check and keep the kernels that guests boot",
	.usage = "COMMAND [options]",
	.description =
		"Where a command takes a kernel, it is a series (6.18: the newest of it), a version (6.18.15), an id of `ktstr kernel list`, or a path with a slash in it. The default kernel is the newest cached one of the series 6.18, else the newest that is usable for sched_ext. KTSTR_KERNEL names another.",
	CLI_EXITS_USUAL("done", "the command failed, or the kernel is not usable"),
	CLI_SUBCOMMANDS(subcommands),
};
