// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/load.h"

#include <inttypes.h>
#include <string.h>

/* Rough, and rather too much: what one entry of a table costs beside its bytes. */
enum { ENTRY_BYTES = 48 };

/* Members of the outermost object: X(id, name). */
#define SNAPSHOT_MEMBERS(X)                                \
	X(SCHEMA_VERSION, "schema_version")                \
	X(CAPTURED_AT, "captured_at_unix_ns")              \
	X(CAPTURE_END, "capture_end_unix_ns")              \
	X(CAPTURED_AT_BOOTTIME, "captured_at_boottime_ns") \
	X(CAPTURE_END_BOOTTIME, "capture_end_boottime_ns") \
	X(BOOT_ID, "boot_id")                              \
	X(PID_NAMESPACE, "pid_namespace")                  \
	X(TIME_NAMESPACE, "time_namespace")                \
	X(USER_HZ, "user_hz")                              \
	X(PAGE_SIZE, "page_size")                          \
	X(HOST, "host")                                    \
	X(PRESENCE, "presence")                            \
	X(PROBE_SUMMARY, "probe_summary")                  \
	X(PARSE_SUMMARY, "parse_summary")                  \
	X(TASKSTATS_SUMMARY, "taskstats_summary")          \
	X(PSI, "psi")                                      \
	X(SCHED_EXT, "sched_ext")                          \
	X(CGROUP_STATS, "cgroup_stats")                    \
	X(THREADS, "threads")
#define MEMBER_(id, name) MEMBER_##id,
enum member { SNAPSHOT_MEMBERS(MEMBER_) N_MEMBERS };
#undef MEMBER_
#define NAME_(id, name) name,
static const char *const member_names[] = { SNAPSHOT_MEMBERS(NAME_) };
#undef NAME_

static enum member find_member(const char *key)
{
	int i = 0;

	while (i < N_MEMBERS && strcmp(member_names[i], key) != 0)
		i++;
	return (enum member)i;
}

static struct error *charge(struct ctprof_loader *loader, uint64_t bytes)
{
	loader->memory_used += bytes;
	if (loader->memory_used > loader->memory_limit)
		return base_error(BASE_LIMIT, 0,
				  "takes more than %" PRIu64
				  " bytes of memory, after %zu threads and %zu cgroups",
				  loader->memory_limit, loader->snapshot.threads.n,
				  loader->snapshot.cgroups.n);
	return NULL;
}

/* Strings and tables that a piece brought; what stood there already costs nothing. */
struct marks {
	size_t strings, cpu_lists, smaps;
};

static struct marks take_marks(const struct ctprof_loader *loader)
{
	return (struct marks){ loader->snapshot.strings.strings.n, loader->snapshot.cpu_lists.n,
			       loader->snapshot.smaps.n };
}

static struct error *charge_since(struct ctprof_loader *loader, const struct marks *marks,
				  uint64_t more)
{
	const struct ctprof_snapshot *s = &loader->snapshot;

	for (size_t i = marks->strings; i < s->strings.strings.n; i++)
		more += strlen(s->strings.strings.at[i]) + ENTRY_BYTES;
	for (size_t i = marks->cpu_lists; i < s->cpu_lists.n; i++)
		more += s->cpu_lists.at[i].n * sizeof(uint32_t) + ENTRY_BYTES;
	for (size_t i = marks->smaps; i < s->smaps.n; i++)
		more += s->smaps.at[i].rows.capacity * sizeof(struct procfs_named_reading) +
			ENTRY_BYTES;
	return charge(loader, more);
}

static struct error *load_thread(struct ctprof_loader *loader, const struct json_value *value,
				 size_t index)
{
	struct ctprof_place threads = { .key = "threads" };
	struct ctprof_place place = { .outer = &threads, .index = index };
	struct marks before = take_marks(loader);
	struct ctprof_thread_marks marks;
	struct metric_thread_sample sample;
	struct error *err;

	err = ctprof_thread_load(value, &place, &loader->snapshot, &loader->hints, &sample, &marks);
	if (!err)
		/* Twice: a vector that grows holds old and new at once. */
		err = charge_since(loader, &before, 2 * (sizeof(sample) + sizeof(marks)));
	if (err)
		return err;
	vec_push(&loader->snapshot.threads, sample);
	vec_push(&loader->marks, marks);
	return NULL;
}

