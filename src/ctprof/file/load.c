// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/load.h"

#include <inttypes.h>
#include <string.h>

#include "ctprof/walk/thread.h"

/* Rough, and rather too much: what one entry of a table costs beside its bytes. */
enum { ENTRY_BYTES = 48 };

static bool is_member(const char *key, enum ctprof_member_type type)
{
	const struct ctprof_member *member = ctprof_snapshot_member_find(key);

	return member && member->type == type;
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

static struct error *load_thread(struct ctprof_loader *loader, const struct ctprof_value *value)
{
	struct marks before = take_marks(loader);
	struct metric_thread_sample sample;
	struct error *err;
	uint32_t set;

	err = ctprof_thread_load(value, &loader->snapshot, &loader->hints, &sample, &set);
	if (!err)
		/* Twice: a vector that grows holds old and new at once. */
		err = charge_since(loader, &before, 2 * (sizeof(sample) + sizeof(set)));
	if (err)
		return err;
	vec_push(&loader->snapshot.threads, sample);
	vec_push(&loader->set_of, set);
	return NULL;
}

static struct error *load_cgroup(struct ctprof_loader *loader, const struct ctprof_value *value)
{
	struct ctprof_snapshot_cgroup cgroup = { 0 };
	struct marks before = take_marks(loader);
	struct error *err;

	err = ctprof_cgroup_stats_load(value, &loader->snapshot, &cgroup.stats);
	if (err)
		return err;
	cgroup.path = intern_add(&loader->snapshot.strings, value->key);
	vec_push(&loader->snapshot.cgroups, cgroup);
	return charge_since(loader, &before,
			    2 * sizeof(cgroup) + sizeof(struct procfs_named_reading) *
							 (cgroup.stats.memory_stat.rows.capacity +
							  cgroup.stats.memory_events.rows.capacity +
							  cgroup.stats.io_stat.rows.capacity));
}

static struct error *load_whole(struct ctprof_loader *loader, const struct ctprof_member *member,
				const struct ctprof_value *value)
{
	struct ctprof_snapshot *s = &loader->snapshot;

	switch (member->type) {
	case CTPROF_MEMBER_PRESENCE:
		s->has_presence = ctprof_value_is_there(value);
		return ctprof_presence_load(value, s, &loader->sets);
	case CTPROF_MEMBER_CGROUPS:
		return ctprof_value_expect(value, JSON_OBJECT);
	case CTPROF_MEMBER_THREADS:
		return ctprof_value_error(value, "expected an array");
	default:
		return ctprof_member_load(member, value, &s->strings, s);
	}
}

static bool opens(void *arg UNUSED, const char *key)
{
	return is_member(key, CTPROF_MEMBER_THREADS) || is_member(key, CTPROF_MEMBER_CGROUPS);
}

static size_t piece_limit(void *arg UNUSED, const char *key)
{
	return is_member(key, CTPROF_MEMBER_THREADS) ? CTPROF_LIMIT_THREAD_BYTES
						     : CTPROF_LIMIT_MEMBER_BYTES;
}

static uint32_t bit_of(const struct ctprof_member *member)
{
	return UINT32_C(1) << (member - ctprof_snapshot_members.at);
}

/* A duplicate member is ambiguous. */
static struct error *see(struct ctprof_loader *loader, const struct ctprof_member *member)
{
	if (loader->seen & bit_of(member))
		return base_error(BASE_PARSE, 0, "%s: given twice", member->key);
	loader->seen |= bit_of(member);
	return NULL;
}

static struct error *take_piece(void *arg, const struct ctprof_split_piece *piece)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const struct ctprof_member *member = ctprof_snapshot_member_find(piece->key);
	_cleanup_free_ char *label = NULL;
	struct ctprof_loader *loader = arg;
	struct marks before = take_marks(loader);
	struct ctprof_value outer = { .key = piece->key }, value = { .key = piece->key };
	struct error *err;

	if (piece->opened)
		value = (struct ctprof_value){ NULL, &outer, piece->inner, piece->index };
	if (piece->opened && !piece->inner)
		label = xasprintf("%s[%zu]", piece->key, piece->index);
	else
		label = xasprintf("%s%s%s", piece->key, piece->opened ? "." : "",
				  piece->opened ? piece->inner : "");
	err = json_doc_parse(strbuf_str(piece->text), piece->text->n, label, &doc);
	if (err)
		return err;
	value.json = json_doc_root(doc);
	if (piece->opened && member->type == CTPROF_MEMBER_THREADS)
		return piece->inner ? ctprof_value_error(&outer, "expected an array")
				    : load_thread(loader, &value);
	if (piece->opened)
		return piece->inner ? load_cgroup(loader, &value)
				    : ctprof_value_error(&outer, "expected an object");
	if (!member)
		return charge(loader, piece->text->n);
	err = see(loader, member);
	if (!err)
		err = load_whole(loader, member, &value);
	if (err)
		return err;
	return charge_since(loader, &before,
			    piece->text->n + loader->sets.sets.capacity *
						     sizeof(struct ctprof_presence_set));
}

