// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <string.h>

#include "base/alloc.h"
#include "base/suggest.h"
#include "cli/frame/commands.h"
#include "cli/frame/interrupts.h"
#include "dump/dump.h"
#include "dump/expr.h"
#include "dump/vmcore.h"
#include "inspect/source.h"

#define ALL "all"

enum { EXIT_SIGNAL = 128 };

/* Requested by signals, where they do not end us at once. */
static struct cancel cancel;

struct inspect_config {
	const char *source, *view, *argument, *expr, *vmcore;
	bool json, freeze, no_cache, zeros;
	uint64_t max_entries;
	uint32_t lines;
};

static const struct inspect_config defaults = {
	.view = ALL,
	.max_entries = DUMP_DEFAULT_ENTRIES,
	.lines = DUMP_DEFAULT_LINES,
};

static const struct cli_option options[] = {
	CLI_OPTION("json", NULL, CLI_FLAG(struct inspect_config, json),
		   "print JSON, without a limit on lines"),
	CLI_OPTION("expr", "EXPR", CLI_STRING(struct inspect_config, expr),
		   "show one value, written as in C: a symbol, members, casts"),
	CLI_OPTION("max-entries", "N", CLI_U64(struct inspect_config, max_entries, 0, UINT64_MAX),
		   "show at most that many entries of each list, 0 shows all"),
	CLI_OPTION("lines", "N", CLI_U32(struct inspect_config, lines, 1, UINT32_MAX),
		   "print at most that many lines of text"),
	CLI_OPTION("zeros", NULL, CLI_FLAG(struct inspect_config, zeros),
		   "print members of structs that are 0, too; else they are counted"),
	CLI_OPTION("freeze", NULL, CLI_FLAG(struct inspect_config, freeze),
		   "stop the VM while it is inspected"),
	CLI_OPTION("no-cache", NULL, CLI_FLAG(struct inspect_config, no_cache),
		   "neither use nor write the cache of kernels"),
	CLI_OPTION("vmcore", "OUT", CLI_STRING(struct inspect_config, vmcore),
		   "show nothing, write the memory as an ELF vmcore",
		   .complete = CLI_COMPLETE_FILE),
	CLI_ARGUMENT("SRC", CLI_STRING(struct inspect_config, source),
		     "vm:ID, a file of RAM, a template, a vmcore or /proc/kcore", .required = true,
		     .complete = CLI_COMPLETE_FILE),
	CLI_ARGUMENT("VIEW", CLI_STRING(struct inspect_config, view),
		     "what to show, see below; without it, everything"),
	CLI_ARGUMENT("ARG", CLI_STRING(struct inspect_config, argument), "argument of the view"),
};

static const struct cli_word_row views[] = {
#define DUMP_VIEW(id, word, argument, meaning) { word, argument, meaning },
#include "dump/views.def"
#undef DUMP_VIEW
	{ ALL, NULL, "every view that needs no argument" },
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "done" },
	{ CLI_EXIT_FAILED,
	  "no kernel was found, or the view is unavailable; all or part of a value cannot be read" },
	{ CLI_EXIT_USAGE, "the command line is wrong" },
	{ EXIT_SIGNAL,
	  "plus N: signal N ended ktstr; a guest that was frozen runs again, an unfinished vmcore is removed" },
};

static struct error *unknown_view(const char *word)
{
	_cleanup_strbuf_ struct strbuf words = STRBUF_INIT;
	struct suggest near = { .wanted = word };

	for (size_t i = 0; i < dump_n_views; i++) {
		strbuf_appendf(&words, "%s, ", dump_views[i].word);
		suggest_offer(&near, dump_views[i].word);
	}
	suggest_offer(&near, ALL);
	if (near.names[0])
		return cli_error(CLI_USAGE, 0, "there is no view \"%s\"; did you mean '%s'?", word,
				 near.names[0]);
	return cli_error(CLI_USAGE, 0, "there is no view \"%s\"; there are %s" ALL, word,
			 strbuf_str(&words));
}

static struct error *check(void *config_)
{
	const struct inspect_config *config = config_;
	const struct dump_view *view = dump_view_find(config->view);

	if (config->freeze && strncmp(config->source, "vm:", 3) != 0)
		return cli_error(CLI_USAGE, 0, "--freeze is for vm:ID");
	if (!view && strcmp(config->view, ALL) != 0)
		return unknown_view(config->view);
	if (config->vmcore && (view || config->expr))
		return cli_error(CLI_USAGE, 0, "--vmcore shows nothing else");
	if (config->expr && view)
		return cli_error(CLI_USAGE, 0, "--expr goes with no view");
	if (view && dump_view_needs_argument(view) && !config->argument)
		return cli_error(CLI_USAGE, 0, "%s needs %s", view->word, view->argument);
	if (config->argument && !(view && view->argument))
		return cli_error(CLI_USAGE, 0, "%s takes no argument", config->view);
	return NULL;
}

