// SPDX-License-Identifier: GPL-2.0-or-later
/* The sub-commands that change the cache: fetch, add and remove. */
#include "cli/kernel/commands.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/cache.h"
#include "kernel/fetch.h"

/* Handlers of signals may use it until the program ends. */
static struct kernel_screen screen;

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

static const struct cli_option fetch_options[] = {
	CLI_OPTION("flavour", "NAME", CLI_CHOICE(struct fetch_config, flavour, flavours),
		   "which build of the kernel"),
	CLI_OPTION("sid", NULL, CLI_FLAG(struct fetch_config, sid),
		   "search Debian's unstable suite as well"),
	CLI_OPTION("if-missing", NULL, CLI_FLAG(struct fetch_config, if_missing),
		   "do nothing if such a kernel is cached"),
	CLI_OPTION("json", NULL, CLI_FLAG(struct fetch_config, json),
		   "print what is known about the kernel as JSON"),
	CLI_OPTION("quiet", NULL, CLI_FLAG(struct fetch_config, quiet), "print no progress",
		   .letter = 'q'),
	CLI_ARGUMENT(
		"KERNEL", CLI_STRING(struct fetch_config, wanted),
		"a series (6.18), a version (6.18.15), a release, or newest; without it the default kernel"),
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

static struct error *fetch(const struct fetch_config *config, struct kernel **ret)
{
	const char *wanted = config->wanted;
	struct error *err;

	/* What would be used is what must not be missing. */
	if (config->if_missing && !wanted && getenv("KTSTR_KERNEL"))
		wanted = getenv("KTSTR_KERNEL");
	if (wanted && (!wanted[0] || strcmp(wanted, "default") == 0))
		wanted = NULL;
	if (config->if_missing) {
		err = kernel_resolve(wanted ? wanted : "default", ret);
		if (!error_is(err, &kernel_error_domain, KERNEL_NOT_CACHED) &&
		    !error_is(err, &kernel_error_domain, KERNEL_CORRUPT))
			return err;
		error_free(err);
	}
	kernel_screen_init(&screen, config->quiet);
	err = kernel_fetch(&(struct kernel_fetch){ .wanted = wanted,
						   .flavour = (enum kernel_flavour)config->flavour,
						   .sid = config->sid },
			   &screen.watch, ret);
	kernel_screen_finish(&screen);
	if (!err && !config->quiet)
		kernel_say_notes(*ret);
	return err;
}

static struct error *show_fetched(const void *config_, struct strbuf *out)
{
	const struct fetch_config *config = config_;
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct error *err = fetch(config, &kernel);

	if (err)
		return err;
	if (config->json)
		kernel_format_json(kernel, out);
	else
		strbuf_appendf(out, "%s\n", kernel->id);
	return NULL;
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
	CLI_ROWS(fetch_options, 1),
	.config_size = sizeof(struct fetch_config),
	.check = check,
	.show = show_fetched,
};

struct add_config {
	const char *path;
	bool force;
};

static const struct cli_option add_options[] = {
	CLI_OPTION("force", NULL, CLI_FLAG(struct add_config, force),
		   "replace a cached kernel of the same build, even one that has modules",
		   .letter = 'f'),
	CLI_ARGUMENT("PATH", CLI_STRING(struct add_config, path),
		     "a bzImage, a vmlinux, or a directory that contains one, such as a build tree",
		     .required = true, .complete = CLI_COMPLETE_FILE),
};

static struct error *show_added(const void *config_, struct strbuf *out)
{
	const struct add_config *config = config_;
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct error *err;

	kernel_screen_init(&screen, false);
	err = kernel_add(config->path, config->force, &screen.watch, &kernel);
	kernel_screen_finish(&screen);
	if (err)
		return err;
	kernel_say_notes(kernel);
	strbuf_appendf(out, "%s\n", kernel->id);
	return NULL;
}

const struct cli_command cmd_kernel_add = {
	.name = "add",
	.summary = "Take a kernel of this machine into the cache",
	.usage = "[--force] PATH",
	.description =
		"The file is copied, decompressed and checked. The same build that is cached with its modules is kept as it is. Prints the kernel's id.",
	CLI_ROWS(add_options, 1),
	.config_size = sizeof(struct add_config),
	.show = show_added,
};

struct remove_config {
	const char *id;
};

static const struct cli_option remove_positionals[] = {
	CLI_ARGUMENT("ID", CLI_STRING(struct remove_config, id),
		     "the kernel, as `ktstr kernel list` names it", .required = true),
};

static struct error *show_removed(const void *config_, struct strbuf *out UNUSED)
{
	const struct remove_config *config = config_;
	struct error *err;

	kernel_screen_init(&screen, false);
	err = kernel_cache_remove(config->id, &screen.watch);
	kernel_screen_finish(&screen);
	return err;
}

const struct cli_command cmd_kernel_remove = {
	.name = "remove",
	.summary = "Remove a kernel from the cache",
	.usage = "ID",
	CLI_POSITIONALS(remove_positionals),
	.config_size = sizeof(struct remove_config),
	.show = show_removed,
};
