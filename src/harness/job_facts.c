// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/job_facts.h"

#include <string.h>

#include "base/clock.h"
#include "checks/spread.h"

static void add_cpus(struct json_writer *w, const char *key, const struct cpuset *cpus)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	cpuset_format(cpus, &text);
	json_add_string(w, key, strbuf_str(&text));
}

static bool is_of(const struct exchange_worker *worker, const struct exchange_cgroup *cgroup)
{
	return strcmp(worker->cgroup, cgroup->name) == 0;
}

static void write_cgroup_stats(struct json_writer *w, const struct test_report *report,
			       const struct exchange_cgroup *cgroup)
{
	uint64_t iterations = 0, migrations = 0, workers = 0;
	struct cpuset used = { 0 };
	const struct exchange_worker *worst = NULL;
	struct checks_spread spread = checks_spread_of(report->workers.at, report->workers.n,
						       cgroup->name);

	for (size_t i = 0; i < report->workers.n; i++) {
		const struct exchange_worker *worker = &report->workers.at[i];

		if (!is_of(worker, cgroup))
			continue;
		workers++;
		iterations += worker->iterations;
		migrations += worker->migrations;
		for (size_t j = 0; j < ARRAY_SIZE(used.words); j++)
			used.words[j] |= worker->cpus.words[j];
		if (!worst || worker->max_gap_ns > worst->max_gap_ns)
			worst = worker;
	}
	json_begin_object(w);
	json_add_string(w, "name", cgroup->name);
	json_add_u64(w, "num_workers", workers);
	if (worst) {
		json_add_u64(w, "num_cpus", cpuset_count(&used));
		if (spread.known)
			json_add_double(w, "spread", spread.pct);
		json_add_u64(w, "max_gap_ms", worst->max_gap_ns / NS_PER_MS);
		if (worst->has_gap_cpu)
			json_add_u64(w, "max_gap_cpu", worst->gap_cpu);
		json_add_u64(w, "total_migrations", migrations);
		json_add_u64(w, "total_iterations", iterations);
	}
	json_end_object(w);
}

void job_facts_write_stats(void *context, struct json_writer *w)
{
	const struct job_facts *facts = context;
	const struct test_report *report = &facts->run->report;
	uint64_t iterations = 0, migrations = 0, gap_ns = 0;
	double worst = -1;

	json_key(w, "cgroups");
	json_begin_array(w);
	for (size_t i = 0; i < report->cgroups.n; i++) {
		struct checks_spread spread = checks_spread_of(
			report->workers.at, report->workers.n, report->cgroups.at[i].name);

		write_cgroup_stats(w, report, &report->cgroups.at[i]);
		if (spread.known && spread.pct > worst)
			worst = spread.pct;
	}
	json_end_array(w);
	for (size_t i = 0; i < report->workers.n; i++) {
		iterations += report->workers.at[i].iterations;
		migrations += report->workers.at[i].migrations;
		if (report->workers.at[i].max_gap_ns > gap_ns)
			gap_ns = report->workers.at[i].max_gap_ns;
	}
	json_add_u64(w, "total_workers", report->workers.n);
	if (report->workers.n == 0)
		return;
	json_add_u64(w, "total_iterations", iterations);
	json_add_u64(w, "total_migrations", migrations);
	json_add_u64(w, "worst_gap_ms", gap_ns / NS_PER_MS);
	if (worst >= 0)
		json_add_double(w, "worst_spread", worst);
}

static void write_workers(struct json_writer *w, const struct test_report *report)
{
	json_key(w, "workers");
	json_begin_array(w);
	for (size_t i = 0; i < report->workers.n; i++)
		json_rows_write(&exchange_worker_record, &report->workers.at[i], w);
	json_end_array(w);
}

static void write_scheduler(struct json_writer *w, const struct exchange_scheduler *scheduler)
{
	json_key(w, "scheduler_run");
	json_begin_object(w);
	json_add_bool(w, "started", scheduler->started);
	json_add_bool(w, "attached", scheduler->attached);
	if (scheduler->started)
		json_add_u64(w, "pid", scheduler->pid);
	if (scheduler->attached)
		json_add_u64(w, "attach_ms", scheduler->attach_ms);
	json_add_string(w, "ops", scheduler->ops);
	json_add_string(w, "end", scheduler->end);
	if (scheduler->ended)
		json_add_bool(w, "asked", scheduler->asked);
	if (scheduler->has_restarts)
		json_add_u64(w, "restarts", scheduler->restarts);
	json_add_string(w, "kernel_reason", scheduler->kernel_reason);
	json_add_string(w, "events", scheduler->events);
	json_end_object(w);
}

static void write_payloads(struct json_writer *w, const struct test_report *report)
{
	json_key(w, "payloads");
	json_begin_array(w);
	for (size_t i = 0; i < report->payloads.n; i++) {
		const struct exchange_payload *payload = &report->payloads.at[i];

		json_begin_object(w);
		json_add_string(w, "name", payload->name);
		json_add_u64(w, "pid", payload->pid);
		json_add_bool(w, "ended", payload->ended);
		if (payload->ended) {
			json_add_i64(w, "exit_code", payload->exit_code);
			json_add_bool(w, "timed_out", payload->timed_out);
			json_add_bool(w, "by_cleanup", payload->by_cleanup);
			json_add_u64(w, "wall_ms", payload->wall_ms);
			json_add_u64(w, "stdout_bytes", payload->stdout_bytes);
			json_add_u64(w, "stderr_bytes", payload->stderr_bytes);
			json_add_u64(w, "dropped_bytes", payload->dropped_bytes);
		}
		json_end_object(w);
	}
	json_end_array(w);
}

void job_facts_write(void *context, struct json_writer *w)
{
	const struct job_facts *facts = context;
	const struct test_report *report = &facts->run->report;

	json_add_u64(w, "time_limit_ms", facts->run->limit_ns / NS_PER_MS);
	json_add_double(w, "slowness", facts->run->slowness);
	if (report->has_stage)
		json_add_string(w, "stage_reached", wire_stage_word(report->stage));
	json_key(w, "cgroups");
	json_begin_array(w);
	for (size_t i = 0; i < report->cgroups.n; i++) {
		json_begin_object(w);
		json_add_string(w, "name", report->cgroups.at[i].name);
		add_cpus(w, "cpus", &report->cgroups.at[i].cpus);
		json_end_object(w);
	}
	json_end_array(w);
	write_workers(w, report);
	write_payloads(w, report);
	if (report->scheduler.started)
		write_scheduler(w, &report->scheduler);
}
