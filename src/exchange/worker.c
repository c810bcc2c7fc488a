// SPDX-License-Identifier: LGPL-2.1-or-later
#include "exchange/report.h"

#include <string.h>

#define WORKER(member)	 JSON_SCALAR(struct exchange_worker, member)
#define REQUIRED(member) WORKER(member), .presence = JSON_REQUIRED
#define TEXT(member) \
	JSON_CUSTOM(struct exchange_worker, member, &exchange_text_codec), .presence = JSON_REQUIRED
#define CPUS(member) JSON_CUSTOM(struct exchange_worker, member, &exchange_cpus_codec)

static const struct json_row rows[] = {
	{ TEXT(cgroup), .check = exchange_check_name, .means = "its cgroup" },
	{ TEXT(kind), .check = exchange_check_name, .means = "its kind of work" },
	{ REQUIRED(pid), .means = "its process" },
	{ TEXT(end), .check = exchange_check_end, .means = "how it ended" },
#define COUNTED(name, meaning) { REQUIRED(name), .means = meaning },
#define DERIVED		       COUNTED
#define KNOWN(name, has_, meaning) \
	{ WORKER(name), JSON_HAS(struct exchange_worker, has_), .means = meaning },
#undef KNOWN
#undef DERIVED
#undef COUNTED
	{ WORKER(gap_cpu), JSON_HAS(struct exchange_worker, has_gap_cpu),
	  .limit = TOPO_LIMIT_CPUS - 1, .means = "where, if it is known" },
	{ REQUIRED(stall_ns), .means = "how long it had wanted a CPU when the work was over" },
	{ CPUS(cpus), .presence = JSON_REQUIRED, .means = "CPUs that it was on" },
	{ CPUS(outside), JSON_HAS(struct exchange_worker, has_outside),
	  .means = "CPUs that it was on while its cgroup did not have them" },
	{ WORKER(ext_samples), JSON_HAS(struct exchange_worker, has_class),
	  .means = "samples that found it under sched_ext" },
	{ REQUIRED(other_samples), .with = "ext_samples", .means = "samples in another class" },
	{ REQUIRED(ext_ns), .with = "ext_samples", .means = "CPU time under sched_ext" },
	{ REQUIRED(other_ns), .with = "ext_samples", .means = "CPU time in another class" },
	/* Records do not keep these. */
	{ CPUS(outside_had), .with = "outside", .presence = JSON_REQUIRED,
	  .means = "CPUs that the cgroup had then" },
	{ REQUIRED(outside_at_ns), .with = "outside", .means = "when that was first so" },
};

const struct json_rows exchange_worker_table = { JSON_TABLE(rows) };
const struct json_rows exchange_worker_record = { .at = rows, .n = ARRAY_SIZE(rows) - 2 };

void exchange_worker_deinit(struct exchange_worker *worker)
{
	json_rows_deinit(&exchange_worker_table, worker);
	*worker = (struct exchange_worker){ 0 };
}

bool exchange_worker_never_started(const struct exchange_worker *worker)
{
	return strcmp(worker->end, "never-started") == 0;
}

bool exchange_worker_was_killed(const struct exchange_worker *worker)
{
	return strcmp(worker->end, "killed") == 0 || strcmp(worker->end, "stuck") == 0;
}

bool exchange_worker_worked_to_the_end(const struct exchange_worker *worker)
{
	return strcmp(worker->end, "finished") == 0 || exchange_worker_was_killed(worker);
}
