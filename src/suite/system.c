// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/system.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "wire/report.h"

struct error *suite_settings_write(const char *root, const char *setting)
{
	const char *equals = strchr(setting, '=');
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	size_t n;

	if (!equals)
		return base_error(BASE_PARSE, 0, "\"%s\" is not \"name=value\"", setting);
	path = xasprintf("%s/%.*s", root, (int)(equals - setting), setting);
	for (char *at = path + strlen(root); *at; at++)
		if (*at == '.')
			*at = '/';
	fd = open(path, O_WRONLY | O_CLOEXEC);
	n = strlen(equals + 1);
	if (fd < 0 || write(fd, equals + 1, n) != (ssize_t)n)
		return base_error(BASE_IO, errno, "sysctl %s", setting);
	return NULL;
}

struct error *suite_slowness_parse(const char *text, double *ret)
{
	double value = 1;
	char *end;

	if (text) {
		value = strtod(text, &end);
		/* Written so that NaN is refused, too. */
		if (end == text || *end || !(value >= 1 && value <= 1000))
			return base_error(BASE_PARSE, 0, "%s=%s is not a number from 1 to 1000",
					  WIRE_SLOWNESS_ENV, text);
	}
	*ret = value;
	return NULL;
}

struct error *suite_seed_parse(const char *text, uint64_t *ret)
{
	uint64_t value = 0;

	if (text && !str_parse_u64(text, UINT64_MAX, &value))
		return base_error(BASE_PARSE, 0, "%s=%s is not a number of 64 bits", WIRE_SEED_ENV,
				  text);
	*ret = value;
	return NULL;
}

uint64_t suite_slowness_scaled_ms(double slowness, uint64_t ms)
{
	double scaled = (double)ms * slowness;
	uint64_t whole = (uint64_t)scaled;

	return whole + ((double)whole < scaled);
}

static struct error *find_llc(const struct topo_machine *machine, unsigned int nth,
			      struct topo_cpuset *ret)
{
	struct topo_cpuset seen = { 0 };
	unsigned int n = 0;

	for (unsigned int i = 0; i < machine->n_cpus; i++) {
		uint32_t llc = machine->cpus[i].llc;

		if (llc == TOPO_ABSENT) {
			const char *why = topo_machine_reason(machine, TOPO_ITEM_LLC,
							      machine->cpus[i].number);

			return topo_error(TOPO_UNKNOWN, 0, "the LLC of CPU %u is not known: %s",
					  machine->cpus[i].number, why ? why : "no reason given");
		}
		/* CPUs come by rising number and an LLC is called by its lowest: also in order. */
		if (topo_cpuset_has(&seen, llc))
			continue;
		topo_cpuset_add(&seen, llc);
		if (n++ == nth) {
			topo_machine_sharing(machine, TOPO_ITEM_LLC, llc, ret);
			return NULL;
		}
	}
	return base_error(BASE_ABSENT, 0, "LLC %u, but this machine's last one is %u", nth, n - 1);
}

static void all_cpus(const struct topo_machine *machine, struct topo_cpuset *ret)
{
	struct topo_cpuset set = { 0 };

	for (unsigned int i = 0; i < machine->n_cpus; i++)
		topo_cpuset_add(&set, machine->cpus[i].number);
	*ret = set;
}

static struct error *find_node(const struct topo_machine *machine, unsigned int number,
			       struct topo_cpuset *ret)
{
	struct topo_cpuset set;

	/* A kernel without NUMA has one node, though it does not say so. */
	if (machine->no_numa && number == 0) {
		all_cpus(machine, ret);
		return NULL;
	}
	topo_machine_sharing(machine, TOPO_ITEM_NODE, number, &set);
	if (topo_cpuset_count(&set) == 0)
		return base_error(BASE_ABSENT, 0, "this machine has no node %u with CPUs", number);
	*ret = set;
	return NULL;
}

static struct error *find_range(const struct topo_machine *machine, unsigned int first,
				unsigned int last, struct topo_cpuset *ret)
{
	struct topo_cpuset set = { 0 };

	for (unsigned int cpu = first; cpu <= last; cpu++) {
		if (!topo_machine_cpu(machine, cpu))
			return base_error(BASE_ABSENT, 0, "this machine has no CPU %u", cpu);
		topo_cpuset_add(&set, cpu);
	}
	*ret = set;
	return NULL;
}

struct error *suite_cpus_resolve(const struct ktstr_cpus *cpus, const struct topo_machine *machine,
				 struct topo_cpuset *ret)
{
	switch (cpus->kind) {
	case KTSTR_CPUS_LLC:
		return find_llc(machine, cpus->first, ret);
	case KTSTR_CPUS_NODE:
		return find_node(machine, cpus->first, ret);
	case KTSTR_CPUS_RANGE:
		return find_range(machine, cpus->first, cpus->last, ret);
	default:
		all_cpus(machine, ret);
		return NULL;
	}
}
