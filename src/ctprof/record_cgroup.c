// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/record.h"

#include <string.h>

enum member_type {
	MEMBER_READING,
	MEMBER_PERIOD,	 /* a reading that is the kernel's default when unknown */
	MEMBER_OPTIONAL, /* a reading that is null when unknown */
	MEMBER_LIMIT,	 /* null when there is none */
	MEMBER_FLOOR,	 /* 2^64 - 1 when all is protected, null when unknown */
	MEMBER_NAMED,
	MEMBER_NICE,
	MEMBER_STRING,
};

/* Members that other readers of the format rely on are written even when they are not known. */
static const struct member {
	const char *group, *key, *name;
	enum member_type type;
	bool always;
	size_t offset;
} members[] = {
#define ROW_(group, key, type, always, member) \
	{ group, key, group "." key, MEMBER_##type, always, offsetof(struct cgroup_stats, member) },
	ROW_("cpu", "usage_usec", READING, true, cpu.usage_usec) ROW_(
		"cpu", "nr_throttled", READING, true,
		cpu.nr_throttled) ROW_("cpu", "throttled_usec", READING, true,
				       cpu.throttled_usec) ROW_("cpu", "max_quota_us", LIMIT, true,
								cpu.max_quota_us)
		ROW_("cpu", "max_period_us", PERIOD, true, cpu.max_period_us) ROW_(
			"cpu", "weight", OPTIONAL, true,
			cpu.weight) ROW_("cpu", "weight_nice", NICE, true,
					 cpu.weight_nice) ROW_("cpu", "user_usec", READING, false,
							       cpu.user_usec) ROW_("cpu",
										   "system_usec",
										   READING, false,
										   cpu.system_usec)
			ROW_("cpu", "nr_periods", READING, false, cpu.nr_periods) ROW_(
				"cpu", "nr_bursts", READING, false,
				cpu.nr_bursts) ROW_("cpu", "burst_usec", READING, false,
						    cpu.burst_usec) ROW_("memory", "current",
									 READING, true,
									 memory.current)
				ROW_("memory", "max", LIMIT, true, memory.max) ROW_(
					"memory", "high", LIMIT,
					true,
					memory.high) ROW_("memory", "low", FLOOR, true, memory.low)
					ROW_("memory", "min", FLOOR, true, memory.min) ROW_(
						"memory", "stat", NAMED,
						true,
						memory
							.stat) ROW_("memory", "events", NAMED, true,
								    memory.events)
						ROW_("memory", "peak", READING, false,
						     memory.peak) ROW_("memory", "swap_current",
								       READING,
								       false, memory.swap_current)
							ROW_("pids", "current", OPTIONAL, true,
							     pids.current)
								ROW_("pids", "max", LIMIT,
								     true, pids.max) ROW_("pids",
											  "peak",
											  READING,
											  false,
											  pids.peak)
									ROW_("io", "stat", NAMED,
									     false, io.stat)
										ROW_("cpuset",
										     "effective",
										     STRING, false,
										     cpuset_effective)
#undef ROW_
};

static const void *at_offset(const struct cgroup_stats *stats, const struct member *member)
{
	return (const char *)stats + member->offset;
}

static bool is_known(const struct cgroup_stats *stats, const struct member *member)
{
	const void *at = at_offset(stats, member);

	switch (member->type) {
	case MEMBER_READING:
	case MEMBER_PERIOD:
	case MEMBER_OPTIONAL:
		return ((const struct reading *)at)->known;
	case MEMBER_LIMIT:
	case MEMBER_FLOOR:
		return ((const struct limit *)at)->state != LIMIT_UNKNOWN;
	case MEMBER_NAMED:
		return ((const struct named_readings *)at)->known;
	case MEMBER_NICE:
		return stats->cpu.weight_nice_known;
	default:
		return *(const uint32_t *)at != 0;
	}
}

static void write_member(const struct snapshot *snapshot, const struct cgroup_stats *stats,
			 const struct member *member, struct json_writer *w)
{
	const void *at = at_offset(stats, member);
	const struct limit *limit = at;
	bool known = is_known(stats, member);

	json_key(w, member->key);
	switch (member->type) {
	case MEMBER_READING:
		json_write_u64(w, known ? ((const struct reading *)at)->value : 0);
		return;
	case MEMBER_PERIOD:
		json_write_u64(w, known ? ((const struct reading *)at)->value
					: CGROUP_DEFAULT_PERIOD_US);
		return;
	case MEMBER_NAMED:
		named_write(&snapshot->strings, at, w);
		return;
	case MEMBER_STRING:
		json_write_string(w, intern_text(&snapshot->strings, *(const uint32_t *)at));
		return;
	case MEMBER_OPTIONAL:
		if (known)
			json_write_u64(w, ((const struct reading *)at)->value);
		break;
	case MEMBER_NICE:
		if (known)
			json_write_i64(w, stats->cpu.weight_nice);
		break;
	case MEMBER_LIMIT:
		known = limit->state == LIMIT_VALUE;
		if (known)
			json_write_u64(w, limit->value);
		break;
	case MEMBER_FLOOR:
		if (known)
			json_write_u64(w, limit->state == LIMIT_NONE ? UINT64_MAX : limit->value);
		break;
	}
	if (!known)
		json_write_null(w);
}

void cgroup_stats_write(const struct snapshot *snapshot, const struct cgroup_stats *stats,
			struct json_writer *w)
{
	const char *group = NULL;

	json_begin_object(w);
	json_add_bool(w, "known", stats->known);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		if (!group || strcmp(group, members[i].group) != 0) {
			if (group)
				json_end_object(w);
			group = members[i].group;
			json_key(w, group);
			json_begin_object(w);
		}
		if (members[i].always || is_known(stats, &members[i]))
			write_member(snapshot, stats, &members[i], w);
	}
	json_end_object(w);
	json_key(w, "psi");
	pressure_write(&stats->pressure, w);
	json_key(w, "absent");
	json_begin_array(w);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		if (members[i].always && !is_known(stats, &members[i]))
			json_write_string(w, members[i].name);
	}
	json_end_array(w);
	json_end_object(w);
}

