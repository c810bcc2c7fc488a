// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#include <string.h>

#include "base/alloc.h"
#include "ctprof/file/load.h"
#include "metric/policy.h"

/* What a state is written as when nobody knows it; it sorts behind every letter. */
#define STATE_ABSENT '~'

/* Members that are no metric: X(id, name). */
#define THREAD_MEMBERS(X)                           \
	X(TID, "tid")                               \
	X(TGID, "tgid")                             \
	X(PCOMM, "pcomm")                           \
	X(COMM, "comm")                             \
	X(CGROUP, "cgroup")                         \
	X(START, "start_time_clock_ticks")          \
	X(SMAPS, "smaps_rollup_kib")                \
	X(TASKSTATS_MEASURED, "taskstats_measured") \
	X(CPU_DELAY_ACTIVE, "cpu_delay_active")     \
	X(DELAY_BLOCK_ACTIVE, "delay_block_active") \
	X(XACCT_ACTIVE, "xacct_active")             \
	X(JEMALLOC_MEASURED, "jemalloc_measured")   \
	X(PRESENCE, "presence")                     \
	X(READ_AT, "read_at_ns")

#define MEMBER_(id, name) MEMBER_##id,
enum { MEMBER_BEFORE_ = METRIC_N - 1, THREAD_MEMBERS(MEMBER_) N_MEMBERS };
#undef MEMBER_
/* N_MEMBERS: a name we do not know. */
#define MEMBER_NAME_(id, name) [MEMBER_##id - METRIC_N] = (name),
static const char *const member_names[] = { THREAD_MEMBERS(MEMBER_NAME_) };
#undef MEMBER_NAME_

static const char *member_name(int member)
{
	return member < METRIC_N ? metric_rows[member].name : member_names[member - METRIC_N];
}

void ctprof_named_write(const struct intern *strings, const struct procfs_named_readings *rows,
			struct json_writer *w)
{
	json_begin_object(w);
	for (size_t i = 0; i < rows->rows.n; i++)
		json_add_u64(w, intern_text(strings, rows->rows.at[i].name),
			     rows->rows.at[i].value);
	json_end_object(w);
}

static void write_cpus(const struct ctprof_snapshot *snapshot,
		       const struct metric_thread_sample *sample, struct json_writer *w)
{
	json_begin_array(w);
	if (metric_sample_knows(sample, METRIC_CPU_AFFINITY) &&
	    sample->cpu_affinity != METRIC_SAMPLE_NO_ENTRY) {
		const struct ctprof_cpu_list *list = &snapshot->cpu_lists.at[sample->cpu_affinity];

		for (size_t i = 0; i < list->n; i++)
			json_write_u64(w, list->at[i]);
	}
	json_end_array(w);
}

static void write_metric(const struct ctprof_snapshot *snapshot,
			 const struct metric_thread_sample *sample, enum metric_id id,
			 struct json_writer *w)
{
	bool known = metric_sample_knows(sample, id);
	uint64_t value = known ? sample->values[id] : 0;

	json_key(w, metric_rows[id].name);
	switch (metric_rows[id].kind) {
	case METRIC_KIND_ORDINAL:
		json_write_i64(w, (int64_t)value);
		break;
	case METRIC_KIND_POLICY: {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

		if (known)
			metric_policy_format(value, &name);
		json_write_string(w, strbuf_str(&name));
		break;
	}
	case METRIC_KIND_STATE: {
		char letter = known ? (char)value : STATE_ABSENT;

		json_write_string_n(w, &letter, 1);
		break;
	}
	case METRIC_KIND_FLAG:
		json_write_bool(w, value != 0);
		break;
	case METRIC_KIND_CPUSET:
		write_cpus(snapshot, sample, w);
		break;
	default:
		json_write_u64(w, value);
	}
}

void ctprof_thread_write(const struct ctprof_snapshot *snapshot,
			 const struct metric_thread_sample *sample, uint32_t presence,
			 struct json_writer *w)
{
	const struct intern *strings = &snapshot->strings;
	const struct procfs_named_readings none = { 0 };
	bool cpu = sample->sources & METRIC_SOURCE_BIT(DELAY_CPU);
	bool block = sample->sources & METRIC_SOURCE_BIT(DELAY_BLOCK);
	bool xacct = sample->sources & METRIC_SOURCE_BIT(XACCT);

