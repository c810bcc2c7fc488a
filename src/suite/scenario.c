// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/scenario.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/io.h"
#include "procfs/thread_files.h"
#include "suite/declared.h"
#include "suite/system.h"

/* In the order of the declaration, whatever the order of starts: reports are. */
static void add_row(struct suite_scenario *scenario, const struct ktstr_cgroup *cgroup,
		    struct work_group *group)
{
	size_t at = scenario->n++;

	for (; at > 0 && scenario->rows[at - 1].cgroup > cgroup; at--)
		scenario->rows[at] = scenario->rows[at - 1];
	scenario->rows[at].cgroup = cgroup;
	scenario->rows[at].classes = xcalloc(work_count(group), sizeof(struct suite_class_watch));
	scenario->rows[at].group = group;
}

static struct error *start_one(struct suite_scenario *scenario, const struct ktstr_cgroup *cgroup,
			       int subtree_fd, uint64_t limit_ms)
{
	struct ktstr_work work = cgroup->work;
	struct work_group *group;
	_cleanup_close_ int fd = -1;
	struct error *err = NULL;

	work.workers = suite_declared_workers(&work);
	if (subtree_fd >= 0)
		err = suite_cgroup_open(subtree_fd, cgroup->name, &fd);
	if (!err)
		err = work_start(&work, scenario->gate, fd, scenario->watch_cpus,
				 limit_ms * NS_PER_MS, &group);
	if (err)
		return error_wrap(err, "workers of cgroup %s", cgroup->name);
	add_row(scenario, cgroup, group);
	return NULL;
}

struct error *suite_scenario_start(struct suite_scenario *scenario, const struct ktstr_test *test,
				   int subtree_fd, uint64_t limit_ms)
{
	size_t order[KTSTR_MAX_CGROUPS + 1], n = suite_declared_cgroup_count(test);
	struct error *err = work_gate_new(&scenario->gate);

	if (err)
		return err;
	work_gate_set_seed(scenario->gate, scenario->seed);
	work_start_order(scenario->seed, n, order);
	for (size_t i = 0; !err && i < n; i++) {
		const struct ktstr_cgroup *cgroup = &test->cgroups[order[i]];

		if (cgroup->work.kind != KTSTR_WORK_NONE)
			err = start_one(scenario, cgroup, subtree_fd, limit_ms);
	}
	return err;
}

void suite_scenario_open_gate(struct suite_scenario *scenario)
{
	if (scenario->gate)
		work_gate_open(scenario->gate);
}

static size_t count_workers(const struct suite_scenario *scenario)
{
	size_t n = 0;

	for (size_t i = 0; i < scenario->n; i++)
		n += work_count(scenario->rows[i].group);
	return n;
}

static void sample_class(struct suite_scenario *scenario, const char *proc, size_t i)
{
	size_t row = 0;
	struct work_report worker;

	for (; i >= work_count(scenario->rows[row].group); row++)
		i -= work_count(scenario->rows[row].group);
	work_sample(scenario->rows[row].group, i, &worker);
	if (worker.end == WORK_END_RUNNING)
		suite_class_watch_sample(&scenario->rows[row].classes[i], proc, worker.pid,
					 worker.cpu_ns);
}

void suite_scenario_sample_classes(struct suite_scenario *scenario, const char *proc, size_t most)
{
	size_t n = count_workers(scenario);

	for (size_t i = 0; i < n && i < most; i++)
		sample_class(scenario, proc, scenario->next_++ % n);
}

