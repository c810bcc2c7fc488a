// SPDX-License-Identifier: LGPL-2.1-or-later
#include "metric/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "metric/format.h"

enum metric_reduction metric_reduction(enum metric_kind kind)
{
	static const enum metric_reduction reductions[METRIC_N_KINDS] = {
		[METRIC_KIND_TALLY] = METRIC_REDUCTION_COUNT,
		[METRIC_KIND_SUM] = METRIC_REDUCTION_SUM,
		[METRIC_KIND_PEAK] = METRIC_REDUCTION_LARGEST,
		[METRIC_KIND_LEAST] = METRIC_REDUCTION_LEAST,
		[METRIC_KIND_GAUGE] = METRIC_REDUCTION_LARGEST,
		[METRIC_KIND_ORDINAL] = METRIC_REDUCTION_RANGE,
		[METRIC_KIND_POLICY] = METRIC_REDUCTION_MODE,
		[METRIC_KIND_STATE] = METRIC_REDUCTION_MODE,
		[METRIC_KIND_FLAG] = METRIC_REDUCTION_MODE,
		[METRIC_KIND_CPUSET] = METRIC_REDUCTION_CPUS,
	};

	return reductions[kind];
}

static uint64_t least_not_0(uint64_t a, uint64_t b)
{
	if (a == 0 || b == 0)
		return a ? a : b;
	return a < b ? a : b;
}

static void tally_add(struct metric_reduced *into, uint64_t value)
{
	for (uint32_t i = 0; i < into->tally.n; i++) {
		if (into->tally.at[i].value == value) {
			into->tally.at[i].count++;
			return;
		}
	}
	if (into->tally.n == into->tally.capacity) {
		into->tally.capacity = into->tally.capacity ? 2 * into->tally.capacity : 2;
		into->tally.at = xreallocarray(into->tally.at, into->tally.capacity,
					       sizeof(*into->tally.at));
	}
	into->tally.at[into->tally.n++] = (struct metric_tally_entry){ value, 1 };
}

/* Only a leader has what belongs to the process. */
static bool applies(enum metric_id id, const struct metric_thread_sample *sample)
{
	return id != METRIC_NR_THREADS || sample->tid == sample->tgid;
}

void metric_reduced_add(struct metric_reduced *into, enum metric_id id,
			const struct metric_thread_sample *sample)
{
	enum metric_kind kind = metric_rows[id].kind;
	uint64_t value = sample->values[id];
	bool first = into->measured == 0;

	if (!applies(id, sample))
		return;
	into->of++;
	if (kind != METRIC_KIND_TALLY && !metric_sample_knows(sample, id))
		return;
	switch (metric_reduction(kind)) {
	case METRIC_REDUCTION_COUNT:
		into->value++;
		break;
	case METRIC_REDUCTION_SUM:
		into->value = add_saturating_u64(into->value, value);
		break;
	case METRIC_REDUCTION_LARGEST:
		if (value > into->value)
			into->value = value;
		break;
	case METRIC_REDUCTION_LEAST:
		into->value = least_not_0(into->value, value);
		break;
	case METRIC_REDUCTION_RANGE:
		if (first || (int64_t)value < into->range.least)
			into->range.least = (int64_t)value;
		if (first || (int64_t)value > into->range.most)
			into->range.most = (int64_t)value;
		break;
	case METRIC_REDUCTION_MODE:
		tally_add(into, value);
		break;
	case METRIC_REDUCTION_CPUS:
		if (first || value < into->cpus.least)
			into->cpus.least = (uint32_t)value;
		if (first || value > into->cpus.most)
			into->cpus.most = (uint32_t)value;
		if (first)
			into->cpus.list = sample->cpu_affinity;
		else if (into->cpus.list != sample->cpu_affinity)
			into->cpus.list = METRIC_SAMPLE_NO_ENTRY;
		break;
	}
	into->measured++;
}

void metric_reduced_deinit(struct metric_reduced *value, enum metric_kind kind)
{
	if (metric_reduction(kind) == METRIC_REDUCTION_MODE)
		free(value->tally.at);
	*value = (struct metric_reduced){ 0 };
}

bool metric_reduced_is_absent(const struct metric_reduced *value, enum metric_kind kind)
{
	return value->measured == 0 && kind != METRIC_KIND_TALLY;
}

bool metric_reduced_is_zero(const struct metric_reduced *value, enum metric_kind kind)
{
	if (metric_reduced_is_absent(value, kind))
		return false;
	switch (metric_reduction(kind)) {
	case METRIC_REDUCTION_COUNT:
	case METRIC_REDUCTION_SUM:
	case METRIC_REDUCTION_LARGEST:
	case METRIC_REDUCTION_LEAST:
		return value->value == 0;
	case METRIC_REDUCTION_RANGE:
		return value->range.least == 0 && value->range.most == 0;
	case METRIC_REDUCTION_MODE:
	case METRIC_REDUCTION_CPUS:
		break;
	}
	return false;
}

