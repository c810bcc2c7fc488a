// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "checks/check.h"
#include "exchange/codecs.h"

struct cgroup_stats {
	const char *name;
	uint64_t num_workers;
	bool has_workers, has_spread, has_gap_cpu;
	uint64_t num_cpus, max_gap_ms, max_gap_cpu, total_migrations, total_iterations;
	double spread;
};

struct stats {
	struct {
		struct cgroup_stats *at;
		size_t n;
	} cgroups;
	bool has_workers, has_spread;
	uint64_t total_workers, total_iterations, total_migrations, worst_gap_ms;
	double worst_spread;
};

#define LOWER_IN(unit_)	 .unit = (unit_), .direction = JSON_LOWER_IS_BETTER
#define RATE_IN(unit_)	 .unit = (unit_), .direction = JSON_HIGHER_IS_BETTER, .rate = true
#define CGROUP(member)	 JSON_SCALAR(struct cgroup_stats, member)
#define MEASURED(member) CGROUP(member), JSON_HAS(struct cgroup_stats, has_workers)

static const struct json_row cgroup_stats_rows[] = {
	{ CGROUP(name), .means = "the cgroup's name" },
	{ CGROUP(num_workers), .means = "workers that were reported" },
	{ MEASURED(num_cpus), .means = "CPUs that they were on" },
	{ CGROUP(spread), JSON_HAS(struct cgroup_stats, has_spread), LOWER_IN("%"),
	  .means = "how far the CPU time of its workers lies apart" },
	{ MEASURED(max_gap_ms), LOWER_IN("ms"),
	  .means = "longest time that a worker wanted to run and did not" },
	{ CGROUP(max_gap_cpu), JSON_HAS(struct cgroup_stats, has_gap_cpu),
	  .means = "workers[].gap_cpu of that worker" },
	{ MEASURED(total_migrations), LOWER_IN("migrations"),
	  .means = "how often its workers changed their CPU" },
	{ MEASURED(total_iterations), RATE_IN("iterations"),
	  .means = "work that was done; not judged with a virtual clock" },
};
static const struct json_rows cgroup_stats_table = { JSON_TABLE(cgroup_stats_rows) };

#define STATS(member)	       JSON_SCALAR(struct stats, member)
#define STATS_MEASURED(member) STATS(member), JSON_HAS(struct stats, has_workers)

static const struct json_row stats_rows[] = {
	{ JSON_OBJECTS(struct stats, cgroups, &cgroup_stats_table), .means = "by cgroup" },
	{ STATS(total_workers), .means = "workers of all cgroups" },
	{ STATS_MEASURED(total_iterations), RATE_IN("iterations"),
	  .means = "work that was done; not judged with a virtual clock" },
	{ STATS_MEASURED(total_migrations), LOWER_IN("migrations"),
	  .means = "how often workers changed their CPU" },
	{ STATS_MEASURED(worst_gap_ms), LOWER_IN("ms"),
	  .means = "longest time that any worker wanted to run and did not" },
	{ STATS(worst_spread), JSON_HAS(struct stats, has_spread), LOWER_IN("%"),
	  .means = "the largest spread of any cgroup" },
};
const struct json_rows job_stats_rows = { JSON_TABLE(stats_rows) };

static struct cgroup_stats stats_of(const struct harness_test_report *report,
				    const struct exchange_cgroup *cgroup)
{
	struct checks_spread spread = checks_spread_of(report->workers.at, report->workers.n,
						       cgroup->name);
	struct cgroup_stats stats = {
		.name = cgroup->name,
		.spread = spread.pct,
	};
	const struct exchange_worker *worst = NULL;
	struct topo_cpuset used = { 0 };

	for (size_t i = 0; i < report->workers.n; i++) {
		const struct exchange_worker *worker = &report->workers.at[i];

		if (strcmp(worker->cgroup, cgroup->name) != 0)
			continue;
		stats.num_workers++;
		stats.total_iterations += worker->iterations;
		stats.total_migrations += worker->migrations;
		for (size_t j = 0; j < ARRAY_SIZE(used.words); j++)
			used.words[j] |= worker->cpus.words[j];
		if (!worst || worker->max_gap_ns > worst->max_gap_ns)
			worst = worker;
	}
	stats.num_cpus = topo_cpuset_count(&used);
	stats.has_workers = worst != NULL;
	stats.has_spread = worst && spread.known;
	if (worst) {
		stats.max_gap_ms = worst->max_gap_ns / NS_PER_MS;
		stats.has_gap_cpu = worst->has_gap_cpu;
		stats.max_gap_cpu = worst->gap_cpu;
	}
	return stats;
}