static struct error *load_cgroup(struct ctprof_loader *loader, const struct json_value *value,
				 const char *path)
{
	struct ctprof_snapshot_cgroup cgroup = { 0 };
	struct ctprof_place cgroups = { .key = "cgroup_stats" };
	struct ctprof_place place = { .outer = &cgroups, .key = path };
	struct marks before = take_marks(loader);
	struct error *err;

	err = ctprof_cgroup_stats_load(value, &place, &loader->snapshot, &cgroup.stats);
	if (err)
		return err;
	cgroup.path = intern_add(&loader->snapshot.strings, path);
	vec_push(&loader->snapshot.cgroups, cgroup);
	return charge_since(loader, &before,
			    2 * sizeof(cgroup) + sizeof(struct procfs_named_reading) *
							 (cgroup.stats.memory_stat.rows.capacity +
							  cgroup.stats.memory_events.rows.capacity +
							  cgroup.stats.io_stat.rows.capacity));
}

static struct error *load_host(const struct json_value *value, struct ctprof_snapshot *snapshot)
{
	struct error *err;

	if (!ctprof_value_is_there(value))
		return NULL;
	err = host_facts_load(value, "host", &snapshot->host);
	snapshot->has_host = !err;
	return err;
}

static struct error *load_whole(struct ctprof_loader *loader, enum member member,
				const struct json_value *value)
{
	struct ctprof_place place = { .key = member < N_MEMBERS ? member_names[member] : "" };
	struct ctprof_snapshot *s = &loader->snapshot;

	switch (member) {
	case MEMBER_SCHEMA_VERSION:
		return ctprof_value_u64(value, &place, &s->schema_version, NULL);
	case MEMBER_CAPTURED_AT:
		return ctprof_value_u64(value, &place, &s->captured_at_unix_ns, NULL);
	case MEMBER_CAPTURE_END:
		return ctprof_value_reading(value, &place, &s->capture_end_unix_ns);
	case MEMBER_CAPTURED_AT_BOOTTIME:
		return ctprof_value_reading(value, &place, &s->captured_at_boottime_ns);
	case MEMBER_CAPTURE_END_BOOTTIME:
		return ctprof_value_reading(value, &place, &s->capture_end_boottime_ns);
	case MEMBER_PID_NAMESPACE:
		return ctprof_value_reading(value, &place, &s->pid_namespace);
	case MEMBER_TIME_NAMESPACE:
		return ctprof_value_reading(value, &place, &s->time_namespace);
	case MEMBER_BOOT_ID:
		return ctprof_value_string(value, &place, &s->strings, &s->boot_id);
	case MEMBER_USER_HZ:
		return ctprof_value_reading(value, &place, &s->user_hz);
	case MEMBER_PAGE_SIZE:
		return ctprof_value_reading(value, &place, &s->page_size);
	case MEMBER_HOST:
		return load_host(value, s);
	case MEMBER_PRESENCE:
		s->has_presence = ctprof_value_is_there(value);
		return ctprof_presence_load(value, &place, s, &loader->sets);
	case MEMBER_PROBE_SUMMARY:
		return ctprof_probe_summary_load(value, &place, s);
	case MEMBER_PARSE_SUMMARY:
		return ctprof_parse_summary_load(value, &place, s);
	case MEMBER_TASKSTATS_SUMMARY:
		return ctprof_taskstats_summary_load(value, &place, s);
	case MEMBER_PSI:
		return ctprof_pressure_load(value, &place, &s->pressure);
	case MEMBER_SCHED_EXT:
		return ctprof_sched_ext_load(value, &place, s);
	case MEMBER_CGROUP_STATS:
		return ctprof_value_expect(value, &place, JSON_OBJECT);
	case MEMBER_THREADS:
		return ctprof_place_error(&place, "expected an array");
	case N_MEMBERS:
		break; /* of a later version */
	}
	return NULL;
}

static bool opens(void *arg UNUSED, const char *key)
{
	enum member member = find_member(key);

	return member == MEMBER_THREADS || member == MEMBER_CGROUP_STATS;
}

static size_t piece_limit(void *arg UNUSED, const char *key)
{
	return find_member(key) == MEMBER_THREADS ? CTPROF_LIMIT_THREAD_BYTES
						  : CTPROF_LIMIT_MEMBER_BYTES;
}

/* A member that stands twice would leave open which of them is meant. */
static struct error *see(struct ctprof_loader *loader, enum member member)
{
	uint32_t bit = UINT32_C(1) << member;

	if (member == N_MEMBERS)
		return NULL;
	if (loader->seen & bit)
		return base_error(BASE_PARSE, 0, "%s: given twice", member_names[member]);
	loader->seen |= bit;
	return NULL;
}

