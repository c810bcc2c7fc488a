// SPDX-License-Identifier: LGPL-2.1-or-later
#include "metric/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "metric/policy.h"

enum reduction metric_reduction(enum metric_kind kind)
{
	static const enum reduction reductions[N_METRIC_KINDS] = {
		[METRIC_KIND_TALLY] = REDUCTION_COUNT,	 [METRIC_KIND_SUM] = REDUCTION_SUM,
		[METRIC_KIND_PEAK] = REDUCTION_LARGEST,	 [METRIC_KIND_LEAST] = REDUCTION_LEAST,
		[METRIC_KIND_GAUGE] = REDUCTION_LARGEST, [METRIC_KIND_ORDINAL] = REDUCTION_RANGE,
		[METRIC_KIND_POLICY] = REDUCTION_MODE,	 [METRIC_KIND_STATE] = REDUCTION_MODE,
		[METRIC_KIND_FLAG] = REDUCTION_MODE,	 [METRIC_KIND_CPUSET] = REDUCTION_CPUS,
	};

	return reductions[kind];
}

static uint64_t least_not_0(uint64_t a, uint64_t b)
{
	if (a == 0 || b == 0)
		return a ? a : b;
	return a < b ? a : b;
}

static void tally_add(struct reduced *into, uint64_t value, uint64_t count)
{
	for (uint32_t i = 0; i < into->tally.n; i++) {
		if (into->tally.at[i].value == value) {
			into->tally.at[i].count += count;
			return;
		}
	}
	if (into->tally.n == into->tally.capacity) {
		into->tally.capacity = into->tally.capacity ? 2 * into->tally.capacity : 2;
		into->tally.at = xreallocarray(into->tally.at, into->tally.capacity,
					       sizeof(*into->tally.at));
	}
	into->tally.at[into->tally.n++] = (struct tally_entry){ value, count };
}

/* `value` holds what is to be taken in; into->measured still tells what was there before. */
static void take(struct reduced *into, enum metric_kind kind, const struct reduced *value)
{
	bool first = into->measured == 0;

	switch (metric_reduction(kind)) {
	case REDUCTION_COUNT:
	case REDUCTION_SUM:
		into->value = add_saturating_u64(into->value, value->value);
		break;
	case REDUCTION_LARGEST:
		if (value->value > into->value)
			into->value = value->value;
		break;
	case REDUCTION_LEAST:
		into->value = least_not_0(into->value, value->value);
		break;
	case REDUCTION_RANGE:
		if (first || value->range.least < into->range.least)
			into->range.least = value->range.least;
		if (first || value->range.most > into->range.most)
			into->range.most = value->range.most;
		break;
	case REDUCTION_MODE:
		for (uint32_t i = 0; i < value->tally.n; i++)
			tally_add(into, value->tally.at[i].value, value->tally.at[i].count);
		break;
	case REDUCTION_CPUS:
		if (first || value->cpus.least < into->cpus.least)
			into->cpus.least = value->cpus.least;
		if (first || value->cpus.most > into->cpus.most)
			into->cpus.most = value->cpus.most;
		if (first)
			into->cpus.list = value->cpus.list;
		else if (into->cpus.list != value->cpus.list)
			into->cpus.list = SAMPLE_NO_ENTRY;
		break;
	}
}

/* Only a leader has what belongs to the process. */
static bool applies(enum metric_id id, const struct thread_sample *sample)
{
	return id != METRIC_NR_THREADS || sample->tid == sample->tgid;
}

void reduced_add(struct reduced *into, enum metric_id id, const struct thread_sample *sample)
{
	enum metric_kind kind = metric_rows[id].kind;
	uint64_t raw = sample->values[id];
	struct tally_entry entry = { raw, 1 };
	struct reduced one = { .measured = 1 };

	if (!applies(id, sample))
		return;
	into->of++;
	if (kind != METRIC_KIND_TALLY && !sample_knows(sample, id))
		return;
	switch (metric_reduction(kind)) {
	case REDUCTION_COUNT:
		one.value = 1;
		break;
	case REDUCTION_SUM:
	case REDUCTION_LARGEST:
	case REDUCTION_LEAST:
		one.value = raw;
		break;
	case REDUCTION_RANGE:
		one.range.least = one.range.most = (int64_t)raw;
		break;
	case REDUCTION_MODE:
		one.tally.at = &entry;
		one.tally.n = 1;
		break;
	case REDUCTION_CPUS:
		one.cpus.least = one.cpus.most = (uint32_t)raw;
		one.cpus.list = sample->cpu_affinity;
		break;
	}
	take(into, kind, &one);
	into->measured++;
}

void reduced_merge(struct reduced *into, enum metric_kind kind, const struct reduced *other)
{
	into->of += other->of;
	if (other->measured == 0)
		return;
	take(into, kind, other);
	into->measured += other->measured;
}

void reduced_deinit(struct reduced *value, enum metric_kind kind)
{
	if (metric_reduction(kind) == REDUCTION_MODE)
		free(value->tally.at);
	*value = (struct reduced){ 0 };
}

bool reduced_is_absent(const struct reduced *value, enum metric_kind kind)
{
	return value->measured == 0 && kind != METRIC_KIND_TALLY;
}

bool reduced_is_zero(const struct reduced *value, enum metric_kind kind)
{
	if (reduced_is_absent(value, kind))
		return false;
	switch (metric_reduction(kind)) {
	case REDUCTION_COUNT:
	case REDUCTION_SUM:
	case REDUCTION_LARGEST:
	case REDUCTION_LEAST:
		return value->value == 0;
	case REDUCTION_RANGE:
		return value->range.least == 0 && value->range.most == 0;
	case REDUCTION_MODE:
	case REDUCTION_CPUS:
		break;
	}
	return false;
}

bool reduced_scalar(const struct reduced *value, enum metric_kind kind, long double *ret)
{
	if (reduced_is_absent(value, kind))
		return false;
	switch (metric_reduction(kind)) {
	case REDUCTION_COUNT:
	case REDUCTION_SUM:
	case REDUCTION_LARGEST:
	case REDUCTION_LEAST:
		*ret = value->value;
		return true;
	case REDUCTION_RANGE:
		*ret = ((long double)value->range.least + value->range.most) / 2;
		return true;
	case REDUCTION_CPUS:
		*ret = ((long double)value->cpus.least + value->cpus.most) / 2;
		return true;
	case REDUCTION_MODE:
		break;
	}
	return false;
}

void label_format(enum metric_kind kind, uint64_t value, struct strbuf *into)
{
	if (kind == METRIC_KIND_POLICY)
		policy_format(value, into);
	else if (kind == METRIC_KIND_FLAG)
		strbuf_append(into, value ? "true" : "false");
	else
		strbuf_append_char(into, (char)value);
}

static bool sorts_before(enum metric_kind kind, uint64_t a, uint64_t b)
{
	_cleanup_strbuf_ struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;

	label_format(kind, a, &x);
	label_format(kind, b, &y);
	return strcmp(strbuf_str(&x), strbuf_str(&y)) < 0;
}

bool reduced_mode(const struct reduced *value, enum metric_kind kind, struct tally_entry *ret)
{
	const struct tally_entry *best = NULL;

	if (reduced_is_absent(value, kind) || metric_reduction(kind) != REDUCTION_MODE)
		return false;
	for (uint32_t i = 0; i < value->tally.n; i++) {
		const struct tally_entry *entry = &value->tally.at[i];

		if (!best || entry->count > best->count ||
		    (entry->count == best->count && sorts_before(kind, entry->value, best->value)))
			best = entry;
	}
	if (!best)
		return false;
	*ret = *best;
	return true;
}