void harness_job_facts_write_stats(void *context, struct json_writer *w)
{
	const struct harness_guest_run *run = context;
	const struct harness_test_report *report = &run->report;
	struct cgroup_stats *cgroups = xcalloc(report->cgroups.n + 1, sizeof(*cgroups));
	struct stats stats = {
		.cgroups = { cgroups, report->cgroups.n },
		.total_workers = report->workers.n,
		.has_workers = report->workers.n > 0,
	};

	for (size_t i = 0; i < report->cgroups.n; i++) {
		cgroups[i] = stats_of(report, &report->cgroups.at[i]);
		if (cgroups[i].has_spread &&
		    (!stats.has_spread || cgroups[i].spread > stats.worst_spread))
			stats.worst_spread = cgroups[i].spread;
		stats.has_spread |= cgroups[i].has_spread && stats.has_workers;
	}
	for (size_t i = 0; i < report->workers.n; i++) {
		const struct exchange_worker *worker = &report->workers.at[i];

		stats.total_iterations += worker->iterations;
		stats.total_migrations += worker->migrations;
		if (worker->max_gap_ns / NS_PER_MS > stats.worst_gap_ms)
			stats.worst_gap_ms = worker->max_gap_ns / NS_PER_MS;
	}
	json_rows_write_members(&job_stats_rows, &stats, w);
	free(cgroups);
}

#define PAYLOAD(member) JSON_SCALAR(struct exchange_payload, member)
#define ENDED(member)	PAYLOAD(member), .with = "ended"

static const struct json_row payload_rows[] = {
	{ PAYLOAD(name), .means = "the program's name" },
	{ PAYLOAD(pid), .means = "its process in the guest" },
	{ PAYLOAD(ended), .means = "whether its end was reported" },
	{ ENDED(exit_code), .means = "negative: minus the signal" },
	{ ENDED(timed_out), .means = "whether it took longer than it was allowed" },
	{ ENDED(by_cleanup), .means = "whether it still ran when the test ended" },
	{ ENDED(wall_ms), .means = "how long it ran" },
	{ ENDED(stdout_bytes), .means = "what it wrote to its standard output" },
	{ ENDED(stderr_bytes), .means = "what it wrote to its standard error" },
	{ ENDED(dropped_bytes), .means = "what of both had no room" },
};
static const struct json_rows payload_table = { JSON_TABLE(payload_rows) };

#define SCHEDULER(member) JSON_SCALAR(struct exchange_scheduler, member)

static const struct json_row scheduler_rows[] = {
	{ SCHEDULER(started), .means = "whether its program was started" },
	{ SCHEDULER(attached), .means = "whether the kernel took it" },
	{ SCHEDULER(pid), .with = "started", .means = "its process in the guest" },
	{ SCHEDULER(attach_ms), .with = "attached", .means = "how long attaching took" },
	{ SCHEDULER(ops), .means = "the name that the kernel knows it by" },
	{ SCHEDULER(end), .means = "how its program ended" },
	{ SCHEDULER(asked), JSON_HAS(struct exchange_scheduler, ended),
	  .means = "whether it ran until it was asked to end" },
	{ SCHEDULER(restarts), JSON_HAS(struct exchange_scheduler, has_restarts),
	  .means = "how often it was detached and attached again" },
	{ SCHEDULER(kernel_reason), .means = "why the kernel detached it" },
	{ SCHEDULER(events), .means = "counters of events of sched_ext" },
};
static const struct json_rows scheduler_table = { JSON_TABLE(scheduler_rows) };

