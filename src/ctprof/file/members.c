// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#include <string.h>

#define PROBE_(key, type) { CTPROF_MEMBER(struct ctprof_probe_summary, key, #key, type) }
static const struct ctprof_member probe_members[] = {
	PROBE_(tgids_walked, U64),
	PROBE_(jemalloc_detected, U64),
	PROBE_(probed_ok, U64),
	PROBE_(failed, U64),
	PROBE_(dominant_failure, TEXT_OR_NULL),
	PROBE_(privilege_dominant, BOOL),
};

#define PARSE_(key, member, type) { CTPROF_MEMBER(struct ctprof_parse_summary, member, key, type) }
static const struct ctprof_member parse_members[] = {
	PARSE_("tids_walked", tids_walked, U64),
	PARSE_("read_failures", read_failures, U64),
	PARSE_("read_failures_by_file", read_failures_by_source, FILES),
	PARSE_("dominant_read_failure", dominant_read_failure, TEXT_OR_NULL),
	PARSE_("kernel_config_dominant", kernel_config_dominant, BOOL),
	PARSE_("negative_dotted_values", negative_dotted_values, U64),
};

#define TASKSTATS_(key, member) { CTPROF_MEMBER(struct ctprof_taskstats_summary, member, key, U64) }
static const struct ctprof_member taskstats_members[] = {
	TASKSTATS_("ok_count", ok),
	TASKSTATS_("eperm_count", eperm),
	TASKSTATS_("esrch_count", esrch),
	TASKSTATS_("other_err_count", other),
};

#define EXT_(key, type) { CTPROF_MEMBER(struct procfs_sched_ext, key, #key, type) }
static const struct ctprof_member sched_ext_members[] = {
	EXT_(state, TEXT),	   EXT_(switch_all, MARKED), EXT_(nr_rejected, MARKED),
	EXT_(hotplug_seq, MARKED), EXT_(enable_seq, MARKED), EXT_(ops, TEXT),
	EXT_(events, NAMED),
};

#define SNAPSHOT_(key, type) { CTPROF_MEMBER(struct ctprof_snapshot, key, #key, type) }
#define OBJECT_(name, key, rows)                                                            \
	{                                                                                   \
		CTPROF_MEMBER(struct ctprof_snapshot, name, key, OBJECT),                   \
			.members = &(const struct ctprof_members)                           \
		{                                                                           \
			rows, ARRAY_SIZE(rows), sizeof(((struct ctprof_snapshot *)0)->name) \
		}                                                                           \
	}
static const struct ctprof_member snapshot_members[] = {
	SNAPSHOT_(schema_version, U64),
	SNAPSHOT_(captured_at_unix_ns, U64),
	SNAPSHOT_(capture_end_unix_ns, READING),
	SNAPSHOT_(boot_id, TEXT),
	SNAPSHOT_(captured_at_boottime_ns, READING),
	SNAPSHOT_(capture_end_boottime_ns, READING),
	SNAPSHOT_(pid_namespace, READING),
	SNAPSHOT_(time_namespace, READING),
	SNAPSHOT_(user_hz, READING),
	SNAPSHOT_(page_size, READING),
	SNAPSHOT_(host, HOST),
	{ .key = "presence", .type = CTPROF_MEMBER_PRESENCE },
	OBJECT_(probe, "probe_summary", probe_members),
	OBJECT_(parse, "parse_summary", parse_members),
	OBJECT_(taskstats, "taskstats_summary", taskstats_members),
	{ CTPROF_MEMBER(struct ctprof_snapshot, pressure, "psi", PRESSURE) },
	OBJECT_(sched_ext, "sched_ext", sched_ext_members),
	{ .key = "cgroup_stats", .type = CTPROF_MEMBER_CGROUPS },
	{ .key = "threads", .type = CTPROF_MEMBER_THREADS },
};
const struct ctprof_members ctprof_snapshot_members = { snapshot_members,
							ARRAY_SIZE(snapshot_members),
							sizeof(struct ctprof_snapshot) };

const struct ctprof_member *ctprof_snapshot_member_find(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(snapshot_members); i++)
		if (strcmp(snapshot_members[i].key, key) == 0)
			return &snapshot_members[i];
	return NULL;
}

static void write_files(const uint64_t counts[METRIC_N_SOURCES], struct json_writer *w)
{
	json_begin_object(w);
	for (int i = 0; i < METRIC_N_SOURCES; i++) {
		if (counts[i])
			json_add_u64(w, metric_sources[i].word, counts[i]);
	}
	json_end_object(w);
}