	json_begin_object(w);
	json_add_u64(w, "tid", sample->tid);
	json_add_u64(w, "tgid", sample->tgid);
	json_add_string(w, "pcomm", intern_text(strings, sample->pcomm));
	json_add_string(w, "comm", intern_text(strings, sample->comm));
	json_add_string(w, "cgroup", intern_text(strings, sample->cgroup));
	json_add_u64(w, "start_time_clock_ticks", sample->start_ticks);
	for (int i = 0; i < METRIC_N; i++) {
		if (metric_rows[i].source != METRIC_SOURCE_NONE)
			write_metric(snapshot, sample, (enum metric_id)i, w);
	}
	json_key(w, "smaps_rollup_kib");
	ctprof_named_write(strings,
			   sample->smaps == METRIC_SAMPLE_NO_ENTRY
				   ? &none
				   : &snapshot->smaps.at[sample->smaps],
			   w);
	json_add_bool(w, "taskstats_measured", sample->taskstats_ok);
	json_add_bool(w, "cpu_delay_active", cpu);
	json_add_bool(w, "delay_block_active", block);
	json_add_bool(w, "xacct_active", xacct);
	json_add_bool(w, "jemalloc_measured", sample->sources & METRIC_SOURCE_BIT(HEAP));
	json_add_u64(w, "presence", presence);
	json_add_u64(w, "read_at_ns", sample->read_at_ns);
	json_end_object(w);
}

static int find_member(struct json_text key)
{
	for (int i = 0; i < N_MEMBERS; i++) {
		if (json_text_is(key, member_name(i)))
			return i;
	}
	return N_MEMBERS;
}

/* Threads of one file have the same members in the same order, nearly always. */
static int member_at(struct ctprof_thread_hints *hints, size_t index, struct json_text key)
{
	int member;

	if (index < hints->members.n) {
		member = hints->members.at[index];
		if (member < N_MEMBERS && json_text_is(key, member_name(member)))
			return member;
	}
	member = find_member(key);
	if (index < hints->members.n)
		hints->members.at[index] = (uint16_t)member;
	else if (index < 2 * N_MEMBERS)
		vec_push(&hints->members, (uint16_t)member);
	return member;
}

static struct error *load_cpus(const struct json_value *value, const struct ctprof_place *place,
			       struct ctprof_snapshot *snapshot,
			       struct metric_thread_sample *sample)
{
	struct json_iter it = json_iter_over(value);
	struct error *err = ctprof_value_expect(value, place, JSON_ARRAY);
	_cleanup_free_ uint32_t *ids = NULL;
	size_t n = json_length(value);

	if (err || !ctprof_value_is_there(value))
		return err;
	if (n > CTPROF_LIMIT_CPUS)
		return ctprof_place_error(place, "%zu CPUs are past the limit of %d", n,
					  CTPROF_LIMIT_CPUS);
	if (n)
		ids = xcalloc(n, sizeof(*ids));
	while (json_iter_next(&it)) {
		struct ctprof_place at = { .outer = place, .index = it.index };
		int64_t id;
		bool there;

		err = ctprof_value_i64(it.value, &at, 0, UINT32_MAX, &id, &there);
		if (!err && !there)
			err = ctprof_place_error(&at, "expected a number");
		if (!err && it.index && (uint32_t)id <= ids[it.index - 1])
			err = ctprof_place_error(&at, "CPUs must ascend");
		if (err)
			return err;
		ids[it.index] = (uint32_t)id;
	}
	sample->cpu_affinity = ctprof_snapshot_add_cpu_list(snapshot, ids, n);
	metric_sample_set(sample, METRIC_CPU_AFFINITY, n);
	return NULL;
}

static struct error *load_metric(const struct json_value *value, const struct ctprof_place *place,
				 struct ctprof_snapshot *snapshot, enum metric_id id,
				 struct metric_thread_sample *sample)
{
	struct error *err = NULL;
	bool there = false;

	switch (metric_rows[id].kind) {
	case METRIC_KIND_TALLY:
		return NULL;
	case METRIC_KIND_ORDINAL: {
		int64_t number;

		err = ctprof_value_i64(value, place, INT32_MIN, UINT32_MAX, &number, &there);
		if (!err && there)
			metric_sample_set(sample, id, (uint64_t)number);
		return err;
	}
	case METRIC_KIND_POLICY: {
		struct json_text text = json_string(value);
		uint64_t policy;

		err = ctprof_value_expect(value, place, JSON_STRING);
		if (err || text.n == 0)
			return err;
		if (!metric_policy_parse(text.at, text.n, &policy))
			return ctprof_place_error(place, "'%s' is not a scheduling policy",
						  text.at);
		metric_sample_set(sample, id, policy);
		return NULL;
	}
	case METRIC_KIND_STATE: {
		struct json_text text = json_string(value);

		err = ctprof_value_expect(value, place, JSON_STRING);
		if (err || !text.at)
			return err;
		if (text.n != 1)
			return ctprof_place_error(place, "'%s' is not one letter", text.at);
		if (text.at[0] != STATE_ABSENT)
			metric_sample_set(sample, id, (unsigned char)text.at[0]);
		return NULL;
	}
	case METRIC_KIND_FLAG: {
		bool flag;

		err = ctprof_value_bool(value, place, &flag, &there);
		if (!err && there)
			metric_sample_set(sample, id, flag);
		return err;
	}
	case METRIC_KIND_CPUSET:
		return load_cpus(value, place, snapshot, sample);
	default: {
		uint64_t number;

		err = ctprof_value_u64(value, place, &number, &there);
		if (!err && there)
			metric_sample_set(sample, id, number);
		return err;
	}
	}
}