static const struct json_row cgroup_rows[] = {
	{ JSON_SCALAR(struct exchange_cgroup, name), .means = "the cgroup's name" },
	{ JSON_CUSTOM(struct exchange_cgroup, cpus, &exchange_cpus_codec),
	  .means = "CPUs that the kernel gave it" },
};
static const struct json_rows cgroup_table = { JSON_TABLE(cgroup_rows) };

static void write_ms(const void *member, struct json_writer *w)
{
	json_write_u64(w, *(const uint64_t *)member / NS_PER_MS);
}

static const struct json_codec ms_codec = { .type = "number", .write = write_ms };

static void write_percent(const void *member, struct json_writer *w)
{
	json_write_double(w, *(const uint32_t *)member / 10.0);
}

static const struct json_codec percent_codec = { .type = "number", .write = write_percent };

static const struct json_row settled_rows[] = {
	{ JSON_CUSTOM_AS(struct vm_settled, waited_ns, "waited_ms", &ms_codec),
	  .means = "from the first look to the last, by the guest's clock" },
	{ JSON_CUSTOM_AS(struct vm_settled, quiet_ns, "idle_ms", &ms_codec),
	  .means = "the last part of it, in which the CPUs were idle" },
	{ JSON_SCALAR(struct vm_settled, cpu), .means = "the busiest CPU in that part" },
	{ JSON_CUSTOM_AS(struct vm_settled, permille, "busy_pct", &percent_codec),
	  .means = "how busy that was in a window of a few milliseconds" },
};
static const struct json_rows settled_table = { JSON_TABLE(settled_rows) };

#define RUN(member) JSON_SCALAR(struct harness_guest_run, member)

static const struct json_row facts_rows[] = {
	{ JSON_CUSTOM_AS(struct harness_guest_run, limit_ns, "time_limit_ms", &ms_codec),
	  .means = "how long the test was allowed to take" },
	{ RUN(slowness),
	  .means = "how many times slower than with KVM the guest is expected to be" },
	{ JSON_OBJECT_AS(struct harness_guest_run, settled, "guest_idle", &settled_table),
	  JSON_HAS(struct harness_guest_run, settled.known),
	  .means = "how the guest's CPUs became idle before the test" },
	{ JSON_OBJECT_AS(struct harness_guest_run, model, "machine_model", &vm_model_table),
	  JSON_HAS(struct harness_guest_run, has_model),
	  .means = "of a virtual clock: how true the machine is, in nanoseconds of the guest's "
		   "time; absent where it was not measured" },
	{ JSON_WORD_AS(struct harness_guest_run, report.stage, "stage_reached",
		       exchange_stage_names),
	  JSON_HAS(struct harness_guest_run, report.has_stage),
	  .means = "the last stage that was entered" },
	{ JSON_OBJECTS_AS(struct harness_guest_run, report.cgroups, "cgroups", &cgroup_table),
	  .means = "the test's cgroups" },
	{ JSON_OBJECTS_AS(struct harness_guest_run, report.workers, "workers",
			  &exchange_worker_record),
	  .means = "what each worker measured" },
	{ JSON_OBJECTS_AS(struct harness_guest_run, report.payloads, "payloads", &payload_table),
	  .means = "programs that the test started" },
	{ JSON_OBJECT_AS(struct harness_guest_run, report.scheduler, "scheduler_run",
			 &scheduler_table),
	  JSON_HAS(struct harness_guest_run, report.scheduler.started),
	  .means = "the scheduler under test" },
};
const struct json_rows harness_job_facts_rows = { JSON_TABLE(facts_rows) };

void harness_job_facts_write(void *context, struct json_writer *w)
{
	json_rows_write_members(&harness_job_facts_rows, context, w);
}
