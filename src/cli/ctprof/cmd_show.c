// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <unistd.h>

#include "cli/ctprof/commands.h"
#include "cli/ctprof/show.h"
#include "ctprof/group/path_glob.h"

struct show_config {
	const char *file;
	int group_by;
	const char *metrics, *sections, *sort_by, *threads;
	uint32_t top;
	struct cli_strings flatten;
	bool no_thread_normalize, no_cg_normalize, all, json, csv;
	struct profile_options options; /* made of all these */
};

/* All axes but the one that --threads stands for. */
#define AXIS_WORD_(id, word, title, what) \
	CTPROF_GROUP_AXIS_##id == CTPROF_GROUP_AXIS_THREAD ? NULL : word,
static const char *const axes[] = { CTPROF_AXES(AXIS_WORD_) };
#undef AXIS_WORD_
_Static_assert(CTPROF_GROUP_AXIS_THREAD == CTPROF_N_AXES - 1,
	       "the words must end behind the last axis");

static const struct cli_word_row words[] = {
#define AXIS_ROW_(id, word, title, what)                                          \
	{ CTPROF_GROUP_AXIS_##id == CTPROF_GROUP_AXIS_THREAD ? NULL : word, NULL, \
	  CTPROF_GROUP_AXIS_##id == CTPROF_GROUP_AXIS_THREAD ? "Sections" : what },
	CTPROF_AXES(AXIS_ROW_)
#undef AXIS_ROW_
#define SECTION_ROW_(id, word, heading, what) { word, NULL, what },
		METRIC_SECTIONS(SECTION_ROW_)
#undef SECTION_ROW_
};

static const struct cli_option positionals[] = {
	{ .argument = "FILE[@N]",
	  CLI_STRING(struct show_config, file),
	  .required = true,
	  .complete = CLI_COMPLETE_FILE,
	  .help = "a snapshot, or the N-th of a series; - is standard input" },
};

static const struct cli_option option_rows[] = {
	{ .name = "group-by",
	  .argument = "AXIS",
	  CLI_CHOICE(struct show_config, group_by, axes),
	  .help = "what makes threads a group; pcomm when not given" },
	{ .name = "metrics",
	  .argument = "LIST",
	  CLI_STRING(struct show_config, metrics),
	  .help = "only these metrics, a list with commas; up to 8 become columns" },
	{ .name = "sections",
	  .argument = "LIST",
	  CLI_STRING(struct show_config, sections),
	  .help = "only these tables, a list with commas" },
	{ .name = "sort-by",
	  .argument = "LIST",
	  CLI_STRING(struct show_config, sort_by),
	  .help = "order of the groups: a list of metrics with commas, each with :asc or :desc (default)" },
	{ .name = "top",
	  .argument = "N",
	  CLI_U32(struct show_config, top, 1, UINT32_MAX),
	  .help = "only the first N groups, by run_time_ns unless --sort-by is given" },
	{ .name = "threads",
	  .argument = "PATTERN",
	  CLI_STRING(struct show_config, threads),
	  .help = "single threads: of this tid or process, or whose name or whose process's name this glob matches" },
	{ .name = "cgroup-flatten",
	  .argument = "GLOB",
	  CLI_STRINGS(struct show_config, flatten),
	  .help = "merge the cgroups that this glob matches; * matches within one segment, ** across segments" },
	{ .name = "no-thread-normalize",
	  CLI_FLAG(struct show_config, no_thread_normalize),
	  .help = "names of processes and threads as they are, with their numbers" },
	{ .name = "no-cg-normalize",
	  CLI_FLAG(struct show_config, no_cg_normalize),
	  .help = "paths of cgroups as they are, with their numbers" },
	{ .name = "all",
	  CLI_FLAG(struct show_config, all),
	  .help = "also show what is 0 or was not measured" },
	{ .name = "json", CLI_FLAG(struct show_config, json), .help = "print everything as JSON" },
	{ .name = "csv", CLI_FLAG(struct show_config, csv), .help = "print all values as CSV" },
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "done" },
	{ CLI_EXIT_FAILED, "the snapshot could not be read, or --threads matches nothing" },
	{ CLI_EXIT_USAGE, "the command line is wrong" },
};

static struct error *check_globs(const struct cli_strings *globs)
{
	for (size_t i = 0; i < globs->n; i++) {
		struct error *err = ctprof_path_glob_check(globs->at[i]);

		if (err)
			return error_recast(error_wrap(err, "--cgroup-flatten"), &cli_error_domain,
					    CLI_USAGE);
	}
	return NULL;
}

static struct error *make_options(const struct show_config *config, struct profile_options *ret)
{
	struct profile_options options = {
		.rules = { .axis = (enum ctprof_axis)config->group_by,
			   .literal_names = config->no_thread_normalize,
			   .cgroups = { .flatten = config->flatten.at,
					.n_flatten = config->flatten.n,
					.literal = config->no_cg_normalize } },
		.top = config->top,
		.threads = config->threads,
		.everything = config->all,
	};
	struct error *err = check_globs(&config->flatten);

