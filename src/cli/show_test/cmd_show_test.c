// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cli/frame/interrupts.h"
#include "cli/show_test/show_test.h"
#include "cli/test/test.h"

struct show_test_config {
	const char *binary;
	struct cli_strings tests;
	struct cli_strings dirs;
	const char *topology, *kernel;
	int accel;
	int clock; /* enum vm_clock_wish */
	bool json;
};

static const struct cli_option options[] = {
	CLI_OPTION(
		"topology", "TOPOLOGY", CLI_STRING(struct show_test_config, topology),
		"show it on this machine instead of its own, like 1n2l2c1t or the name of a preset",
		.letter = 't'),
	CLI_OPTION("kernel", "KERNEL", CLI_STRING(struct show_test_config, kernel),
		   "compare what the test needs with this kernel instead of the default",
		   .complete = CLI_COMPLETE_FILE),
	CLI_OPTION(
		"files", "DIR", CLI_STRINGS(struct show_test_config, dirs),
		"search this directory for the files that tests name, before PATH and after the binary's own directory",
		.complete = CLI_COMPLETE_FILE),
	CLI_OPTION("accel", "NAME", CLI_CHOICE(struct show_test_config, accel, vm_accel_wish_words),
		   "what would execute the guest"),
	CLI_OPTION("clock", "NAME", CLI_CHOICE(struct show_test_config, clock, vm_clock_wish_words),
		   "the clock that the guest would have"),
	CLI_OPTION("json", NULL, CLI_FLAG(struct show_test_config, json),
		   "print what the binary lists, and what it means on this host, as JSON"),
	CLI_ARGUMENT("BINARY", CLI_STRING(struct show_test_config, binary),
		     "a program that declares tests, built with libktstr", .required = true,
		     .complete = CLI_COMPLETE_FILE),
	CLI_ARGUMENT("TEST", CLI_STRINGS(struct show_test_config, tests),
		     "names of tests; default: all"),
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "done" },
	{ CLI_EXIT_FAILED, "shown, but a file that a test names is missing" },
	{ CLI_EXIT_USAGE, "the command line or a declaration is wrong" },
};

static struct cancel cancel;

/* Everything that is looked up once. */
struct show {
	struct harness_session session; /* one suite, and one kernel if there is any */
	struct strbuf listing;
	struct json_doc *doc;
	struct error *no_kernel;
	struct vm_accel accel;
	struct topo topology;
	bool missing;
};

static void show_deinit(struct show *show)
{
	harness_session_deinit(&show->session);
	strbuf_deinit(&show->listing);
	json_doc_free(show->doc);
	error_free(show->no_kernel);
}

static const struct exchange_declared_test *find_test(const struct exchange_declared_suite *suite,
						      const char *name, struct suggest *near)
{
	for (size_t i = 0; i < suite->tests.n; i++) {
		if (strcmp(suite->tests.at[i].name, name) == 0)
			return &suite->tests.at[i];
		suggest_offer(near, suite->tests.at[i].name);
	}
	return NULL;
}

static struct error *check_names(const struct show_test_config *config, const struct show *show)
{
	for (size_t i = 0; i < config->tests.n; i++) {
		struct suggest near = { .wanted = config->tests.at[i] };

		if (find_test(show->session.suites.at, near.wanted, &near))
			continue;
		if (near.names[0])
			return cli_error(CLI_USAGE, 0, "%s declares no test %s; did you mean '%s'?",
					 config->binary, near.wanted, near.names[0]);
		return cli_error(CLI_USAGE, 0,
				 "%s declares no test %s; without a name all %zu are "
				 "shown",
				 config->binary, near.wanted, show->session.suites.at->tests.n);
	}
	return NULL;
}

static bool is_wanted(const struct show_test_config *config, const char *name)
{
	for (size_t i = 0; i < config->tests.n; i++)
		if (strcmp(config->tests.at[i], name) == 0)
			return true;
	return config->tests.n == 0;
}

static struct error *look(const struct show_test_config *config, struct show *show)
{
	struct error *err = cli_check_directories("--files", &config->dirs);

