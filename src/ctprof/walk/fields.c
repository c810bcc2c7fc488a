// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/thread.h"

#include <pthread.h>
#include <stdlib.h>

#include "procfs/thread_files.h"

enum { STAT_START_TICKS = 22 };

/* Fields of each source's file. */
static struct procfs_field tables[METRIC_N_SOURCES][METRIC_N];
static struct procfs_fields files[METRIC_N_SOURCES];

_Static_assert((int)METRIC_N < PROCFS_FIELD_NO_BIT, "every metric has a bit");

static enum procfs_form form_of(const struct metric *metric)
{
	switch (metric->kind) {
	case METRIC_KIND_ORDINAL:
	case METRIC_KIND_POLICY:
		return PROCFS_FORM_I32;
	case METRIC_KIND_STATE:
		return PROCFS_FORM_LETTER;
	case METRIC_KIND_FLAG:
		return PROCFS_FORM_FLAG;
	default:
		return metric->source == METRIC_SOURCE_SCHED && metric->unit == METRIC_UNIT_NS
			       ? PROCFS_FORM_TIME
			       : PROCFS_FORM_NUMBER;
	}
}

static void add_field(enum metric_source source, struct procfs_field field)
{
	files[source].at = tables[source];
	tables[source][files[source].n++] = field;
}

static void make_tables(void)
{
	for (uint8_t id = 0; id < METRIC_N; id++)
		if (metric_rows[id].key[0] != '-')
			add_field(
				metric_rows[id].source,
				(struct procfs_field){
					.key = metric_rows[id].key,
					.number = (unsigned int)atoi(metric_rows[id].key),
					.form = form_of(&metric_rows[id]),
					.offset = offsetof(struct metric_thread_sample, values[id]),
					.bit = id,
				});
	add_field(METRIC_SOURCE_STAT,
		  (struct procfs_field){
			  .key = "",
			  .number = STAT_START_TICKS,
			  .offset = offsetof(struct metric_thread_sample, start_ticks),
			  .bit = PROCFS_FIELD_NO_BIT,
		  });
}

static struct procfs_fields fields_of(enum metric_source source)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_tables);
	return files[source];
}

void ctprof_walk_split_sleep(struct metric_thread_sample *sample)
{
	uint64_t *sleep = &sample->values[METRIC_VOLUNTARY_SLEEP_NS];
	uint64_t block = sample->values[METRIC_BLOCK_SUM];

	if (!metric_sample_knows(sample, METRIC_BLOCK_SUM))
		metric_sample_forget(sample, METRIC_VOLUNTARY_SLEEP_NS);
	else if (metric_sample_knows(sample, METRIC_VOLUNTARY_SLEEP_NS))
		*sleep = *sleep > block ? *sleep - block : 0;
}

bool ctprof_walk_take(enum metric_source source, const char *text, size_t n,
		      struct metric_thread_sample *sample, unsigned int *negative_times)
{
	static bool (*const parsers[METRIC_N_SOURCES])(
		struct slice text, struct procfs_fields fields, struct procfs_values *values) = {
		[METRIC_SOURCE_STAT] = procfs_stat_fields,
		[METRIC_SOURCE_SCHEDSTAT] = procfs_schedstat_fields,
		[METRIC_SOURCE_IO] = procfs_lines_fields,
		[METRIC_SOURCE_STATUS] = procfs_lines_fields,
		[METRIC_SOURCE_SCHED] = procfs_sched_fields,
	};
	struct procfs_values values = { .into = sample, .known = sample->known };
	bool makes_sense = parsers[source]((struct slice){ text, n }, fields_of(source), &values);

	if (makes_sense && source == METRIC_SOURCE_SCHED)
		ctprof_walk_split_sleep(sample);
	if (negative_times)
		*negative_times += values.negative_times;
	return makes_sense;
}

bool ctprof_walk_take_status(const char *text, size_t n, struct metric_thread_sample *sample,
			     struct slice *ret_cpus)
{
	bool makes_sense = ctprof_walk_take(METRIC_SOURCE_STATUS, text, n, sample, NULL);
	bool has_cpus = procfs_line_find((struct slice){ text, n }, "Cpus_allowed_list", ret_cpus);

	/* Every thread has the thread count of its process: only the leader's is kept. */
	if (sample->tid != sample->tgid)
		metric_sample_forget(sample, METRIC_NR_THREADS);
	return makes_sense || has_cpus;
}
