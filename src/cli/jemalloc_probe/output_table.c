// SPDX-License-Identifier: GPL-2.0-or-later
/* The form for people: what each thread holds, and how fast it allocates. */
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <stdlib.h>

#include "text/escape.h"
#include "text/number.h"

enum { RATE_COLUMNS = 2 };

static const struct text_column columns[] = {
	{ .title = "TID", .right = true },	  { .title = "NAME", .shrinks = true },
	{ .title = "ALLOCATED", .right = true },  { .title = "FREED", .right = true },
	{ .title = "DIFFERENCE", .right = true }, { .title = "ALLOC RATE", .right = true },
	{ .title = "FREE RATE", .right = true },
};

struct sighting {
	const struct probe_thread *thread;
	uint64_t at_ns;
};

typedef VEC(struct sighting) sighting_vec;

static int compare_sightings(const void *a_, const void *b_)
{
	const struct sighting *a = a_, *b = b_;

	if (a->thread->tid != b->thread->tid)
		return a->thread->tid < b->thread->tid ? -1 : 1;
	/* A number given to a new thread is another thread. */
	if (a->thread->start_time_jiffies != b->thread->start_time_jiffies)
		return a->thread->start_time_jiffies < b->thread->start_time_jiffies ? -1 : 1;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return 0;
}

static bool same_thread(const struct sighting *a, const struct sighting *b)
{
	return a->thread->tid == b->thread->tid &&
	       a->thread->start_time_jiffies == b->thread->start_time_jiffies;
}

/* Counters only grow; one that shrank wrapped or was read wrongly, and has no rate. */
static void add_rate(struct text_table *table, uint64_t before, uint64_t after, uint64_t ns)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (after < before || ns == 0) {
		text_table_add(table, NULL);
		return;
	}
	text_format_rate(&text, after - before, ns);
	text_table_add(table, strbuf_str(&text));
}

static void add_row(struct text_table *table, const struct sighting *first,
		    const struct sighting *last, bool with_rates)
{
	const struct probe_thread *thread = last->thread;
	uint64_t ns = last->at_ns - first->at_ns;
	_cleanup_strbuf_ struct strbuf difference = STRBUF_INIT;

	text_table_addf(table, "%d", thread->tid);
	text_table_add(table, thread->comm);
	text_table_add_bytes(table, thread->allocated_bytes);
	text_table_add_bytes(table, thread->deallocated_bytes);
	text_format_bytes_difference(&difference, thread->allocated_bytes,
				     thread->deallocated_bytes);
	text_table_add(table, strbuf_str(&difference));
	if (!with_rates)
		return;
	add_rate(table, first->thread->allocated_bytes, thread->allocated_bytes, ns);
	add_rate(table, first->thread->deallocated_bytes, thread->deallocated_bytes, ns);
}

static void format_heading(const struct probe_report *report, struct strbuf *into)
{
	size_t n = report->snapshots.n;

	strbuf_appendf(into, "pid %d", report->pid);
	if (n > 1) {
		strbuf_appendf(into, ", %zu snapshots in ", n);
		text_format_duration(into, report->snapshots.at[n - 1].monotonic_ns -
						   report->snapshots.at[0].monotonic_ns);
	}
	if (report->object) {
		strbuf_append(into, ", ");
		text_escape(into, report->object);
	}
	if (report->evidence)
		strbuf_appendf(into, ", evidence: %s", report->evidence);
	if (report->stopped_threads) {
		strbuf_appendf(into, ", %llu %s, ", (unsigned long long)report->stopped_threads,
			       report->stopped_threads == 1 ? "stop" : "stops");
		text_format_duration(into, report->stopped_ns_total);
		strbuf_append(into, " in all");
	} else {
		strbuf_append(into, ", no thread was stopped");
	}
	strbuf_append(into, report->interrupted ? ", interrupted\n" : "\n");
}

void output_table(const struct probe_report *report, const struct text_look *look,
		  struct strbuf *into)
{
	bool with_rates = report->snapshots.n > 1;
	_cleanup_text_table_ struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns) - (with_rates ? 0 : RATE_COLUMNS));
	sighting_vec seen = VEC_INIT;

	format_heading(report, into);
	for (size_t i = 0; i < report->snapshots.n; i++) {
		const struct probe_snapshot *snapshot = &report->snapshots.at[i];

		for (size_t j = 0; j < snapshot->n_threads; j++) {
			if (!snapshot->threads[j].error)
				vec_push(&seen, (struct sighting){ &snapshot->threads[j],
								   snapshot->monotonic_ns });
		}
	}
	if (seen.n == 0)
		return;
	qsort(seen.at, seen.n, sizeof(*seen.at), compare_sightings);
	for (size_t first = 0, next; first < seen.n; first = next) {
		next = first + 1;
		while (next < seen.n && same_thread(&seen.at[first], &seen.at[next]))
			next++;
		add_row(table, &seen.at[first], &seen.at[next - 1], with_rates);
	}
	text_table_format(table, look, into);
	vec_deinit(&seen);
}
