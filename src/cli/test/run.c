// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/test/test.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/paths.h"
#include "base/slice.h"
#include "base/suggest.h"
#include "cli/frame/commands.h"
#include "cli/frame/interrupts.h"
#include "harness/runner.h"
#include "result/run_dir.h"
#include "text/terminal.h"
#include "topo/topology.h"

struct test_session {
	struct report_run *reporter;
	const struct test_source *source;
	struct test_counts counts;
};

static struct cancel cancel;

static void on_started(void *context, size_t index, const struct harness_variant *variant)
{
	struct test_session *session = context;

	report_run_started(session->reporter, index, variant->name, clock_monotonic_ns());
}

static void on_progress(void *context, size_t index, const char *what)
{
	struct test_session *session = context;

	report_run_progress(session->reporter, index, what);
}

static void on_finished(void *context, size_t index, const struct result_outcome *outcome)
{
	struct test_session *session = context;

	session->counts.by_verdict[outcome->verdict]++;
	report_run_finished(session->reporter, index, outcome);
	if (session->source->finished)
		session->source->finished(session->source->context, outcome);
}

static void on_tick(void *context)
{
	struct test_session *session = context;

	report_run_tick(session->reporter, clock_monotonic_ns());
	/* The report can no longer be written: the remaining tests are not run. */
	if (report_run_failed(session->reporter))
		cancel_request(&cancel);
}

/* The clock is the same for all of a plan. */
static bool is_virtual(const struct harness_plan *plan)
{
	return plan->variants.n && plan->variants.at[0].clock.kind == VM_CLOCK_VIRTUAL;
}

static unsigned int jobs_of(const struct test_config *config, const struct harness_plan *plan)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (config->jobs)
		return config->jobs;
	/* One thread executes all CPUs of such a guest, and another guest does not disturb it. */
	if (is_virtual(plan) && cpus > 1)
		return (size_t)cpus < plan->variants.n ? (unsigned int)cpus
						       : (unsigned int)plan->variants.n;
	return cpus > 3 ? (unsigned int)(cpus / 2) : 1;
}

/* An explicit number of jobs is obeyed: the error bars show what it costs. */
static bool measures_alone(const struct test_config *config)
{
	return config->jobs == 0;
}

static size_t count_alone(const struct test_config *config, const struct harness_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0;
	     measures_alone(config) && jobs_of(config, plan) > 1 && i < plan->variants.n; i++)
		n += harness_variant_measures_time(&plan->variants.at[i]);
	return n;
}

static struct error *dir_of(const struct test_config *config, char **ret)
{
	struct error *err;

	if (!config->output)
		return result_dir_new(RESULT_DIR_BASE, ret);
	/* Now: it is one mistake on the command line, not one for each test. */
	err = paths_make(config->output, 0777);
	/* What a runner that was killed left there. */
	if (!err)
		err = result_dir_sweep(config->output);
	if (err)
		return error_wrap(err, "--output %s", config->output);
	*ret = xstrdup(config->output);
	return NULL;
}

static struct error *run_plan(const struct test_config *config,
			      const struct harness_session *gathered, const char *dir,
			      struct test_session *session)
{
	struct report_options report = report_options_for(STDOUT_FILENO);
	struct harness_runner_events events = { on_started, on_progress, on_finished, on_tick,
						session };
	struct harness_runner_options options = {
		.accel = (enum vm_accel_wish)config->accel,
		.cold = config->cold,
		.keep = config->keep,
		.keep_guest_sec = config->keep_guest_sec,
		.jobs = jobs_of(config, &gathered->plan),
		.ahead = config->cold ? 0 : config->ahead,
		.alone = measures_alone(config),
		.files_of = harness_session_files_of,
		.files_context = gathered,
		.dir = dir,
	};
	_cleanup_strbuf_ struct strbuf kernels = STRBUF_INIT;
	uint64_t began_ns = clock_monotonic_ns();
	struct error *err, *end;

	for (size_t i = 0; i < gathered->kernels.n; i++)
		strbuf_appendf(&kernels, "%s%s", i ? ", " : "", gathered->kernels.at[i]->release);
	report.verbose = config->verbose;
	report.quiet = config->quiet;
	report.cancel = &cancel;
	err = report_run_new((enum report_format)config->format, &report, &session->reporter);
	if (!err)
		err = report_run_begin(
			session->reporter,
			&(struct report_plan){
				.n_tests = gathered->plan.variants.n,
				.kernels = strbuf_str(&kernels),
				.clock = is_virtual(&gathered->plan) ? "virtual" : "real",
				.jobs = options.jobs,
				.n_alone = count_alone(config, &gathered->plan),
				.dir = dir,
				.started_unix_sec = (uint64_t)time(NULL),
			});
	if (err)
		return err;
	err = harness_runner_run(&gathered->plan, &options, &events, &cancel);
	/* A failed report also ends a run, but is not an interruption. */
	session->counts.interrupted = cli_interrupts_ended_by() != 0;
	end = report_run_end(session->reporter, &(struct report_ending){
							.wall_ns = clock_monotonic_ns() - began_ns,
							.interrupted = session->counts.interrupted,
						});
	if (err)
		error_free(end);
	return err ? err : end;
}

