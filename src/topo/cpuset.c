// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topo/cpuset.h"

#include <string.h>

#include "base/slice.h"

DEFINE_ERROR_DOMAIN(topo, TOPO, TOPO_ERRORS);

void topo_cpuset_add(struct topo_cpuset *set, unsigned int cpu)
{
	if (cpu < TOPO_LIMIT_CPUS)
		set->words[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

void topo_cpuset_add_range(struct topo_cpuset *set, unsigned int first, unsigned int last)
{
	for (unsigned int cpu = first; cpu <= last && cpu < TOPO_LIMIT_CPUS; cpu++)
		topo_cpuset_add(set, cpu);
}

bool topo_cpuset_has(const struct topo_cpuset *set, unsigned int cpu)
{
	return cpu < TOPO_LIMIT_CPUS && set->words[cpu / 64] >> (cpu % 64) & 1;
}

bool topo_cpuset_equal(const struct topo_cpuset *a, const struct topo_cpuset *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

unsigned int topo_cpuset_count(const struct topo_cpuset *set)
{
	unsigned int count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(set->words); i++)
		count += (unsigned int)__builtin_popcountll(set->words[i]);
	return count;
}

unsigned int topo_cpuset_next(const struct topo_cpuset *set, unsigned int from)
{
	while (from < TOPO_LIMIT_CPUS) {
		uint64_t rest = set->words[from / 64] >> (from % 64);

		if (rest)
			return from + (unsigned int)__builtin_ctzll(rest);
		from = (from / 64 + 1) * 64;
	}
	return TOPO_LIMIT_CPUS;
}

/* Leading zeros are fine, as they are for the kernel; a number past the limit is not. */
static bool take_cpu(struct slice *rest, unsigned int *ret)
{
	uint64_t value;

	if (!slice_take_u64(rest, &value) || value >= TOPO_LIMIT_CPUS)
		return false;
	*ret = (unsigned int)value;
	return true;
}

static struct error *take_range(const char *text, struct slice *rest, struct topo_cpuset *set)
{
	size_t start = (size_t)(rest->at - text);
	unsigned int first, last;

	if (!take_cpu(rest, &first))
		return topo_error(TOPO_CPU_LIST, 0, "no CPU number below %d at character %zu",
				  TOPO_LIMIT_CPUS, start);
	last = first;
	if (slice_take_char(rest, '-')) {
		if (!take_cpu(rest, &last))
			return topo_error(TOPO_CPU_LIST, 0, "the range from %u has no end below %d",
					  first, TOPO_LIMIT_CPUS);
		if (last < first)
			return topo_error(TOPO_CPU_LIST, 0, "the range %u-%u runs backwards", first,
					  last);
	}
	for (unsigned int cpu = first; cpu <= last; cpu++) {
		if (topo_cpuset_has(set, cpu))
			return topo_error(TOPO_CPU_LIST, 0, "CPU %u is there twice", cpu);
		topo_cpuset_add(set, cpu);
	}
	return NULL;
}

struct error *topo_cpuset_parse(const char *text, size_t n, struct topo_cpuset *ret)
{
	struct topo_cpuset set = { 0 };
	struct error *err = NULL;
	struct slice rest;
	struct topo_quote q;

	if (n && text[n - 1] == '\n')
		n--;
	rest = (struct slice){ text, n };
	while (!err && n) {
		err = take_range(text, &rest, &set);
		if (err || rest.n == 0)
			break;
		if (!slice_take_char(&rest, ','))
			err = topo_error(TOPO_CPU_LIST, 0, "a comma is missing at character %zu",
					 (size_t)(rest.at - text));
	}
	if (err)
		return error_wrap(err, "CPU list \"%s\"", topo_quote_bytes(&q, text, n));
	*ret = set;
	return NULL;
}

void topo_cpuset_format(const struct topo_cpuset *set, struct strbuf *into)
{
	const char *comma = "";

	topo_cpuset_for_each (first, set) {
		unsigned int last = first;

		while (topo_cpuset_has(set, last + 1))
			last++;
		strbuf_appendf(into, "%s%u", comma, first);
		if (last > first)
			strbuf_appendf(into, "-%u", last);
		comma = ",";
		first = last;
	}
}