static struct error *load_smaps(const struct json_value *value, const struct ctprof_place *place,
				struct ctprof_snapshot *snapshot,
				struct metric_thread_sample *sample)
{
	struct procfs_named_readings rows = { 0 };
	struct error *err = ctprof_value_named(value, place, &snapshot->strings, &rows);

	if (err || rows.rows.n == 0)
		return err;
	/* A second one in the same object: the table of the first has no owner otherwise. */
	if (sample->smaps != METRIC_SAMPLE_NO_ENTRY) {
		vec_deinit(&rows.rows);
		return ctprof_place_error(place, "given twice");
	}
	sample->smaps = (uint32_t)snapshot->smaps.n;
	vec_push(&snapshot->smaps, rows);
	return NULL;
}

static struct error *load_number_u32(const struct json_value *value,
				     const struct ctprof_place *place, uint32_t *ret)
{
	int64_t number = *ret;
	struct error *err = ctprof_value_i64(value, place, 0, UINT32_MAX, &number, NULL);

	if (!err)
		*ret = (uint32_t)number;
	return err;
}

static struct error *load_member(int member, const struct json_value *value,
				 const struct ctprof_place *place, struct ctprof_snapshot *snapshot,
				 struct metric_thread_sample *sample,
				 struct ctprof_thread_marks *marks)
{
	struct intern *strings = &snapshot->strings;

	switch (member) {
	case MEMBER_TID:
		return load_number_u32(value, place, &sample->tid);
	case MEMBER_TGID:
		return load_number_u32(value, place, &sample->tgid);
	case MEMBER_PCOMM:
		return ctprof_value_string(value, place, strings, &sample->pcomm);
	case MEMBER_COMM:
		return ctprof_value_string(value, place, strings, &sample->comm);
	case MEMBER_CGROUP:
		return ctprof_value_string(value, place, strings, &sample->cgroup);
	case MEMBER_START:
		return ctprof_value_u64(value, place, &sample->start_ticks, NULL);
	case MEMBER_SMAPS:
		return load_smaps(value, place, snapshot, sample);
	case MEMBER_TASKSTATS_MEASURED:
		return ctprof_value_bool(value, place, &marks->taskstats_measured, NULL);
	case MEMBER_CPU_DELAY_ACTIVE:
		return ctprof_value_bool(value, place, &marks->cpu_delay_active, NULL);
	case MEMBER_DELAY_BLOCK_ACTIVE:
		return ctprof_value_bool(value, place, &marks->delay_block_active, NULL);
	case MEMBER_XACCT_ACTIVE:
		return ctprof_value_bool(value, place, &marks->xacct_active, NULL);
	case MEMBER_JEMALLOC_MEASURED:
		return ctprof_value_bool(value, place, &marks->jemalloc_measured, NULL);
	case MEMBER_PRESENCE:
		return load_number_u32(value, place, &marks->set);
	case MEMBER_READ_AT:
		return ctprof_value_u64(value, place, &sample->read_at_ns, NULL);
	case N_MEMBERS:
		return NULL;
	default:
		return load_metric(value, place, snapshot, (enum metric_id)member, sample);
	}
}

struct error *ctprof_thread_load(const struct json_value *value, const struct ctprof_place *place,
				 struct ctprof_snapshot *snapshot,
				 struct ctprof_thread_hints *hints,
				 struct metric_thread_sample *ret,
				 struct ctprof_thread_marks *ret_marks)
{
	struct json_iter it = json_iter_over(value);
	struct error *err;

	if (json_type_of(value) != JSON_OBJECT)
		return ctprof_place_error(place, "expected an object");
	memset(ret, 0, sizeof(*ret));
	ret->cpu_affinity = METRIC_SAMPLE_NO_ENTRY;
	ret->smaps = METRIC_SAMPLE_NO_ENTRY;
	*ret_marks = (struct ctprof_thread_marks){ .set = CTPROF_THREAD_NO_SET };
	while (json_iter_next(&it)) {
		struct ctprof_place at = { .outer = place, .key = it.key.at };

		err = load_member(member_at(hints, it.index, it.key), it.value, &at, snapshot, ret,
				  ret_marks);
		if (err)
			return err;
	}
	if (ret->tid == 0)
		return ctprof_place_error(place, "has no tid");
	if (ret->tgid == 0)
		return ctprof_place_error(place, "has no tgid");
	return NULL;
}
