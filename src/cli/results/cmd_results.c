// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cli/results/results.h"
#include "result/run_dir.h"

struct results_config {
	const char *path;
	bool json, verbose;
};

static const struct cli_option options[] = {
	CLI_OPTION("json", NULL, CLI_FLAG(struct results_config, json),
		   "print everything that is known as JSON"),
	CLI_OPTION("verbose", NULL, CLI_FLAG(struct results_config, verbose),
		   "print the details of each verdict, and where its files are", .letter = 'v'),
	CLI_ARGUMENT(
		"DIR", CLI_STRING(struct results_config, path),
		"directory of a run, as given to ktstr test -o, or of many runs, or a record; default: the newest run in " RESULT_DIR_BASE,
		.complete = CLI_COMPLETE_FILE),
};

static const char examples[] = "  ktstr results\n"
			       "  ktstr results ktstr-results\n"
			       "  ktstr results -v ktstr-results/2026-11-15T14-30-05-4711\n";

static struct error *find_newest(char **ret_dir)
{
	_cleanup_result_names_ struct result_names names = { 0 };
	_cleanup_error_ struct error *err = result_dir_runs(RESULT_DIR_BASE, &names);

	if (error_is(err, &base_error_domain, BASE_ABSENT) || (!err && names.names.n == 0))
		return base_error(
			BASE_ABSENT, 0,
			"there are no results in ./" RESULT_DIR_BASE
			": `ktstr test` writes them; ktstr results DIR shows those of -o DIR");
	if (err)
		return take_ptr(err);
	*ret_dir = xasprintf("%s/%s", RESULT_DIR_BASE, names.names.at[0]);
	return NULL;
}

static int show_dir(const struct shown_dir *directory, const struct results_config *config)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct text_look how = text_look_for(STDOUT_FILENO);
	int printed;

	if (config->json) {
		results_format_json(directory, &text);
	} else {
		results_format_table(directory, &how, &text);
		if (config->verbose)
			results_format_details(directory, &text);
		results_format_summary(directory, &text);
	}
	printed = cli_print(&text);
	return directory->counts[SHOWN_UNREADABLE] ? CLI_EXIT_FAILED : printed;
}

static int show_runs(const char *dir, const struct result_names *names,
		     const struct results_config *config)
{
	_cleanup_shown_runs_ struct shown_runs runs = { .dir = xstrdup(dir) };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct text_look how = text_look_for(STDOUT_FILENO);
	bool unreadable = false;
	int printed;

	for (size_t i = 0; i < names->names.n; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", dir, names->names.at[i]);
		struct shown_dir directory = { 0 };
		struct error *err = shown_dir_read(path, &directory);

		if (err) {
			unreadable = true;
			cli_fail(err);
			error_free(err);
			continue;
		}
		unreadable |= directory.counts[SHOWN_UNREADABLE] > 0;
		vec_push(&runs.runs, directory);
	}
	if (config->json)
		runs_format_json(&runs, &text);
	else
		runs_format_table(&runs, &how, &text);
	printed = cli_print(&text);
	return unreadable ? CLI_EXIT_FAILED : printed;
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct results_config *config = config_;
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	_cleanup_result_names_ struct result_names runs = { 0 };
	_cleanup_error_ struct error *err = NULL;
	_cleanup_free_ char *newest = NULL;
	const char *path = config->path;
	struct stat st;

	if (!path) {
		err = find_newest(&newest);
		path = newest;
	}
	if (err)
		return cli_fail(err);
	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
		shown_file_read(path, &directory);
		return show_dir(&directory, config);
	}
	err = shown_dir_read(path, &directory);
	if (!err && directory.records.n == 0)
		err = result_dir_runs(path, &runs);
	if (err)
		return cli_fail(err);
	if (runs.names.n)
		return show_runs(path, &runs, config);
	if (directory.records.n)
		return show_dir(&directory, config);
	err = base_error(BASE_ABSENT, 0, "there are no records in %s or in its subdirectories",
			 path);
	return cli_fail(err);
}

const struct cli_command cli_cmd_results = {
	.name = "results",
	.summary = "Show what past test runs found",
	.usage = "[--json] [-v] [DIR]",
	.description =
		"Shows the records of a run, failures first, or the runs in a directory of runs, the newest first. A record that was started and never finished is shown as unfinished, one that is not valid as unreadable, both with the reason.",
	.examples = examples,
	CLI_ROWS(options, 1),
	CLI_EXITS_USUAL("done, for any verdicts",
			"there are no results, or a record could not be read"),
	.config_size = sizeof(struct results_config),
	.run = run,
};
