// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <unistd.h>

#include "cli/ctprof/show.h"
#include "ctprof/group/group.h"

struct show_config {
	const char *file;
	int group_by;
	const char *metrics, *sections, *sort_by;
	struct cli_strings flatten;
	bool json, csv;
	struct profile_options options; /* check() makes the rest of it of these */
};

/* All axes but that of --threads. */
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

static const struct cli_option option_rows[] = {
	CLI_OPTION("group-by", "AXIS", CLI_CHOICE(struct show_config, group_by, axes),
		   "what makes threads a group; pcomm when not given"),
	CLI_OPTION("metrics", "LIST", CLI_STRING(struct show_config, metrics),
		   "only these metrics, a list with commas; up to 8 become columns"),
	CLI_OPTION("sections", "LIST", CLI_STRING(struct show_config, sections),
		   "only these tables, a list with commas"),
	CLI_OPTION(
		"sort-by", "LIST", CLI_STRING(struct show_config, sort_by),
		"order of the groups: a list of metrics with commas, each with :asc or :desc (default)"),
	CLI_OPTION("top", "N", CLI_U32(struct show_config, options.top, 1, UINT32_MAX),
		   "only the first N groups, by run_time_ns unless --sort-by is given"),
	CLI_OPTION(
		"threads", "PATTERN", CLI_STRING(struct show_config, options.threads),
		"single threads: of this tid or process, or whose name or whose process's name this glob matches"),
	CLI_OPTION(
		"cgroup-flatten", "GLOB", CLI_STRINGS(struct show_config, flatten),
		"merge the cgroups that this glob matches; * matches within one segment, ** across segments"),
	CLI_OPTION("no-thread-normalize", NULL,
		   CLI_FLAG(struct show_config, options.rules.literal_names),
		   "names of processes and threads as they are, with their numbers"),
	CLI_OPTION("no-cg-normalize", NULL,
		   CLI_FLAG(struct show_config, options.rules.cgroups.literal),
		   "paths of cgroups as they are, with their numbers"),
	CLI_OPTION("all", NULL, CLI_FLAG(struct show_config, options.everything),
		   "also show what is 0 or was not measured"),
	CLI_OPTION("json", NULL, CLI_FLAG(struct show_config, json), "print everything as JSON"),
	CLI_OPTION("csv", NULL, CLI_FLAG(struct show_config, csv), "print all values as CSV"),
	CLI_ARGUMENT("FILE[@N]", CLI_STRING(struct show_config, file),
		     "a snapshot, or the N-th of a series; - is standard input", .required = true,
		     .complete = CLI_COMPLETE_FILE),
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

static struct error *check(void *config_)
{
	struct show_config *config = config_;
	struct profile_options *options = &config->options;
	struct error *err;

	if (config->json && config->csv)
		return cli_error(CLI_USAGE, 0, "--json and --csv exclude each other");
	if (options->threads && config->group_by != CTPROF_GROUP_AXIS_PCOMM)
		return cli_error(
			CLI_USAGE, 0,
			"--threads shows single threads and --group-by groups: give only one of them");
	options->rules.axis = options->threads ? CTPROF_GROUP_AXIS_THREAD
					       : (enum ctprof_axis)config->group_by;
	options->rules.cgroups.flatten = config->flatten.at;
	options->rules.cgroups.n_flatten = config->flatten.n;
	err = check_globs(&config->flatten);
	if (!err && config->metrics)
		err = spec_parse_metrics(config->metrics, &options->metrics);
	if (!err && config->sections)
		err = spec_parse_sections(config->sections, &options->sections);
	if (!err)
		err = spec_parse_sort(config->sort_by ? config->sort_by
				      : options->top  ? "run_time_ns"
						      : "",
				      &options->sort);
	return err;
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

static void print(const struct profile *profile, const struct show_config *config,
		  struct strbuf *out)
{
	struct text_look look = text_look_for(STDOUT_FILENO);

	if (config->json) {
		show_format_json(profile, out);
	} else if (config->csv) {
		show_format_csv(profile, out);
	} else {
		show_format_header(profile, &look, out);
		show_format_groups(profile, &look, out);
		/* With --metrics the other sections are shown only if --sections names them. */
		if (!config->metrics || config->sections)
			show_format_rows(profile, &look, out);
	}
}

static struct error *show(const void *config_, struct strbuf *out)
{
	const struct show_config *config = config_;
	const struct profile_options *options = &config->options;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot = { 0 };
	_cleanup_ctprof_snapshot_origin_ struct ctprof_snapshot_origin origin = { 0 };
	_cleanup_profile_ struct profile profile = { 0 };
	struct error *err;

	warn_about_sections(options);
	err = ctprof_snapshot_load(config->file, NULL, &snapshot, &origin);
	if (err)
		return err;
	if (origin.torn_bytes)
		cli_say("warning: %s ends with an incomplete snapshot, which was left out",
			origin.path);
	profile_make(options, &snapshot, &origin, &profile);
	if (options->threads && profile.grouping.groups.n == 0)
		return base_error(BASE_ABSENT, 0, "--threads: no thread or process matches '%s'",
				  options->threads);
	print(&profile, config, out);
	return NULL;
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
	CLI_ROWS(option_rows, 1),
	CLI_WORDS("Groups", words),
	CLI_EXITS_USUAL("done", "the snapshot could not be read, or --threads matches nothing"),
	.config_size = sizeof(struct show_config),
	.check = check,
	.show = show,
};