static void report_worker(struct suite_report_writer *report, const struct ktstr_cgroup *cgroup,
			  const struct work_report *worker, const struct suite_class_watch *class)
{
	bool has_code = worker->end == WORK_END_EXITED || worker->end == WORK_END_SIGNALLED;
	_cleanup_free_ char *end = has_code ? xasprintf("%s %d", work_end_name(worker->end),
							worker->code)
					    : xstrdup(work_end_name(worker->end));
	struct exchange_worker told = {
		.cgroup = EXCHANGE_BORROW(cgroup->name),
		.kind = EXCHANGE_BORROW(work_kind_info(cgroup->work.kind)->name),
		.pid = (uint32_t)worker->pid,
		.end = end,
		.wall_ns = worker->wall_ns,
		.has_run_delay = worker->has_run_delay,
		.run_delay_ns = worker->run_delay_ns,
		.has_gap_cpu = worker->gap_cpu >= 0,
		.gap_cpu = (uint32_t)worker->gap_cpu,
		.stall_ns = worker->stall_ns,
		.cpus = worker->cpus_used,
		.has_outside = worker->has_outside,
		.outside = worker->outside,
		.outside_had = worker->outside_had,
		.outside_at_ns = worker->outside_at_ns,
		.has_class = class->ext_samples || class->other_samples,
		.ext_samples = class->ext_samples,
		.other_samples = class->other_samples,
		.ext_ns = class->ext_ns,
		.other_ns = class->other_ns,
	};

#define COUNTED(name, meaning) told.name = worker->name;
#include "exchange/figures.def"
#undef COUNTED
	suite_report_write(report, WIRE_REPORT_WORKER, &told);
}

void suite_scenario_stop(struct suite_scenario *scenario, uint64_t limit_ms,
			 struct suite_report_writer *report)
{
	/* All at one moment: stopping the first may take long. */
	for (size_t i = 0; i < scenario->n; i++)
		work_conclude(scenario->rows[i].group);
	for (size_t i = 0; i < scenario->n; i++)
		work_stop(scenario->rows[i].group, limit_ms * NS_PER_MS);
	for (size_t i = 0; i < scenario->n; i++) {
		struct work_group *group = scenario->rows[i].group;

		for (size_t j = 0; j < work_count(group); j++) {
			struct work_report worker;

			work_sample(group, j, &worker);
			scenario->stuck = scenario->stuck || worker.end == WORK_END_STUCK;
			report_worker(report, scenario->rows[i].cgroup, &worker,
				      &scenario->rows[i].classes[j]);
		}
	}
}

void suite_scenario_deinit(struct suite_scenario *scenario)
{
	/* A process that cannot die is not waited for; it is reported as left over. */
	if (scenario->stuck)
		return;
	for (size_t i = 0; i < scenario->n; i++) {
		work_free(scenario->rows[i].group);
		free(scenario->rows[i].classes);
	}
	scenario->n = 0;
	work_gate_free(scenario->gate);
	scenario->gate = NULL;
}

/* False when /proc does not say: "ext.enabled" is there since 6.12. */
static bool read_class(const char *proc, pid_t pid, bool *ret_is_ext)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/sched", proc, (int)pid);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, SUITE_LIMIT_SYSFS, &text);
	static const struct procfs_field enabled = { .key = "ext.enabled",
						     .form = PROCFS_FORM_FLAG };
	uint64_t is_ext = 0, known = 0;
	struct procfs_values values = { .into = &is_ext, .known = &known };

	if (err || !procfs_sched_fields((struct slice){ strbuf_str(&text), text.n },
					(struct procfs_fields){ &enabled, 1 }, &values))
		return false;
	*ret_is_ext = is_ext;
	return true;
}

void suite_class_watch_sample(struct suite_class_watch *watch, const char *proc, pid_t pid,
			      uint64_t cpu_ns)
{
	bool is_first = !watch->ext_samples && !watch->other_samples, is_ext;

	if (!read_class(proc, pid, &is_ext))
		return;
	if (!is_first && is_ext == watch->was_ext_ && cpu_ns > watch->cpu_ns_)
		*(is_ext ? &watch->ext_ns : &watch->other_ns) += cpu_ns - watch->cpu_ns_;
	*(is_ext ? &watch->ext_samples : &watch->other_samples) += 1;
	watch->was_ext_ = is_ext;
	watch->cpu_ns_ = cpu_ns;
}
