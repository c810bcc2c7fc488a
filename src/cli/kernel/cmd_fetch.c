// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/fetch.h"
#include "text/number.h"

struct fetch_config {
	const char *wanted;
	int flavour;
	bool sid;
	bool if_missing;
	bool quiet;
	bool json;
};

#define FLAVOUR_WORD_(id, word) [id] = (word),
static const char *const flavours[] = { KERNEL_FLAVOURS(FLAVOUR_WORD_) NULL };

static const struct cli_option options[] = {
	{ .name = "flavour",
	  .argument = "NAME",
	  CLI_CHOICE(struct fetch_config, flavour, flavours),
	  .help = "which build of the kernel" },
	{ .name = "sid",
	  CLI_FLAG(struct fetch_config, sid),
	  .help = "search Debian's unstable suite as well" },
	{ .name = "if-missing",
	  CLI_FLAG(struct fetch_config, if_missing),
	  .help = "do nothing if such a kernel is cached" },
	{ .name = "json",
	  CLI_FLAG(struct fetch_config, json),
	  .help = "print what is known about the kernel as JSON" },
	{ .name = "quiet",
	  .letter = 'q',
	  CLI_FLAG(struct fetch_config, quiet),
	  .help = "print no progress" },
};

static const struct cli_option positionals[] = {
	{ .argument = "KERNEL",
	  CLI_STRING(struct fetch_config, wanted),
	  .help = "a series (6.18), a version (6.18.15), a release, or newest; without it the default kernel" },
};

static struct error *check(void *config_)
{
	const struct fetch_config *config = config_;
	struct kernel_version version;

	if (!config->wanted || strcmp(config->wanted, "newest") == 0 ||
	    strcmp(config->wanted, "default") == 0 ||
	    kernel_version_parse(config->wanted, &version, NULL))
		return NULL;
	return cli_error(CLI_USAGE, 0,
			 "KERNEL '%s' is neither a series (6.18), a version (6.18.15) nor newest",
			 config->wanted);
}

static int print(const struct kernel *kernel, const struct fetch_config *config)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	if (config->json) {
		struct json_writer w = json_writer_to(&out, JSON_PRETTY);

		kernel_write_json(kernel, &w);
		strbuf_append_char(&out, '\n');
	} else {
		strbuf_appendf(&out, "%s\n", kernel->id);
	}
	return cli_print(&out);
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	static struct kernel_screen screen;
	const struct fetch_config *config = config_;
	const char *wanted = config->wanted;
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_error_ struct error *err = NULL;

	kernel_screen_init(&screen, config->quiet);
	/* What would be used is what must not be missing. */
	if (config->if_missing && !wanted && getenv("KTSTR_KERNEL"))
		wanted = getenv("KTSTR_KERNEL");
	if (wanted && (!wanted[0] || strcmp(wanted, "default") == 0))
		wanted = NULL;
	if (config->if_missing) {
		_cleanup_error_ struct error *missing = kernel_resolve(wanted ? wanted : "default",
								       &kernel);

		if (!missing)
			return print(kernel, config);
		if (!error_is(missing, &kernel_error_domain, KERNEL_NOT_CACHED) &&
		    !error_is(missing, &kernel_error_domain, KERNEL_CORRUPT))
			return kernel_fail(missing);
	}
	err = kernel_fetch(&(struct kernel_fetch){ .wanted = wanted,
						   .flavour = (enum kernel_flavour)config->flavour,
						   .sid = config->sid },
			   &screen.watch, &kernel);
	kernel_screen_finish(&screen);
	if (err)
		return kernel_fail(err);
	if (!config->quiet)
		kernel_say_notes(kernel);
	return print(kernel, config);
}

const struct cli_command cmd_kernel_fetch = {
	.name = "fetch",
	.summary = "Get a kernel from the distribution's archive",
	.usage = "[options] [KERNEL]",
	.description =
		"Uses apt with private state in the cache: mirror and keys are those of the system, signatures are verified, nothing outside the cache is changed. The suites are the system's own, its backports, and those of the next release. Prints the kernel's id.",
	.examples = "  ktstr kernel fetch\n"
		    "  ktstr kernel fetch 6.18 --flavour generic\n"
		    "  ktstr kernel fetch newest --sid\n",
	CLI_OPTIONS(options),
	CLI_POSITIONALS(positionals),
	.config_size = sizeof(struct fetch_config),
	.check = check,
	.run = run,
};
