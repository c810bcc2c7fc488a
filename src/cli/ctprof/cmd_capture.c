// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "cli/ctprof/show.h"
#include "cli/frame/interrupts.h"
#include "ctprof/stages.h"
#include "ctprof/group/group.h"

enum { JOBS_MOST = 1024, COUNT_MOST = 1000000, SIGNAL_EXIT = 128, HOST_BYTES = 256 };

_Static_assert(CTPROF_BPF_FROM_THREADS == 600, "help and manual say so");

struct capture_config {
	const char *output;
	struct cli_strings pids;
	const char *cgroup, *metrics;
	bool no_heap, no_smaps, no_taskstats, bpf, no_bpf;
	uint32_t jobs;
	const char *interval;
	uint32_t count;
	bool json, quiet, verbose;
	/* What check() made of these. */
	uint64_t interval_ns;
	pid_t pid_numbers[CLI_LIMIT_STRINGS];
	struct metric_choice choice;
};

static const struct cli_option options[] = {
	CLI_OPTION(
		"output", "FILE", CLI_STRING(struct capture_config, output),
		"where the snapshot goes; - for standard output; without it HOST-TIME" SNAPSHOT_SUFFIX,
		.letter = 'o', .complete = CLI_COMPLETE_FILE),
	CLI_OPTION("pid", "PID", CLI_STRINGS(struct capture_config, pids), "only this process",
		   .complete = CLI_COMPLETE_PID),
	CLI_OPTION("cgroup", "GLOB", CLI_STRING(struct capture_config, cgroup),
		   "only threads in cgroups whose path matches"),
	CLI_OPTION(
		"metrics", "NAMES", CLI_STRING(struct capture_config, metrics),
		"read only the sources that these metrics need; a list with commas, see ktstr-metrics(7)"),
	CLI_OPTION("no-heap", NULL, CLI_FLAG(struct capture_config, no_heap),
		   "leave jemalloc's counters out"),
	CLI_OPTION("no-smaps", NULL, CLI_FLAG(struct capture_config, no_smaps),
		   "leave smaps_rollup out, for which the kernel walks page tables"),
	CLI_OPTION("no-taskstats", NULL, CLI_FLAG(struct capture_config, no_taskstats),
		   "leave delays and memory watermarks out"),
	CLI_OPTION(
		"bpf", NULL, CLI_FLAG(struct capture_config, bpf),
		"use BPF for any number of threads; by default a series uses it, and a single snapshot of 600 threads or more"),
	CLI_OPTION("no-bpf", NULL, CLI_FLAG(struct capture_config, no_bpf),
		   "read everything through /proc, even where BPF is allowed"),
	CLI_OPTION("jobs", "N", CLI_U32(struct capture_config, jobs, 1, JOBS_MOST),
		   "number of reading threads; by default as many as there are idle CPUs"),
	CLI_OPTION(
		"interval", "T", CLI_STRING(struct capture_config, interval),
		"take a series with this interval between snapshots: 500ms, 2s, 1m; needs --count"),
	CLI_OPTION("count", "N", CLI_U32(struct capture_config, count, 1, COUNT_MOST),
		   "how many snapshots the series has; needs --interval"),
	CLI_OPTION("json", NULL, CLI_FLAG(struct capture_config, json),
		   "print summaries and cost as JSON on standard output instead of lines"),
	CLI_OPTION("quiet", NULL, CLI_FLAG(struct capture_config, quiet), "print errors only",
		   .letter = 'q'),
	CLI_OPTION("verbose", NULL, CLI_FLAG(struct capture_config, verbose),
		   "print which sources were used, which were not, and why", .letter = 'v'),
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "the snapshot is written" },
	{ CLI_EXIT_FAILED, "nothing could be read, or it could not be written" },
	{ CLI_EXIT_USAGE, "the command line is wrong" },
	{ SIGNAL_EXIT + 2, "interrupted; complete snapshots of a series are kept" },
};

static bool parse_pid(const char *text, pid_t *ret)
{
	uint64_t number;

	if (!str_parse_u64(text, INT32_MAX, &number) || number == 0)
		return false;
	*ret = (pid_t)number;
	return true;
}

static struct error *check_glob(const char *glob)
{
	_cleanup_error_ struct error *err = ctprof_path_glob_check(glob);

	return err ? cli_error(CLI_USAGE, 0, "--cgroup %s", error_message(err)) : NULL;
}

static struct error *check(void *config_)
{
	struct capture_config *config = config_;
	struct error *err = NULL;

	for (size_t i = 0; i < config->pids.n; i++) {
		if (!parse_pid(config->pids.at[i], &config->pid_numbers[i]))
			return cli_error(CLI_USAGE, 0, "--pid '%s' is not a process id",
					 config->pids.at[i]);
	}
	if (config->interval && !interval_parse(config->interval, &config->interval_ns))
		return cli_error(
			CLI_USAGE, 0,
			"--interval '%s' is not a time from 1ms to 24h, such as 500ms or 2s",
			config->interval);
	if (config->interval && !config->count)
		return cli_error(CLI_USAGE, 0, "--interval needs --count");
	if (config->count && !config->interval)
		return cli_error(CLI_USAGE, 0, "--count needs --interval");
	if (config->output && !*config->output)
		return cli_error(CLI_USAGE, 0, "--output is empty");
	if (config->json && config->output && strcmp(config->output, "-") == 0)
		return cli_error(
			CLI_USAGE, 0,
			"--json and --output - both write to standard output; give --output a file");
	if (config->bpf && config->no_bpf)
		return cli_error(CLI_USAGE, 0, "--bpf and --no-bpf exclude each other");
	if (config->quiet && config->verbose)
		return cli_error(CLI_USAGE, 0, "--quiet and --verbose exclude each other");
	if (config->metrics)
		err = spec_parse_metrics(config->metrics, &config->choice);
	if (!err && config->cgroup)
		err = check_glob(config->cgroup);
	return err;
}