static struct error *end_opened(void *arg, const char *key, bool object)
{
	struct ctprof_value value = { .key = key };

	if (object != is_member(key, CTPROF_MEMBER_CGROUPS))
		return ctprof_value_error(&value, "expected %s", object ? "an array" : "an object");
	return see(arg, ctprof_snapshot_member_find(key));
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
	vec_deinit(&loader->set_of);
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
static void trust(struct metric_thread_sample *sample)
{
	const uint32_t delays = METRIC_SOURCE_BIT(DELAY_CPU) | METRIC_SOURCE_BIT(DELAY_BLOCK) |
				METRIC_SOURCE_BIT(XACCT);
	const uint32_t families = delays | METRIC_SOURCE_BIT(HEAP) | METRIC_SOURCE_BIT(SMAPS) |
				  METRIC_SOURCE_BIT(AFFINITY);

	if (!sample->taskstats_ok)
		sample->sources &= ~delays;
	sample->sources |= METRIC_ALL_SOURCES & ~families;
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
	struct ctprof_value threads = { .key = "threads" };

	for (size_t i = 0; i < s->threads.n; i++) {
		struct ctprof_value thread = { .outer = &threads, .index = i };
		struct ctprof_value place = { .outer = &thread, .key = "presence" };
		struct metric_thread_sample *sample = &s->threads.at[i];
		uint32_t set = loader->set_of.at[i];

		if (!s->has_presence) {
			trust(sample);
		} else if (set >= loader->sets.sets.n) {
			return set == CTPROF_THREAD_NO_SET
				       ? ctprof_value_error(&place,
							    "missing, though the file has sets")
				       : ctprof_value_error(&place, "there is no set %" PRIu32,
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

static struct error *sort_cgroups(struct ctprof_snapshot *s)
{
	ctprof_snapshot_sort_cgroups(s);
	for (size_t i = 1; i < s->cgroups.n; i++) {
		if (s->cgroups.at[i - 1].path == s->cgroups.at[i].path)
			return base_error(BASE_PARSE, 0, "cgroup_stats.%s: given twice",
					  intern_text(&s->strings, s->cgroups.at[i].path));
	}
	return NULL;
}

static struct error *require(const struct ctprof_loader *loader, const char *key)
{
	if (loader->seen & bit_of(ctprof_snapshot_member_find(key)))
		return NULL;
	return base_error(BASE_PARSE, 0, "%s: missing; is this a snapshot?", key);
}

struct error *ctprof_loader_finish(struct ctprof_loader *loader, struct ctprof_snapshot *ret)
{
	struct error *err = ctprof_split_finish(&loader->split);

	if (!err)
		err = require(loader, "threads");
	if (!err)
		err = require(loader, "captured_at_unix_ns");
	if (!err)
		err = decide_what_is_known(loader);
	if (!err)
		err = sort_cgroups(&loader->snapshot);
	if (err)
		return err;
	ctprof_walk_sort(loader->snapshot.threads.at, loader->snapshot.threads.n);
	*ret = loader->snapshot;
	loader->snapshot = (struct ctprof_snapshot){ 0 };
	return NULL;
}