bool metric_reduced_scalar(const struct metric_reduced *value, enum metric_kind kind,
			   long double *ret)
{
	if (metric_reduced_is_absent(value, kind))
		return false;
	switch (metric_reduction(kind)) {
	case METRIC_REDUCTION_COUNT:
	case METRIC_REDUCTION_SUM:
	case METRIC_REDUCTION_LARGEST:
	case METRIC_REDUCTION_LEAST:
		*ret = value->value;
		return true;
	case METRIC_REDUCTION_RANGE:
		*ret = ((long double)value->range.least + value->range.most) / 2;
		return true;
	case METRIC_REDUCTION_CPUS:
		*ret = ((long double)value->cpus.least + value->cpus.most) / 2;
		return true;
	case METRIC_REDUCTION_MODE:
		break;
	}
	return false;
}

void metric_label_format(enum metric_kind kind, uint64_t value, struct strbuf *into)
{
	if (kind == METRIC_KIND_POLICY)
		metric_policy_format(value, into);
	else if (kind == METRIC_KIND_FLAG)
		strbuf_append(into, value ? "true" : "false");
	else
		strbuf_append_char(into, (char)value);
}

static bool sorts_before(enum metric_kind kind, uint64_t a, uint64_t b)
{
	_cleanup_strbuf_ struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;

	metric_label_format(kind, a, &x);
	metric_label_format(kind, b, &y);
	return strcmp(strbuf_str(&x), strbuf_str(&y)) < 0;
}

bool metric_reduced_mode(const struct metric_reduced *value, enum metric_kind kind,
			 struct metric_tally_entry *ret)
{
	const struct metric_tally_entry *best = NULL;

	if (metric_reduced_is_absent(value, kind) ||
	    metric_reduction(kind) != METRIC_REDUCTION_MODE)
		return false;
	for (uint32_t i = 0; i < value->tally.n; i++) {
		const struct metric_tally_entry *entry = &value->tally.at[i];

		if (!best || entry->count > best->count ||
		    (entry->count == best->count && sorts_before(kind, entry->value, best->value)))
			best = entry;
	}
	if (!best)
		return false;
	*ret = *best;
	return true;
}

#define DERIVED(id, name_, unit_, section_, form_, description_, ...)                     \
	{ .name = name_,                                                                  \
	  .unit = METRIC_UNIT_##unit_,                                                    \
	  .section = METRIC_SECTION_##section_,                                           \
	  .form = METRIC_DERIVED_FORM_##form_,                                            \
	  .description = description_,                                                    \
	  .n_inputs = sizeof((enum metric_id[]){ __VA_ARGS__ }) / sizeof(enum metric_id), \
	  .inputs = { __VA_ARGS__ } },
const struct metric_derived metric_derived[METRIC_N_DERIVED] = {
#include "metric/derived.def"
};
#undef DERIVED

static bool divide(long double above, long double below, long double *ret)
{
	if (below == 0)
		return false;
	*ret = above / below;
	return true;
}

static long double sum_and_larger(const long double *in, size_t n)
{
	long double sum = 0;

	for (size_t i = 0; i + 2 < n; i++)
		sum += in[i];
	return sum + (in[n - 2] > in[n - 1] ? in[n - 2] : in[n - 1]);
}

struct metric_derived_value metric_derived_compute(enum metric_derived_id id,
						   const struct metric_reduced *values)
{
	const struct metric_derived *row = &metric_derived[id];
	struct metric_derived_value result = { .measured = UINT32_MAX };
	long double in[METRIC_LIMIT_DERIVED_INPUTS] = { 0 };

	for (size_t i = 0; i < row->n_inputs; i++) {
		const struct metric_reduced *input = &values[row->inputs[i]];

		if (!metric_reduced_scalar(input, metric_rows[row->inputs[i]].kind, &in[i]))
			return (struct metric_derived_value){ .of = input->of };
		if (input->measured < result.measured) {
			result.measured = input->measured;
			result.of = input->of;
		}
	}
	switch (row->form) {
	case METRIC_DERIVED_FORM_QUOTIENT:
		result.known = divide(in[0], in[1], &result.value);
		break;
	case METRIC_DERIVED_FORM_SHARE:
		result.known = divide(in[0], in[0] + in[1], &result.value);
		break;
	case METRIC_DERIVED_FORM_DIFFERENCE:
		result.known = true;
		result.value = in[0] - in[1];
		break;
	case METRIC_DERIVED_FORM_SUM_AND_LARGER:
		result.known = true;
		result.value = sum_and_larger(in, row->n_inputs);
		break;
	}
	return result;
}

void metric_derived_format_formula(enum metric_derived_id id, struct strbuf *into)
{
	const struct metric_derived *row = &metric_derived[id];
	const char *a = metric_rows[row->inputs[0]].name, *b = metric_rows[row->inputs[1]].name;

	switch (row->form) {
	case METRIC_DERIVED_FORM_QUOTIENT:
		strbuf_appendf(into, "%s / %s", a, b);
		break;
	case METRIC_DERIVED_FORM_SHARE:
		strbuf_appendf(into, "%s / (%s + %s)", a, a, b);
		break;
	case METRIC_DERIVED_FORM_DIFFERENCE:
		strbuf_appendf(into, "%s - %s", a, b);
		break;
	case METRIC_DERIVED_FORM_SUM_AND_LARGER:
		for (size_t i = 0; i + 2 < row->n_inputs; i++)
			strbuf_appendf(into, "%s + ", metric_rows[row->inputs[i]].name);
		strbuf_appendf(into, "max(%s, %s)",
			       metric_rows[row->inputs[row->n_inputs - 2]].name,
			       metric_rows[row->inputs[row->n_inputs - 1]].name);
		break;
	}
}
