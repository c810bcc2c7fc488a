// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/judge.h"

#include <string.h>

static bool has_reason(const struct result_outcome *outcome, enum ktstr_reason reason)
{
	for (size_t i = 0; i < outcome->parts.n; i++)
		if (outcome->parts.at[i].reason == reason)
			return true;
	return false;
}

static struct topo_cpuset reported_cpus(const struct harness_test_report *report,
					const char *cgroup)
{
	for (size_t i = 0; i < report->cgroups.n; i++)
		if (strcmp(report->cgroups.at[i].name, cgroup) == 0)
			return report->cgroups.at[i].cpus;
	return (struct topo_cpuset){ 0 };
}

void harness_check(const struct exchange_declared_test *test,
		   const struct harness_test_report *report,
		   const struct checks_disturbance *disturbance, struct result_outcome *into)
{
	_cleanup_checks_findings_ struct checks_findings findings = { 0 };
	VEC(struct checks_cgroup) cgroups = { 0 };
	struct checks_facts facts = {
		.asked = test->checks,
		.has_scheduler = test->scheduler.argv.n > 0,
		.may_restart = test->scheduler.may_restart,
		.workers = report->workers.at,
		.n_workers = report->workers.n,
		.scheduler = &report->scheduler,
		.exit_reported = has_reason(into, KTSTR_REASON_SCHED_EXIT),
		.stop_reported = has_reason(into, KTSTR_REASON_SCHED_STOP),
		.disturbance = disturbance,
	};

	for (size_t i = 0; i < test->cgroups.n; i++) {
		const struct exchange_declared_cgroup *declared = &test->cgroups.at[i];
		struct checks_cgroup cgroup = {
			.name = declared->name,
			.workers = declared->workers,
			.cpus = reported_cpus(report, declared->name),
		};

		if (declared->work)
			vec_push(&cgroups, cgroup);
	}
	facts.cgroups = cgroups.at;
	facts.n_cgroups = cgroups.n;
	checks_evaluate(&facts, &findings);
	for (size_t i = 0; i < findings.parts.n; i++)
		result_outcome_add_part(into, findings.parts.at[i].reason, NULL, 0,
					findings.parts.at[i].text);
	for (size_t i = 0; i < findings.notes.n; i++)
		result_outcome_add_note(into, findings.notes.at[i]);
	vec_deinit(&cgroups);
}