static uint32_t wanted_sources(const struct capture_config *config)
{
	uint32_t sources = spec_sources(&config->choice);

	if (config->no_heap)
		sources &= ~METRIC_SOURCE_BIT(HEAP);
	if (config->no_smaps)
		sources &= ~METRIC_SOURCE_BIT(SMAPS);
	if (config->no_taskstats)
		sources &= ~(METRIC_SOURCE_BIT(DELAY_CPU) | METRIC_SOURCE_BIT(DELAY_BLOCK) |
			     METRIC_SOURCE_BIT(XACCT));
	return sources;
}

static void say_lines(struct cli_screen *screen, char *lines)
{
	char *rest = lines, *line;

	while ((line = strsep(&rest, "\n"))) {
		if (*line)
			cli_screen_say(screen, line);
	}
}

static void say_where(struct cli_screen *screen, const char *file, const struct cost *cost)
{
	_cleanup_free_ char *line = NULL;

	if (strcmp(file, "-") == 0)
		return;
	if (cost->snapshots == 1)
		line = xasprintf("snapshot written to %s", file);
	else
		line = xasprintf("%" PRIu64 " snapshots written to %s", cost->snapshots, file);
	cli_screen_say(screen, line);
}

static int finish(const struct series *series, const char *file, bool json)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (json) {
		capture_report_finish_json(series->report, &series->cost, series->missed, &text);
		return cli_print(&text);
	}
	if (series->cost.snapshots == 0)
		return CLI_EXIT_OK;
	capture_report_format(series->report, &series->cost, series->missed, &text);
	say_lines(series->screen, text.at);
	say_where(series->screen, file, &series->cost);
	return CLI_EXIT_OK;
}

static int run_series(struct series *series, const char *file, bool json)
{
	_cleanup_capture_report_ struct capture_report report;
	_cleanup_error_ struct error *err = NULL;
	int code;

	capture_report_init(&report, file, series->count);
	series->report = &report;
	err = series_run(series);
	code = finish(series, file, json);
	if (!err)
		return code;
	cli_print_error(error_message(err));
	if (error_is(err, &base_error_domain, BASE_CANCELLED) && cli_interrupts_ended_by())
		return SIGNAL_EXIT + cli_interrupts_ended_by();
	return CLI_EXIT_FAILED;
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	static struct cancel cancel;
	const struct capture_config *config = config_;
	_cleanup_ctprof_snapshot_output_ struct ctprof_snapshot_output *output = NULL;
	_cleanup_ctprof_bpf_tasks_ struct ctprof_bpf_tasks *iterator = NULL;
	_cleanup_free_ char *file = NULL;
	_cleanup_error_ struct error *err = NULL;
	char host[HOST_BYTES] = "";
	struct cli_screen screen;
	struct ctprof_options capture = {
		.root = "",
		.live = true,
		.sources = wanted_sources(config),
		.bpf = !config->no_bpf,
		.bpf_from_threads = config->bpf ? 0 : CTPROF_BPF_FROM_THREADS,
		.pids = config->pid_numbers,
		.n_pids = config->pids.n,
		.cgroup_glob = config->cgroup,
		.jobs = config->jobs,
		.cancel = &cancel,
		.progress = screen_progress,
		.note = screen_note,
		.arg = &screen,
	};
	struct series series = {
		.options = &capture,
		.interval_ns = config->interval_ns,
		.count = config->count ? config->count : 1,
		.screen = &screen,
		.take = ctprof_capture_take,
	};

	gethostname(host, sizeof(host) - 1);
	file = config->output ? xstrdup(config->output) : snapshot_name_new(host, clock_unix_sec());
	cli_screen_init(&screen, config->quiet || config->json, config->verbose);
	err = cli_interrupts_install(&cancel);
	if (!err)
		err = ctprof_snapshot_output_open(file, &output);
	if (err)
		return cli_fail(err);
	series.output = output;
	if (capture.bpf && series.count > 1)
		ctprof_bpf_tasks_open_for_series(&capture, &iterator);
	return run_series(&series, file, config->json);
}

const struct cli_command cmd_ctprof_capture = {
	.name = "capture",
	.summary = "Write a snapshot of every thread of this host",
	.usage = "[options]",
	.description =
		"Reads what the kernel counts about every thread, the cgroups they are in, pressure, sched_ext and the host, and writes it to a file that ktstr-ctprof-show(1) reads. What cannot be read is marked as unknown in the file and counted in the summaries; it never ends the capture. Everything is readable for root; other users see less of processes that are not theirs.\n"
		"Nothing is stopped or traced.",
	.examples = "  sudo ktstr ctprof capture\n"
		    "  ktstr ctprof capture -o before.ctprof.zst --pid 4711 --no-smaps\n"
		    "  ktstr ctprof capture --metrics run_time_ns,wait_time_ns,timeslices\n"
		    "  ktstr ctprof capture -o series.ctprof.zst --interval 2s --count 10\n"
		    "  ktstr ctprof capture -o - | ssh desk 'cat >host.ctprof.zst'\n",
	CLI_OPTIONS(options),
	CLI_EXITS(exits),
	.config_size = sizeof(struct capture_config),
	.check = check,
	.run = run,
};