static struct error *load_opened(struct ctprof_loader *loader, enum member member,
				 const struct ctprof_split_piece *piece,
				 const struct json_value *value)
{
	struct ctprof_place place = { .key = member_names[member] };

	if (member == MEMBER_THREADS)
		return piece->inner ? ctprof_place_error(&place, "expected an array")
				    : load_thread(loader, value, piece->index);
	return piece->inner ? load_cgroup(loader, value, piece->inner)
			    : ctprof_place_error(&place, "expected an object");
}

static struct error *take_piece(void *arg, const struct ctprof_split_piece *piece)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	enum member member = find_member(piece->key);
	_cleanup_free_ char *label = NULL;
	struct ctprof_loader *loader = arg;
	struct error *err = NULL;

	if (piece->opened && !piece->inner)
		label = xasprintf("%s[%zu]", piece->key, piece->index);
	else
		label = xasprintf("%s%s%s", piece->key, piece->opened ? "." : "",
				  piece->opened ? piece->inner : "");
	err = json_doc_parse(strbuf_str(piece->text), piece->text->n, label, &doc);
	if (err)
		return err;
	if (piece->opened)
		return load_opened(loader, member, piece, json_doc_root(doc));
	err = see(loader, member);
	if (!err) {
		struct marks before = take_marks(loader);

		err = load_whole(loader, member, json_doc_root(doc));
		if (!err)
			err = charge_since(loader, &before,
					   piece->text->n +
						   loader->sets.sets.capacity *
							   sizeof(struct ctprof_presence_set));
	}
	return err;
}

static struct error *end_opened(void *arg, const char *key, bool object)
{
	enum member member = find_member(key);
	struct ctprof_place place = { .key = key };

	if (object != (member == MEMBER_CGROUP_STATS))
		return ctprof_place_error(&place, "expected %s", object ? "an array" : "an object");
	return see(arg, member);
}

void ctprof_loader_init(struct ctprof_loader *loader, uint64_t memory_bytes)
{
	const struct ctprof_split_callbacks callbacks = {
		.opens = opens,
		.limit = piece_limit,
		.piece = take_piece,
		.opened = end_opened,
		.arg = loader,
	};

	*loader = (struct ctprof_loader){ .memory_limit = memory_bytes };
	ctprof_snapshot_init(&loader->snapshot);
	loader->snapshot.schema_version = 0;
	ctprof_split_init(&loader->split, &callbacks);
}

void ctprof_loader_deinit(struct ctprof_loader *loader)
{
	ctprof_snapshot_deinit(&loader->snapshot);
	ctprof_split_deinit(&loader->split);
	vec_deinit(&loader->hints.members);
	ctprof_presence_sets_deinit(&loader->sets);
	vec_deinit(&loader->marks);
}

struct error *ctprof_loader_feed(struct ctprof_loader *loader, const char *bytes, size_t n)
{
	uint64_t limit = loader->memory_limit;

	if (loader->split.bytes / CTPROF_SNAPSHOT_JSON_PER_MEMORY > limit)
		return base_error(BASE_LIMIT, 0,
				  "is longer than %d times the %" PRIu64
				  " bytes of memory it may take",
				  CTPROF_SNAPSHOT_JSON_PER_MEMORY, limit);
	return ctprof_split_feed(&loader->split, bytes, n);
}

/* A file without sets: its flags decide their families, all else counts as measured. */
static void trust(struct metric_thread_sample *sample, const struct ctprof_thread_marks *marks)
{
	const uint32_t families = METRIC_SOURCE_BIT(DELAY_CPU) | METRIC_SOURCE_BIT(DELAY_BLOCK) |
				  METRIC_SOURCE_BIT(XACCT) | METRIC_SOURCE_BIT(HEAP) |
				  METRIC_SOURCE_BIT(SMAPS) | METRIC_SOURCE_BIT(AFFINITY);

	sample->sources = METRIC_ALL_SOURCES & ~families;
	if (marks->taskstats_measured && marks->cpu_delay_active)
		sample->sources |= METRIC_SOURCE_BIT(DELAY_CPU);
	if (marks->taskstats_measured && marks->delay_block_active)
		sample->sources |= METRIC_SOURCE_BIT(DELAY_BLOCK);
	if (marks->taskstats_measured && marks->xacct_active)
		sample->sources |= METRIC_SOURCE_BIT(XACCT);
	if (marks->jemalloc_measured)
		sample->sources |= METRIC_SOURCE_BIT(HEAP);
	if (sample->smaps != METRIC_SAMPLE_NO_ENTRY)
		sample->sources |= METRIC_SOURCE_BIT(SMAPS);
	/* No thread may run nowhere: an empty list was not read. */
	if (sample->values[METRIC_CPU_AFFINITY])
		sample->sources |= METRIC_SOURCE_BIT(AFFINITY);
	for (int i = 0; i < METRIC_N; i++) {
		if (metric_rows[i].source != METRIC_SOURCE_NONE &&
		    !(sample->sources >> metric_rows[i].source & 1))
			metric_sample_forget(sample, (enum metric_id)i);
	}
	if (sample->tid != sample->tgid)
		metric_sample_forget(sample, METRIC_NR_THREADS);
}