static struct error *load_limit(const struct json_value *value, const struct place *place,
				const struct member *member, bool marked, struct limit *ret)
{
	struct limit limit = { 0 };
	struct error *err;
	bool there;

	err = value_u64(value, place, &limit.value, &there);
	if (err)
		return err;
	if (there)
		limit.state = LIMIT_VALUE;
	/* A file that marks what is absent means by null that there is no limit. */
	else if (member->type == MEMBER_LIMIT && marked)
		limit.state = LIMIT_NONE;
	if (there && member->type == MEMBER_FLOOR && limit.value == UINT64_MAX)
		limit = (struct limit){ .state = LIMIT_NONE };
	*ret = limit;
	return NULL;
}

static struct error *load_member(const struct json_value *value, const struct place *place,
				 const struct member *member, bool marked,
				 struct snapshot *snapshot, struct cgroup_stats *stats)
{
	void *at = (char *)stats + member->offset;
	struct error *err;

	switch (member->type) {
	case MEMBER_READING:
	case MEMBER_PERIOD:
	case MEMBER_OPTIONAL:
		return value_reading(value, place, at);
	case MEMBER_LIMIT:
	case MEMBER_FLOOR:
		return load_limit(value, place, member, marked, at);
	case MEMBER_NAMED:
		return value_named(value, place, &snapshot->strings, at);
	case MEMBER_NICE: {
		int64_t nice = 0;

		err = value_i64(value, place, INT32_MIN, INT32_MAX, &nice,
				&stats->cpu.weight_nice_known);
		stats->cpu.weight_nice = (int32_t)nice;
		return err;
	}
	default:
		return value_string(value, place, &snapshot->strings, at);
	}
}

static void forget_member(const struct member *member, struct cgroup_stats *stats)
{
	void *at = (char *)stats + member->offset;

	switch (member->type) {
	case MEMBER_READING:
	case MEMBER_PERIOD:
	case MEMBER_OPTIONAL:
		*(struct reading *)at = (struct reading){ 0 };
		break;
	case MEMBER_LIMIT:
	case MEMBER_FLOOR:
		*(struct limit *)at = (struct limit){ 0 };
		break;
	case MEMBER_NAMED:
		vec_deinit(&((struct named_readings *)at)->rows);
		((struct named_readings *)at)->known = false;
		break;
	case MEMBER_NICE:
		stats->cpu.weight_nice_known = false;
		stats->cpu.weight_nice = 0;
		break;
	default:
		*(uint32_t *)at = 0;
	}
}

static struct error *load_members(const struct json_value *value, const struct place *place,
				  struct snapshot *snapshot, struct cgroup_stats *stats)
{
	bool marked = json_find(value, "absent") != NULL;
	struct error *err = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(members) && !err; i++) {
		const struct json_value *group = json_find(value, members[i].group);
		struct place outer = { .outer = place, .key = members[i].group };
		struct place at = { .outer = &outer, .key = members[i].key };

		err = value_expect(group, &outer, JSON_OBJECT);
		if (!err)
			err = load_member(json_find(group, members[i].key), &at, &members[i],
					  marked, snapshot, stats);
		if (!err && marked && absent_lists(value, members[i].name))
			forget_member(&members[i], stats);
	}
	return err;
}

struct error *cgroup_stats_load(const struct json_value *value, const struct place *place,
				struct snapshot *snapshot, struct cgroup_stats *ret)
{
	struct place known = { .outer = place, .key = "known" };
	struct place psi = { .outer = place, .key = "psi" };
	struct cgroup_stats stats = { .known = true };
	struct error *err;

	if (!value_is_there(value))
		return place_error(place, "expected an object");
	err = value_expect(value, place, JSON_OBJECT);
	if (!err)
		err = value_bool(json_find(value, "known"), &known, &stats.known, NULL);
	if (!err)
		err = pressure_load(json_find(value, "psi"), &psi, &stats.pressure);
	if (!err)
		err = load_members(value, place, snapshot, &stats);
	if (err) {
		for (size_t i = 0; i < ARRAY_SIZE(members); i++)
			forget_member(&members[i], &stats);
		return err;
	}
	*ret = stats;
	return NULL;
}
