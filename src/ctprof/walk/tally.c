// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/thread.h"

#include <string.h>

#include "procfs/reading.h"

void ctprof_walk_notes_absent(struct ctprof_walk_notes *notes, enum metric_source source,
			      enum ctprof_reason reason)
{
	notes->absent |= UINT32_C(1) << source;
	notes->reasons[source] = (uint8_t)reason;
}

void ctprof_walk_notes_unreadable(struct ctprof_walk_notes *notes, enum metric_source source,
				  enum ctprof_reason reason)
{
	ctprof_walk_notes_absent(notes, source, reason);
	if (source != METRIC_SOURCE_COMM)
		notes->unreadable |= UINT32_C(1) << source;
}

void ctprof_walk_tally_commit(struct ctprof_walk_tally *tally,
			      const struct ctprof_walk_notes *notes)
{
	tally->negative_times += notes->negative_times;
	for (uint32_t left = notes->absent; left; left &= left - 1) {
		unsigned int source = (unsigned int)__builtin_ctz(left);

		tally->reasons[source][notes->reasons[source]]++;
		tally->failures[source] += notes->unreadable >> source & 1;
	}
}

void ctprof_walk_tally_add(struct ctprof_walk_tally *tally, const struct ctprof_walk_tally *more)
{
	tally->tids_walked += more->tids_walked;
	tally->negative_times += more->negative_times;
	for (size_t i = 0; i < METRIC_N_SOURCES; i++) {
		tally->failures[i] += more->failures[i];
		for (size_t j = 0; j < CTPROF_N_REASONS; j++)
			tally->reasons[i][j] += more->reasons[i][j];
	}
}

/* "" when nothing failed. */
static const char *dominant_file(const struct ctprof_walk_tally *tally)
{
	const char *word = "";
	uint64_t most = 0;

	for (size_t i = 0; i < METRIC_N_SOURCES; i++) {
		uint64_t n = tally->failures[i];

		if (n > most || (n && n == most && strcmp(metric_sources[i].word, word) < 0)) {
			most = n;
			word = metric_sources[i].word;
		}
	}
	return word;
}

void ctprof_walk_tally_summarise(const struct ctprof_walk_tally *tally,
				 struct ctprof_snapshot *snapshot)
{
	struct ctprof_parse_summary *parse = &snapshot->parse;
	uint64_t configured;

	*parse = (struct ctprof_parse_summary){
		.known = true,
		.tids_walked = tally->tids_walked,
		/* Another path may have counted some. */
		.negative_dotted_values = parse->negative_dotted_values + tally->negative_times,
		.dominant_read_failure = intern_add(&snapshot->strings, dominant_file(tally)),
	};
	for (size_t i = 0; i < METRIC_N_SOURCES; i++) {
		parse->read_failures_by_source[i] = tally->failures[i];
		parse->read_failures += tally->failures[i];
		for (size_t j = 0; j < CTPROF_N_REASONS; j++)
			snapshot->reasons[i][j] += tally->reasons[i][j];
	}
	configured = tally->failures[METRIC_SOURCE_SCHEDSTAT] + tally->failures[METRIC_SOURCE_IO];
	parse->kernel_config_dominant = parse->read_failures &&
					configured * 2 >= parse->read_failures;
}

void ctprof_walk_tables_init(struct ctprof_walk_tables *tables, struct ctprof_snapshot *snapshot)
{
	*tables = (struct ctprof_walk_tables){ .snapshot = snapshot };
	pthread_mutex_init(&tables->lock, NULL);
}

void ctprof_walk_tables_deinit(struct ctprof_walk_tables *tables)
{
	vec_deinit(&tables->smaps.rows);
	pthread_mutex_destroy(&tables->lock);
}

uint32_t ctprof_walk_tables_add_string(struct ctprof_walk_tables *tables, struct slice text)
{
	uint32_t id;

	pthread_mutex_lock(&tables->lock);
	id = intern_add_n(&tables->snapshot->strings, text.at, text.n);
	pthread_mutex_unlock(&tables->lock);
	return id;
}

uint32_t ctprof_walk_tables_add_cpus(struct ctprof_walk_tables *tables,
				     const struct procfs_cpu_ids *ids)
{
	uint32_t id;

	pthread_mutex_lock(&tables->lock);
	id = ctprof_snapshot_add_cpu_list(tables->snapshot, ids->ids.at, ids->ids.n);
	pthread_mutex_unlock(&tables->lock);
	return id;
}

/* With no more memory than the rows need. */
static uint32_t keep(struct ctprof_snapshot *snapshot, const struct procfs_named_readings *smaps)
{
	struct procfs_named_readings kept = { .known = true };
	size_t n = smaps->rows.n;

	kept.rows.at = xcalloc(n, sizeof(*kept.rows.at));
	memcpy(kept.rows.at, smaps->rows.at, n * sizeof(*kept.rows.at));
	kept.rows.n = kept.rows.capacity = n;
	vec_push(&snapshot->smaps, kept);
	return (uint32_t)snapshot->smaps.n - 1;
}

bool ctprof_walk_tables_add_smaps(struct ctprof_walk_tables *tables, const char *text, size_t n,
				  uint32_t *ret)
{
	bool sense;

	pthread_mutex_lock(&tables->lock);
	sense = procfs_smaps_rollup_parse(text, n, &tables->snapshot->strings, &tables->smaps);
	if (sense)
		*ret = keep(tables->snapshot, &tables->smaps);
	pthread_mutex_unlock(&tables->lock);
	return sense;
}
