// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#include <string.h>

#include "base/alloc.h"
#include "ctprof/file/load.h"
#include "metric/format.h"

/* The state written when it is unknown; it sorts after every letter. */
#define STATE_ABSENT '~'

/* Members that are not metrics; the metrics follow the first of them. */
#define ROW_(key, type, member) { CTPROF_MEMBER(struct metric_thread_sample, member, key, type) }
#define SOURCE_(key, id)                                                    \
	{ CTPROF_MEMBER(struct metric_thread_sample, sources, key, SOURCE), \
	  .source = METRIC_SOURCE_##id }
enum { N_BEFORE_METRICS = 6 };
static const struct ctprof_member rows[] = {
	ROW_("tid", U32, tid),
	ROW_("tgid", U32, tgid),
	ROW_("pcomm", TEXT, pcomm),
	ROW_("comm", TEXT, comm),
	ROW_("cgroup", TEXT, cgroup),
	ROW_("start_time_clock_ticks", U64, start_ticks),
	ROW_("smaps_rollup_kib", SMAPS, smaps),
	ROW_("taskstats_measured", BOOL, taskstats_ok),
	SOURCE_("cpu_delay_active", DELAY_CPU),
	SOURCE_("delay_block_active", DELAY_BLOCK),
	SOURCE_("xacct_active", XACCT),
	SOURCE_("jemalloc_measured", HEAP),
	{ .key = "presence", .type = CTPROF_MEMBER_SET },
	ROW_("read_at_ns", U64, read_at_ns),
};

/* A metric, or METRIC_N and the index of a row; N_MEMBERS: a name we do not know. */
enum { N_MEMBERS = METRIC_N + ARRAY_SIZE(rows) };

static const char *member_name(int member)
{
	return member < METRIC_N ? metric_rows[member].name : rows[member - METRIC_N].key;
}

void ctprof_named_write(const struct intern *strings, const struct procfs_named_readings *table,
			struct json_writer *w)
{
	json_begin_object(w);
	for (size_t i = 0; i < table->rows.n; i++)
		json_add_u64(w, intern_text(strings, table->rows.at[i].name),
			     table->rows.at[i].value);
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
	const struct procfs_named_readings none = { 0 };

	json_begin_object(w);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (int id = 0; i == N_BEFORE_METRICS && id < METRIC_N; id++) {
			if (metric_rows[id].source != METRIC_SOURCE_NONE)
				write_metric(snapshot, sample, (enum metric_id)id, w);
		}
		if (rows[i].type == CTPROF_MEMBER_SET) {
			json_add_u64(w, rows[i].key, presence);
		} else if (rows[i].type == CTPROF_MEMBER_SMAPS) {
			json_key(w, rows[i].key);
			ctprof_named_write(&snapshot->strings,
					   sample->smaps == METRIC_SAMPLE_NO_ENTRY
						   ? &none
						   : &snapshot->smaps.at[sample->smaps],
					   w);
		} else {
			ctprof_member_write(&rows[i], &snapshot->strings, sample, w);
		}
	}
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

static struct error *load_cpus(const struct ctprof_value *value, struct ctprof_snapshot *snapshot,
			       struct metric_thread_sample *sample)
{
	struct json_iter it = json_iter_over(value->json);
	struct error *err = ctprof_value_expect(value, JSON_ARRAY);
	_cleanup_free_ uint32_t *ids = NULL;
	size_t n = json_length(value->json);

	if (err || !ctprof_value_is_there(value))
		return err;
	if (n > CTPROF_LIMIT_CPUS)
		return ctprof_value_error(value, "%zu CPUs are past the limit of %d", n,
					  CTPROF_LIMIT_CPUS);
	if (n)
		ids = xcalloc(n, sizeof(*ids));
	while (json_iter_next(&it)) {
		struct ctprof_value at = ctprof_value_at(value, &it);
		int64_t id = -1;

		err = ctprof_value_i64(&at, 0, UINT32_MAX, &id);
		if (!err && id < 0)
			err = ctprof_value_error(&at, "expected a number");
		if (!err && it.index && (uint32_t)id <= ids[it.index - 1])
			err = ctprof_value_error(&at, "CPUs must ascend");
		if (err)
			return err;
		ids[it.index] = (uint32_t)id;
	}
	sample->cpu_affinity = ctprof_snapshot_add_cpu_list(snapshot, ids, n);
	metric_sample_set(sample, METRIC_CPU_AFFINITY, n);
	return NULL;
}

static struct error *load_policy(const struct ctprof_value *value, uint64_t *ret, bool *ret_there)
{
	struct json_text text = json_string(value->json);
	struct error *err = ctprof_value_expect(value, JSON_STRING);

	*ret_there = text.n > 0;
	if (err || !text.n || metric_policy_parse(text.at, text.n, ret))
		return err;
	return ctprof_value_error(value, "'%s' is not a scheduling policy", text.at);
}

static struct error *load_state(const struct ctprof_value *value, uint64_t *ret, bool *ret_there)
{
	struct json_text text = json_string(value->json);
	struct error *err = ctprof_value_expect(value, JSON_STRING);

	if (!err && text.at && text.n != 1)
		return ctprof_value_error(value, "'%s' is not one letter", text.at);
	*ret_there = text.at && text.at[0] != STATE_ABSENT;
	*ret = text.at ? (unsigned char)text.at[0] : 0;
	return err;
}

static struct error *load_metric(const struct ctprof_value *value, struct ctprof_snapshot *snapshot,
				 enum metric_id id, struct metric_thread_sample *sample)
{
	bool there = ctprof_value_is_there(value), flag = false;
	struct error *err;
	uint64_t number = 0;

	switch (metric_rows[id].kind) {
	case METRIC_KIND_TALLY:
		return NULL;
	case METRIC_KIND_ORDINAL:
		err = ctprof_value_i64(value, INT32_MIN, UINT32_MAX, (int64_t *)&number);
		break;
	case METRIC_KIND_POLICY:
		err = load_policy(value, &number, &there);
		break;
	case METRIC_KIND_STATE:
		err = load_state(value, &number, &there);
		break;
	case METRIC_KIND_FLAG:
		err = ctprof_value_bool(value, &flag);
		number = flag;
		break;
	case METRIC_KIND_CPUSET:
		return load_cpus(value, snapshot, sample);
	default:
		err = ctprof_value_u64(value, &number);
	}
	if (!err && there)
		metric_sample_set(sample, id, number);
	return err;
}

static struct error *load_smaps(const struct ctprof_value *value, struct ctprof_snapshot *snapshot,
				struct metric_thread_sample *sample)
{
	struct procfs_named_readings kinds = { 0 };
	struct error *err = ctprof_value_named(value, &snapshot->strings, &kinds);

	if (err || kinds.rows.n == 0)
		return err;
	/* A second one in the same object: the table of the first has no owner otherwise. */
	if (sample->smaps != METRIC_SAMPLE_NO_ENTRY) {
		vec_deinit(&kinds.rows);
		return ctprof_value_error(value, "given twice");
	}
	sample->smaps = (uint32_t)snapshot->smaps.n;
	vec_push(&snapshot->smaps, kinds);
	return NULL;
}

static struct error *load_member(int member, const struct ctprof_value *value,
				 struct ctprof_snapshot *snapshot,
				 struct metric_thread_sample *sample, uint32_t *set)
{
	struct ctprof_member number = { .type = CTPROF_MEMBER_U32 };
	const struct ctprof_member *row;

	if (member < METRIC_N)
		return load_metric(value, snapshot, (enum metric_id)member, sample);
	if (member == N_MEMBERS)
		return NULL;
	row = &rows[member - METRIC_N];
	if (row->type == CTPROF_MEMBER_SMAPS)
		return load_smaps(value, snapshot, sample);
	if (row->type == CTPROF_MEMBER_SET)
		return ctprof_member_load(&number, value, NULL, set);
	return ctprof_member_load(row, value, &snapshot->strings, sample);
}

struct error *ctprof_thread_load(const struct ctprof_value *value, struct ctprof_snapshot *snapshot,
				 struct ctprof_thread_hints *hints,
				 struct metric_thread_sample *ret, uint32_t *ret_set)
{
	struct json_iter it = json_iter_over(value->json);
	struct error *err;

	if (json_type_of(value->json) != JSON_OBJECT)
		return ctprof_value_error(value, "expected an object");
	memset(ret, 0, sizeof(*ret));
	ret->cpu_affinity = METRIC_SAMPLE_NO_ENTRY;
	ret->smaps = METRIC_SAMPLE_NO_ENTRY;
	*ret_set = CTPROF_THREAD_NO_SET;
	while (json_iter_next(&it)) {
		struct ctprof_value at = ctprof_value_at(value, &it);

		err = load_member(member_at(hints, it.index, it.key), &at, snapshot, ret, ret_set);
		if (err)
			return err;
	}
	if (ret->tid == 0)
		return ctprof_value_error(value, "has no tid");
	if (ret->tgid == 0)
		return ctprof_value_error(value, "has no tgid");
	return NULL;
}