void ctprof_member_write(const struct ctprof_member *member, const struct intern *strings,
			 const void *from, struct json_writer *w)
{
	const void *at = (const char *)from + member->offset;
	const struct procfs_reading *reading = at;

	/* Both begin with whether they are known. */
	if ((member->type == CTPROF_MEMBER_READING || member->type == CTPROF_MEMBER_NAMED) &&
	    !reading->known)
		return;
	json_key(w, member->key);
	switch (member->type) {
	case CTPROF_MEMBER_U32:
		json_write_u64(w, *(const uint32_t *)at);
		break;
	case CTPROF_MEMBER_READING:
	case CTPROF_MEMBER_MARKED:
		json_write_u64(w, reading->known ? reading->value : 0);
		break;
	case CTPROF_MEMBER_NAMED:
		ctprof_named_write(strings, at, w);
		break;
	case CTPROF_MEMBER_TEXT:
	case CTPROF_MEMBER_TEXT_OR_NULL:
		if (member->type == CTPROF_MEMBER_TEXT || *(const uint32_t *)at)
			json_write_string(w, intern_text(strings, *(const uint32_t *)at));
		else
			json_write_null(w);
		break;
	case CTPROF_MEMBER_BOOL:
		json_write_bool(w, *(const bool *)at);
		break;
	case CTPROF_MEMBER_SOURCE:
		json_write_bool(w, *(const uint32_t *)at >> member->source & 1);
		break;
	case CTPROF_MEMBER_FILES:
		write_files(at, w);
		break;
	case CTPROF_MEMBER_OBJECT:
		if (*(const bool *)at)
			ctprof_members_write(member->members, strings, at, w);
		else
			json_write_null(w);
		break;
	case CTPROF_MEMBER_HOST:
		if (((const struct ctprof_snapshot *)from)->has_host)
			host_facts_write(at, w);
		else
			json_write_null(w);
		break;
	case CTPROF_MEMBER_PRESSURE:
		ctprof_pressure_write(at, w);
		break;
	default:
		json_write_u64(w, *(const uint64_t *)at);
	}
}

/* The keys of members whose 0 means that there is no value. */
static void write_absent(const struct ctprof_members *members, const void *from,
			 struct json_writer *w)
{
	bool any = false;

	for (size_t i = 0; i < members->n; i++) {
		const struct ctprof_member *member = &members->at[i];
		const struct procfs_reading *reading = (const void *)((const char *)from +
								      member->offset);

		if (member->type != CTPROF_MEMBER_MARKED)
			continue;
		if (!any) {
			json_open_array(w, "absent");
		}
		any = true;
		if (!reading->known)
			json_write_string(w, member->key);
	}
	if (any)
		json_end_array(w);
}

void ctprof_members_write(const struct ctprof_members *members, const struct intern *strings,
			  const void *from, struct json_writer *w)
{
	json_begin_object(w);
	for (size_t i = 0; i < members->n; i++)
		ctprof_member_write(&members->at[i], strings, from, w);
	write_absent(members, from, w);
	json_end_object(w);
}

static struct error *load_files(const struct ctprof_value *value, uint64_t counts[METRIC_N_SOURCES])
{
	struct error *err = ctprof_value_expect(value, JSON_OBJECT);

	for (int i = 0; i < METRIC_N_SOURCES && !err; i++) {
		struct ctprof_value at = ctprof_value_find(value, metric_sources[i].word);

		err = ctprof_value_u64(&at, &counts[i]);
	}
	return err;
}

static struct error *load_host(const struct ctprof_value *value, struct ctprof_snapshot *snapshot)
{
	struct error *err;

	if (!ctprof_value_is_there(value))
		return NULL;
	err = host_facts_load(value->json, value->key, &snapshot->host);
	snapshot->has_host = !err;
	return err;
}

struct error *ctprof_member_load(const struct ctprof_member *member,
				 const struct ctprof_value *value, struct intern *strings,
				 void *into)
{
	void *at = (char *)into + member->offset;
	uint32_t *word = at;
	int64_t number;
	struct error *err;
	bool flag;

	switch (member->type) {
	case CTPROF_MEMBER_U32:
		number = *word;
		err = ctprof_value_i64(value, 0, UINT32_MAX, &number);
		*word = (uint32_t)number;
		return err;
	case CTPROF_MEMBER_PERCENT:
		number = 0;
		err = ctprof_value_i64(value, 0, PROCFS_LIMIT_PRESSURE_PERCENT, &number);
		*(uint64_t *)at = (uint64_t)number;
		return err;
	case CTPROF_MEMBER_READING:
		return ctprof_value_reading(value, at);
	case CTPROF_MEMBER_MARKED:
		err = ctprof_value_reading(value, at);
		if (ctprof_absent_lists(value->outer, member->key))
			*(struct procfs_reading *)at = (struct procfs_reading){ 0 };
		return err;
	case CTPROF_MEMBER_NAMED:
		return ctprof_value_named(value, strings, at);
	case CTPROF_MEMBER_TEXT:
	case CTPROF_MEMBER_TEXT_OR_NULL:
		return ctprof_value_string(value, strings, at);
	case CTPROF_MEMBER_BOOL:
		return ctprof_value_bool(value, at);
	case CTPROF_MEMBER_SOURCE:
		flag = *word >> member->source & 1;
		err = ctprof_value_bool(value, &flag);
		*word &= ~(UINT32_C(1) << member->source);
		*word |= (uint32_t)flag << member->source;
		return err;
	case CTPROF_MEMBER_FILES:
		return load_files(value, at);
	case CTPROF_MEMBER_OBJECT:
		return ctprof_members_load(member->members, value, strings, at);
	case CTPROF_MEMBER_HOST:
		return load_host(value, into);
	case CTPROF_MEMBER_PRESSURE:
		return ctprof_pressure_load(value, at);
	default:
		return ctprof_value_u64(value, at);
	}
}

struct error *ctprof_members_load(const struct ctprof_members *members,
				  const struct ctprof_value *value, struct intern *strings,
				  void *into)
{
	struct error *err = ctprof_value_expect(value, JSON_OBJECT);

	if (err || !ctprof_value_is_there(value))
		return err;
	memset(into, 0, members->size);
	for (size_t i = 0; i < members->n && !err; i++) {
		struct ctprof_value at = ctprof_value_find(value, members->at[i].key);

		err = ctprof_member_load(&members->at[i], &at, strings, into);
	}
	*(bool *)into = !err;
	return err;
}