/* Mistakes in declarations come one to a line, as compilers tell them; each line is foreign. */
void test_print_failure(const struct error *err)
{
	struct slice rest = slice_of(error_message(err)), line;
	_cleanup_strbuf_ struct strbuf lines = STRBUF_INIT;

	if (!error_is(err, &harness_error_domain, HARNESS_MISTAKES)) {
		cli_print_error(rest.at);
		return;
	}
	if (slice_take_line(&rest, &line))
		cli_say("error: %.*s", (int)line.n, line.at);
	while (slice_take_line(&rest, &line)) {
		text_escape_bytes(&lines, line.at, line.n);
		if (line.n)
			strbuf_append_char(&lines, '\n');
	}
	fputs(strbuf_str(&lines), stderr);
}

static int list_plan(const struct harness_session *gathered)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < gathered->plan.variants.n; i++)
		strbuf_appendf(&names, "%s\n", gathered->plan.variants.at[i].name);
	return cli_print(&names);
}

int test_run_gathered(const struct test_config *config, const struct test_source *source)
{
	_cleanup_harness_session_ struct harness_session gathered = { 0 };
	struct test_session session = { .source = source };
	_cleanup_error_ struct error *err = NULL;
	_cleanup_free_ char *dir = NULL;
	int status;

	err = cli_interrupts_install(&cancel);
	if (!err)
		err = source->gather(source->context, &cancel, &gathered);
	if (!err && !config->list)
		err = dir_of(config, &dir);
	if (err && cancel_requested(&cancel))
		return TEST_INTERRUPTED;
	if (err) {
		test_print_failure(err);
		return test_exit_unready(config->bisect);
	}
	if (config->list)
		return list_plan(&gathered);
	err = run_plan(config, &gathered, dir, &session);
	report_run_free(session.reporter);
	status = test_exit_status(&session.counts, config->bisect);
	if (!err)
		return status;
	cli_print_error(error_message(err));
	return test_exit_untold(status, config->bisect);
}

/* A pattern that matches nothing is a slip of the finger more often than not. */
static struct error *unmatched(const struct harness_session *g, const char *pattern)
{
	struct suggest near = { .wanted = pattern };

	for (size_t i = 0; i < g->suites.n; i++)
		for (size_t j = 0; j < g->suites.at[i].tests.n; j++)
			suggest_offer(&near, g->suites.at[i].tests.at[j].name);
	if (near.names[0])
		return cli_error(CLI_USAGE, 0, "no test matches '%s'; did you mean '%s'?", pattern,
				 near.names[0]);
	return cli_error(CLI_USAGE, 0, "no test matches '%s'; --list shows all", pattern);
}

struct error *test_plan(const struct test_config *config, const struct harness_plan_clock *clock,
			unsigned int repeat, struct harness_session *session)
{
	const struct harness_plan_options options = {
		.patterns = config->patterns.at,
		.n_patterns = config->patterns.n,
		.topologies = config->topologies.at,
		.n_topologies = config->topologies.n,
		.clock = *clock,
		.repeat = repeat,
		.names_only = config->list,
	};
	const char *pattern = harness_plan_find_unmatched(&options, session->suites.at,
							  session->suites.n);

	return pattern ? unmatched(session, pattern) : harness_session_plan(session, &options);
}

static struct error *gather(void *context, const struct cancel *until, struct harness_session *ret)
{
	const struct test_config *config = context;
	struct error *err = cli_check_directories("--files", &config->dirs);
	struct harness_plan_clock clock = test_clock(config);
	/* With a virtual clock the repeats are seeds. */
	unsigned int repeat = clock.kind == VM_CLOCK_VIRTUAL ? 1 : config->repeat;
	struct topo parsed;

	/* The plan refuses a wrong topology as well, but without a suggestion. */
	for (size_t i = 0; !err && i < config->topologies.n; i++)
		err = cli_parse_topology(config->topologies.at[i], &parsed);
	for (size_t i = 0; !err && i < config->binaries.n; i++)
		err = harness_session_list(ret, config->binaries.at[i], until, NULL);
	for (size_t i = 0; !err && i < config->kernels.n; i++)
		err = harness_session_add_kernel(ret, config->kernels.at[i]);
	/* A list of names needs a kernel only where names have one. */
	if (!err && config->kernels.n == 0 && !config->list)
		err = harness_session_add_kernel(ret, NULL);
	if (!err)
		err = test_plan(config, &clock, repeat, ret);
	if (err || config->list)
		return err;
	return harness_session_find_files(ret, config->dirs.at, config->dirs.n);
}

int test_run(const struct cli_invocation *invocation UNUSED, const void *config)
{
	const struct test_source source = {
		.gather = gather,
		.context = (void *)(uintptr_t)config,
	};

	return test_run_gathered(config, &source);
}