	if (!err && config->metrics)
		err = spec_parse_metrics(config->metrics, &options.metrics);
	if (!err && config->sections)
		err = spec_parse_sections(config->sections, &options.sections);
	if (!err)
		err = spec_parse_sort(config->sort_by ? config->sort_by
				      : config->top   ? "run_time_ns"
						      : "",
				      &options.sort);
	if (config->threads)
		options.rules.axis = CTPROF_GROUP_AXIS_THREAD;
	if (!err)
		*ret = options;
	return err;
}

static struct error *check(void *config_)
{
	struct show_config *config = config_;

	if (config->json && config->csv)
		return cli_error(CLI_USAGE, 0, "--json and --csv exclude each other");
	if (config->threads && config->group_by != CTPROF_GROUP_AXIS_PCOMM)
		return cli_error(
			CLI_USAGE, 0,
			"--threads shows single threads and --group-by groups: give only one of them");
	return make_options(config, &config->options);
}

/* Tables of cgroups make sense only where cgroups are the groups. */
static void warn_about_sections(const struct profile_options *options)
{
	static const enum metric_section of_cgroups[] = {
		METRIC_SECTION_CGROUP_STATS, METRIC_SECTION_CGROUP_LIMITS,
		METRIC_SECTION_MEMORY_STAT,  METRIC_SECTION_MEMORY_EVENTS,
		METRIC_SECTION_PRESSURE,
	};

	if (options->rules.axis == CTPROF_GROUP_AXIS_CGROUP)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(of_cgroups); i++) {
		if (options->sections.chosen[of_cgroups[i]])
			cli_say("warning: section '%s' requires --group-by cgroup; omitted under --group-by %s",
				metric_sections[of_cgroups[i]].word,
				ctprof_axes[options->rules.axis].word);
	}
}

static int print(const struct profile *profile, const struct show_config *config)
{
	struct text_look look = text_look_for(STDOUT_FILENO);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (config->json) {
		show_format_json(profile, &text);
	} else if (config->csv) {
		show_format_csv(profile, &text);
	} else {
		show_format_header(profile, &look, &text);
		show_format_groups(profile, &look, &text);
		/* Who asks for metrics does not ask for the rest, unless by name. */
		if (!config->metrics || config->sections)
			show_format_rows(profile, &look, &text);
	}
	return cli_print(&text);
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct show_config *config = config_;
	const struct profile_options *options = &config->options;
	struct ctprof_snapshot snapshot;
	_cleanup_ctprof_snapshot_origin_ struct ctprof_snapshot_origin origin = { 0 };
	struct profile profile;
	_cleanup_error_ struct error *err = NULL;
	int code;

	warn_about_sections(options);
	err = ctprof_snapshot_load(config->file, NULL, &snapshot, &origin);
	if (err)
		return cli_fail(err);
	if (origin.torn_bytes)
		cli_say("warning: %s ends with an incomplete snapshot, which was left out",
			origin.path);
	profile_make(options, &snapshot, &origin, &profile);
	if (options->threads && profile.grouping.groups.n == 0) {
		cli_say("error: --threads: no thread or process matches '%s'", options->threads);
		code = CLI_EXIT_FAILED;
	} else {
		code = print(&profile, config);
	}
	profile_deinit(&profile);
	ctprof_snapshot_deinit(&snapshot);
	return code;
}

const struct cli_command cmd_ctprof_show = {
	.name = "show",
	.summary = "Show a snapshot, grouped and reduced",
	.usage = "FILE[@N] [options]",
	.description =
		"Sorts the threads of a snapshot into groups and reduces every metric over each group. What is 0 or could not be measured is left out of tables unless --all is given; a value that was measured in only some threads says in how many. ktstr-metrics(7) explains the metrics.",
	.examples =
		"  ktstr ctprof show host.ctprof.zst --metrics run_time_ns,wait_time_ns,cpu_efficiency --top 10\n"
		"  ktstr ctprof show host.ctprof.zst --group-by cgroup --sections cgroup-stats,pressure\n"
		"  ktstr ctprof show host.ctprof.zst --threads 'tokio-*' --sort-by nonvoluntary_csw\n"
		"  ktstr ctprof capture -o - | ktstr ctprof show - --top 10\n"
		"  ktstr ctprof show series.ctprof.zst@3 --json | jq '.groups[].metrics.run_time_ns'\n",
	CLI_OPTIONS(option_rows),
	CLI_POSITIONALS(positionals),
	CLI_WORDS("Groups", words),
	CLI_EXITS(exits),
	.config_size = sizeof(struct show_config),
	.check = check,
	.run = run,
};
