// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/show_test/show_test.h"

#include <string.h>

#include "harness/needs.h"
#include "vm/template/template.h"

bool shown_cpus(const struct ktstr_cpus *cpus, const struct topo *t, struct topo_cpuset *ret)
{
	unsigned int per_llc = topo_cpus_per_llc(t);
	unsigned int per_node = per_llc * topo_llcs_per_node(t);
	unsigned int first = 0, n = topo_cpus(t);
	struct topo_cpuset set = { 0 };

	/* Numbers are below TOPO_LIMIT_CPUS, so nothing wraps. */
	switch (cpus->kind) {
	case KTSTR_CPUS_LLC:
		first = cpus->first * per_llc;
		n = per_llc;
		break;
	case KTSTR_CPUS_NODE:
		first = cpus->first * per_node;
		n = per_node;
		break;
	case KTSTR_CPUS_RANGE:
		first = cpus->first;
		n = cpus->last - cpus->first + 1;
		break;
	case KTSTR_CPUS_ALL:
		break;
	}
	if (first + n > topo_cpus(t))
		return false;
	topo_cpuset_add_range(&set, first, first + n - 1);
	*ret = set;
	return true;
}

const char *shown_check_source(const struct exchange_declared_test *test, const char *check)
{
	if (!test->knows_declared_checks)
		return "";
	for (size_t i = 0; i < test->declared_checks.n; i++)
		if (strcmp(test->declared_checks.at[i], check) == 0)
			return "declared";
	return "default";
}

void shown_test_deinit(struct shown_test *shown)
{
	vec_deinit(&shown->cgroups);
	harness_test_files_deinit(&shown->files);
	strbuf_deinit(&shown->missing);
	strbuf_deinit(&shown->limit_sum);
	free(shown->unmet);
	*shown = (struct shown_test){ 0 };
}

static void resolve_cgroups(struct shown_test *shown)
{
	for (size_t i = 0; i < shown->test->cgroups.n; i++) {
		struct shown_cgroup cgroup = { .declared = &shown->test->cgroups.at[i] };

		cgroup.exists = shown_cpus(&cgroup.declared->cpus, &shown->topology, &cgroup.cpus);
		vec_push(&shown->cgroups, cgroup);
	}
}

static void resolve_needs(struct shown_test *shown)
{
	if (shown->host->kernel)
		shown->met = harness_needs_met(shown->test, &shown->topology, shown->host->kernel,
					       &shown->unmet_reason, &shown->unmet);
	else
		shown->unmet = xstrdup(shown->host->no_kernel);
}

struct error *shown_test_init(struct shown_test *shown, const struct exchange_declared_suite *suite,
			      const struct exchange_declared_test *test, const struct topo *other,
			      const struct shown_host *host)
{
	uint64_t declared_bytes = (uint64_t)test->memory_mb << 20;
	struct error *err = NULL;
	unsigned int vcpus, slowness;

	*shown = (struct shown_test){
		.host = host,
		.suite = suite,
		.test = test,
		.topology = other ? *other : test->topology,
	};
	vcpus = topo_cpus(&shown->topology);
	shown->memory_bytes = declared_bytes ? declared_bytes
					     : vm_ram_default_bytes(&shown->topology);
	if (host->clock == VM_CLOCK_VIRTUAL)
		err = vm_speed_choose(0, vcpus, &shown->speed);
	if (err)
		return err;
	slowness = host->clock == VM_CLOCK_VIRTUAL
			   ? harness_slowness_of_speed(shown->speed.cpu_mips)
			   : harness_slowness(host->emulated, vcpus);
	shown->limit_ns = harness_time_limit_ns(test, slowness, vcpus);
	harness_time_limit_explain(test, slowness, vcpus, &shown->limit_sum);
	resolve_cgroups(shown);
	resolve_needs(shown);
	return harness_files_find(host->finder, suite, test, &shown->missing, &shown->files);
}