static struct error *decide_what_is_known(struct ctprof_loader *loader)
{
	struct ctprof_snapshot *s = &loader->snapshot;
	struct ctprof_place threads = { .key = "threads" };

	for (size_t i = 0; i < s->threads.n; i++) {
		struct ctprof_place thread = { .outer = &threads, .index = i };
		struct ctprof_place place = { .outer = &thread, .key = "presence" };
		struct metric_thread_sample *sample = &s->threads.at[i];
		uint32_t set = loader->marks.at[i].set;

		sample->taskstats_ok = loader->marks.at[i].taskstats_measured;
		if (!s->has_presence) {
			trust(sample, &loader->marks.at[i]);
		} else if (set >= loader->sets.sets.n) {
			return set == CTPROF_THREAD_NO_SET
				       ? ctprof_place_error(&place,
							    "missing, though the file has sets")
				       : ctprof_place_error(&place, "there is no set %" PRIu32,
							    set);
		} else {
			ctprof_presence_apply(&loader->sets.sets.at[set], sample);
		}
		if (!metric_sample_knows(sample, METRIC_CPU_AFFINITY))
			sample->cpu_affinity = METRIC_SAMPLE_NO_ENTRY;
		if (!(sample->sources & METRIC_SOURCE_BIT(SMAPS)))
			sample->smaps = METRIC_SAMPLE_NO_ENTRY;
	}
	return NULL;
}

static int by_ids(const void *a_, const void *b_)
{
	const struct metric_thread_sample *a = a_, *b = b_;

	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Files in order, which all of ours are, are left as they stand. */
static void sort_threads(struct ctprof_snapshot *s)
{
	for (size_t i = 1; i < s->threads.n; i++) {
		if (by_ids(&s->threads.at[i - 1], &s->threads.at[i]) > 0) {
			qsort(s->threads.at, s->threads.n, sizeof(struct metric_thread_sample),
			      by_ids);
			return;
		}
	}
}

static int by_path(const void *a, const void *b, void *strings)
{
	return strcmp(intern_text(strings, ((const struct ctprof_snapshot_cgroup *)a)->path),
		      intern_text(strings, ((const struct ctprof_snapshot_cgroup *)b)->path));
}

static struct error *sort_cgroups(struct ctprof_snapshot *s)
{
	if (s->cgroups.n)
		qsort_r(s->cgroups.at, s->cgroups.n, sizeof(struct ctprof_snapshot_cgroup), by_path,
			&s->strings);
	for (size_t i = 1; i < s->cgroups.n; i++) {
		if (s->cgroups.at[i - 1].path == s->cgroups.at[i].path)
			return base_error(BASE_PARSE, 0, "cgroup_stats.%s: given twice",
					  intern_text(&s->strings, s->cgroups.at[i].path));
	}
	return NULL;
}

struct error *ctprof_loader_finish(struct ctprof_loader *loader, struct ctprof_snapshot *ret)
{
	struct error *err = ctprof_split_finish(&loader->split);

	if (!err && !(loader->seen & UINT32_C(1) << MEMBER_THREADS))
		err = base_error(BASE_PARSE, 0, "threads: missing; is this a snapshot?");
	if (!err && !(loader->seen & UINT32_C(1) << MEMBER_CAPTURED_AT))
		err = base_error(BASE_PARSE, 0,
				 "captured_at_unix_ns: missing; is this a snapshot?");
	if (!err)
		err = decide_what_is_known(loader);
	if (!err)
		err = sort_cgroups(&loader->snapshot);
	if (err)
		return err;
	sort_threads(&loader->snapshot);
	*ret = loader->snapshot;
	loader->snapshot = (struct ctprof_snapshot){ 0 };
	return NULL;
}