static struct error *write_vmcore(struct kmem *kmem, const struct dump_request *request,
				  const char *path, struct strbuf *out)
{
	struct dump_vmcore core;
	struct error *err = dump_vmcore_write(kmem, request, &cancel, path, &core);

	if (!err)
		strbuf_appendf(out, "%s: %llu bytes, of which %llu are memory that is not zero\n",
			       path, (unsigned long long)core.bytes,
			       (unsigned long long)core.data_bytes);
	return err;
}

static struct error *show(const struct inspect_config *config, struct inspect_kernel *kernel,
			  struct strbuf *out)
{
	struct dump_request request = { .argument = config->argument,
					.max_entries = config->max_entries,
					.registers = kernel->registers,
					.n_registers = kernel->n_registers };
	const struct dump_view *view = dump_view_find(config->view);
	struct json_writer writer = json_writer_to(out, JSON_PRETTY);
	struct dump_sink sink = config->json ? dump_sink_to_json(&writer)
					     : dump_sink_to_text(out, config->lines);
	struct error *err = NULL;

	sink.zeros = config->zeros;
	if (config->vmcore)
		return write_vmcore(kernel->kmem, &request, config->vmcore, out);
	if (config->expr)
		err = dump_expr(kernel->kmem, config->expr, &sink);
	else if (view)
		err = dump_one(view, kernel->kmem, &request, &sink);
	else
		dump_all(kernel->kmem, &request, &sink);
	if (config->json)
		strbuf_append_char(out, '\n');
	if (sink.lines_lost)
		strbuf_appendf(out, "… at least %zu more lines\n", sink.lines_lost);
	return err;
}

static struct error *look(const struct inspect_config *config, struct strbuf *out)
{
	_cleanup_inspect_source_ struct inspect_source source = INSPECT_SOURCE_NONE;
	_cleanup_inspect_kernel_ struct inspect_kernel kernel = { 0 };
	_cleanup_free_ char *cut = NULL;
	struct error *err = inspect_open(config->source, config->freeze, &source);

	if (err)
		return err;
	if (source.core.missing_bytes)
		cut = xasprintf("%s is truncated: %llu bytes of its memory are missing",
				config->source, (unsigned long long)source.core.missing_bytes);
	err = inspect_attach(&source, !config->no_cache, &kernel);
	if (err)
		return cut ? error_wrap(err, "%s", cut) : err;
	if (cut)
		fprintf(stderr, "note: %s\n", cut);
	return show(config, &kernel, out);
}

/* Printed after the guest was resumed: the reader may be slow. */
static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct inspect_config *config = config_;
	bool leaves_something = config->freeze || config->vmcore;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;
	struct sigaction pipe;

	/* From now on a signal is handled after the guest is resumed and half a file is removed.
	 */
	sigaction(SIGPIPE, NULL, &pipe);
	if (leaves_something)
		err = cli_interrupts_install(&cancel);
	if (!err)
		err = look(config, &out);
	/* A reader that goes away ends us as it ends others. */
	sigaction(SIGPIPE, &pipe, NULL);
	if (leaves_something && cli_interrupts_ended_by())
		return EXIT_SIGNAL + cli_interrupts_ended_by();
	if (!err)
		return cli_print(&out);
	/* What could be read of a value is shown all the same. */
	if (error_is(err, &dump_expr_error_domain, DUMP_EXPR_UNREAD))
		(void)cli_print(&out);
	return cli_fail(err);
}

const struct cli_command cli_cmd_inspect = {
	.name = "inspect",
	.summary = "Look into a guest's kernel through its memory",
	.usage =
		"SRC [VIEW [ARG] | --expr EXPR | --vmcore OUT] [--json] [--max-entries N] [--lines N] [--zeros] [--freeze] [--no-cache]",
	.description =
		"Reads nothing but memory: no agent, no debug information, no symbols beside it. What cannot be shown says why.",
	.examples = "  ktstr inspect vm:3f9a tasks\n"
		    "  ktstr inspect vm:3f9a --freeze all\n"
		    "  ktstr inspect guest.vmcore rq --json\n"
		    "  ktstr inspect vm:3f9a --freeze stack 42\n"
		    "  ktstr inspect vm:3f9a --freeze --vmcore guest.vmcore\n"
		    "  ktstr inspect guest.vmcore --expr 'runqueues[0].scx.local_dsq.nr'\n",
	CLI_ROWS(options, 3),
	CLI_WORDS("Views", views),
	CLI_EXITS(exits),
	.config_size = sizeof(struct inspect_config),
	.defaults = &defaults,
	.check = check,
	.run = run,
};
