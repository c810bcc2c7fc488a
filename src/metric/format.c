// SPDX-License-Identifier: LGPL-2.1-or-later
#include "metric/format.h"

#include <inttypes.h>
#include <string.h>

enum { LADDER_STEPS = 5 };

struct step {
	uint64_t from;
	const char *unit;
};

static const struct ladder {
	const char *word;
	struct step steps[LADDER_STEPS];
} ladders[METRIC_N_UNITS] = {
	[METRIC_UNIT_NONE] = { "", { { 1, "" } } },
	[METRIC_UNIT_RATIO] = { "ratio", { { 1, "" } } },
	[METRIC_UNIT_COUNT] = { "count",
				{ { 1, "" },
				  { 1000, "K" },
				  { 1000000, "M" },
				  { 1000000000, "G" } } },
	[METRIC_UNIT_NS] = { "ns",
			     { { 1, "ns" },
			       { 1000, "µs" },
			       { 1000000, "ms" },
			       { 1000000000, "s" } } },
	[METRIC_UNIT_US] = { "us", { { 1, "µs" }, { 1000, "ms" }, { 1000000, "s" } } },
	[METRIC_UNIT_TICKS] = { "ticks",
				{ { 1, "ticks" }, { 1000, "Kticks" }, { 1000000, "Mticks" } } },
	[METRIC_UNIT_BYTES] = { "bytes",
				{ { 1, "B" },
				  { UINT64_C(1) << 10, "KiB" },
				  { UINT64_C(1) << 20, "MiB" },
				  { UINT64_C(1) << 30, "GiB" },
				  { UINT64_C(1) << 40, "TiB" } } },
};

const char *metric_unit_name(enum metric_unit unit)
{
	return ladders[unit].word;
}

static long double magnitude_of(long double value)
{
	return value < 0 ? -value : value;
}

static const struct step *step_of(enum metric_unit unit, long double magnitude)
{
	const struct step *best = ladders[unit].steps;

	for (size_t i = 1; i < LADDER_STEPS && ladders[unit].steps[i].from; i++) {
		if (magnitude >= ladders[unit].steps[i].from)
			best = &ladders[unit].steps[i];
	}
	return best;
}

void metric_format_value(enum metric_unit unit, uint64_t value, struct strbuf *into)
{
	const struct step *step = step_of(unit, value);

	if (step->from == 1)
		strbuf_appendf(into, "%" PRIu64 "%s", value, step->unit);
	else
		strbuf_appendf(into, "%.3Lf%s", (long double)value / step->from, step->unit);
}

void metric_format_derived(enum metric_unit unit, long double value, struct strbuf *into)
{
	const struct step *step = step_of(unit, magnitude_of(value));
	int decimals = unit == METRIC_UNIT_RATIO || step->from > 1 ? 3 : 2;

	/* There is no -0. */
	if (value == 0)
		value = 0;
	strbuf_appendf(into, "%.*Lf%s", decimals, value / step->from, step->unit);
}

void metric_format_centi_percent(uint64_t hundredths, struct strbuf *into)
{
	strbuf_appendf(into, "%" PRIu64 ".%02" PRIu64 "%%", hundredths / 100, hundredths % 100);
}

void metric_format_cpus(const uint32_t *ids, size_t n, struct strbuf *into)
{
	for (size_t first = 0, last; first < n; first = last + 1) {
		for (last = first; last + 1 < n && ids[last + 1] == ids[last] + 1; last++)
			;
		strbuf_appendf(into, "%s%" PRIu32, first ? "," : "", ids[first]);
		if (last > first)
			strbuf_appendf(into, "-%" PRIu32, ids[last]);
	}
}

static void format_range(const struct metric_reduced *value, struct strbuf *into)
{
	strbuf_appendf(into, "%" PRId64, value->range.least);
	if (value->range.most != value->range.least)
		strbuf_appendf(into, "..%" PRId64, value->range.most);
}

static void format_mode(enum metric_kind kind, const struct metric_reduced *value,
			struct strbuf *into)
{
	struct metric_tally_entry winner;

	if (!metric_reduced_mode(value, kind, &winner))
		return;
	metric_label_format(kind, winner.value, into);
	if (winner.count != value->measured)
		strbuf_appendf(into, " (%" PRIu64 "/%" PRIu32 ")", winner.count, value->measured);
}

static void format_cpu_sizes(const struct metric_reduced *value, const uint32_t *cpus,
			     struct strbuf *into)
{
	strbuf_appendf(into, "%" PRIu32, value->cpus.least);
	if (value->cpus.most != value->cpus.least)
		strbuf_appendf(into, "-%" PRIu32, value->cpus.most);
	strbuf_append(into, " cpus (");
	if (value->cpus.list == METRIC_SAMPLE_NO_ENTRY || !cpus)
		strbuf_append(into, "mixed");
	else
		metric_format_cpus(cpus, value->cpus.least, into);
	strbuf_append_char(into, ')');
}

void metric_format_reduced(enum metric_id id, const struct metric_reduced *value,
			   const uint32_t *cpus, struct strbuf *into)
{
	const struct metric *metric = &metric_rows[id];

	if (metric_reduced_is_absent(value, metric->kind)) {
		strbuf_append_char(into, '-');
		return;
	}
	switch (metric_reduction(metric->kind)) {
	case METRIC_REDUCTION_COUNT:
	case METRIC_REDUCTION_SUM:
	case METRIC_REDUCTION_LARGEST:
	case METRIC_REDUCTION_LEAST:
		metric_format_value(metric->unit, value->value, into);
		break;
	case METRIC_REDUCTION_RANGE:
		format_range(value, into);
		break;
	case METRIC_REDUCTION_MODE:
		format_mode(metric->kind, value, into);
		break;
	case METRIC_REDUCTION_CPUS:
		format_cpu_sizes(value, cpus, into);
		break;
	}
}

#define UNKNOWN_BEGIN "SCHED_UNKNOWN("

#define POLICY_ROW_(number, name) { number, name },
static const struct {
	uint64_t number;
	const char *name;
} policies[] = { METRIC_POLICIES(POLICY_ROW_) };
#undef POLICY_ROW_

void metric_policy_format(uint64_t policy, struct strbuf *into)
{
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		if (policies[i].number == policy) {
			strbuf_append(into, policies[i].name);
			return;
		}
	}
	strbuf_appendf(into, UNKNOWN_BEGIN "%" PRIu64 ")", policy);
}

bool metric_policy_parse(const char *text, size_t n, uint64_t *ret)
{
	size_t begin = strlen(UNKNOWN_BEGIN);
	uint64_t number = 0;

	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		if (strlen(policies[i].name) == n && memcmp(policies[i].name, text, n) == 0) {
			*ret = policies[i].number;
			return true;
		}
	}
	if (n < begin + 2 || memcmp(text, UNKNOWN_BEGIN, begin) != 0 || text[n - 1] != ')')
		return false;
	for (size_t i = begin; i < n - 1; i++) {
		if (text[i] < '0' || text[i] > '9' || !mul_fits_u64(number, 10, &number) ||
		    !add_fits_u64(number, (uint64_t)(text[i] - '0'), &number))
			return false;
	}
	*ret = number;
	return true;
}