	if (!err && config->topology)
		err = cli_parse_topology(config->topology, &show->topology);
	if (!err)
		err = cli_interrupts_install(&cancel);
	if (!err)
		err = harness_session_list(&show->session, config->binary, &cancel, &show->listing);
	if (!err)
		err = check_names(config, show);
	if (!err && config->json)
		err = json_doc_parse(strbuf_str(&show->listing), show->listing.n, config->binary,
				     &show->doc);
	if (err)
		return err;
	show->no_kernel = harness_session_add_kernel(&show->session, config->kernel);
	/* One that was asked for by name must be there; the default need not. */
	if (show->no_kernel && config->kernel)
		return take_ptr(show->no_kernel);
	vm_accel_choose((enum vm_accel_wish)config->accel, &show->accel);
	harness_session_look_in(&show->session, config->dirs.at, config->dirs.n);
	return NULL;
}

static const struct json_value *find_listed(const struct show *show, const char *name)
{
	struct json_iter it = json_iter_over(json_find(json_doc_root(show->doc), "tests"));

	while (json_iter_next(&it))
		if (json_text_is(json_string(json_find(it.value, "name")), name))
			return it.value;
	return NULL;
}

static struct error *show_one(const struct show_test_config *config, struct show *show,
			      const struct exchange_declared_test *test, struct json_writer *w,
			      struct strbuf *out)
{
	const struct text_look how = text_look_for(STDOUT_FILENO);
	const struct shown_host host = {
		.clock = vm_clock_decide((enum vm_clock_wish)config->clock, show->accel.kind),
		.finder = &show->session.finder,
		.kernel = show->session.kernels.n ? show->session.kernels.at[0] : NULL,
		.no_kernel = show->no_kernel ? error_message(show->no_kernel) : NULL,
		.emulated = show->accel.kind != VM_ACCEL_KVM,
		.accel = show->accel.name,
		.accel_reason = show->accel.reason,
	};
	_cleanup_shown_test_ struct shown_test shown = { 0 };
	struct error *err = shown_test_init(&shown, show->session.suites.at, test,
					    config->topology ? &show->topology : NULL, &host);

	if (err)
		return err;
	show->missing |= shown.missing.n > 0;
	if (!config->json) {
		if (out->n)
			strbuf_append_char(out, '\n');
		shown_test_format(&shown, &how, out);
		return NULL;
	}
	json_begin_object(w);
	err = shown_test_write(&shown, find_listed(show, test->name), w);
	json_end_object(w);
	return err;
}

static struct error *show_all(const struct show_test_config *config, struct show *show,
			      struct strbuf *out)
{
	struct json_writer w = json_writer_to(out, JSON_PRETTY);
	struct error *err = NULL;

	if (config->json) {
		json_begin_object(&w);
		json_add_string(&w, "binary", show->session.suites.at->path);
		json_open_array(&w, "tests");
	}
	for (size_t i = 0; !err && i < show->session.suites.at->tests.n; i++)
		if (is_wanted(config, show->session.suites.at->tests.at[i].name))
			err = show_one(config, show, &show->session.suites.at->tests.at[i], &w,
				       out);
	if (config->json)
		json_end_document(&w);
	return err;
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct show_test_config *config = config_;
	__attribute__((cleanup(show_deinit))) struct show show = { 0 };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_error_ struct error *err = look(config, &show);
	int printed;

	if (!err)
		err = show_all(config, &show, &out);
	if (err && cancel_requested(&cancel))
		return TEST_INTERRUPTED;
	if (err) {
		test_print_failure(err);
		return CLI_EXIT_USAGE;
	}
	printed = cli_print(&out);
	return show.missing ? CLI_EXIT_FAILED : printed;
}

const struct cli_command cli_cmd_show_test = {
	.name = "show-test",
	.summary = "Show what tests declare and what it means on this host",
	.usage = "[options] BINARY [TEST...]",
	.description =
		"Shows for each TEST of a BINARY the machine it asks for, its scheduler, its cgroups with the CPUs they get there, every check with its value, the files with where they were found, whether the default kernel has what it needs, and its time limit with this host's accelerator. Nothing is booted.",
	.examples = "  ktstr show-test ./mytests\n"
		    "  ktstr show-test ./mytests fair --topology 2n4l2c1t\n"
		    "  ktstr show-test ./mytests fair --json\n",
	CLI_ROWS(options, 2),
	CLI_EXITS(exits),
	.config_size = sizeof(struct show_test_config),
	.run = run,
};
