// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/layout.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "probe/state.h"

#define LAYOUT(version_, tls_bytes_, state_, rtree_ctx_, allocated_, next_event_, deallocated_, \
	       origin_)                                                                         \
	{                                                                                       \
		.version = version_,                                                            \
		.tls_bytes = tls_bytes_,                                                        \
		.state = state_,                                                                \
		.rtree_ctx = rtree_ctx_,                                                        \
		.allocated = allocated_,                                                        \
		.next_event = next_event_,                                                      \
		.deallocated = deallocated_,                                                    \
		.origin = origin_,                                                              \
	},

const struct probe_layout probe_layouts[] = {
#include "probe/layouts.def"
#include "probe/layouts_observed.def"
};

const size_t probe_n_layouts = ARRAY_SIZE(probe_layouts);

/* jemalloc 5.3: TE_MAX_INTERVAL, the longest way to the next event. */
#define MAX_EVENT_DISTANCE (UINT64_C(4) << 20)
/* Keys of the radix tree's cache: low bits that are zero whatever the size of pages. */
#define KEY_LOW_BITS ((UINT64_C(1) << 21) - 1)
/* User space ends below. */
#define ADDRESS_END (UINT64_C(1) << 56)

const struct probe_layout *probe_layout_find(const char *version)
{
	for (size_t i = 0; i < probe_n_layouts; i++)
		if (strncmp(probe_layouts[i].version, version, strlen(probe_layouts[i].version)) ==
		    0)
			return &probe_layouts[i];
	return NULL;
}

static bool is_within_symbol(const struct probe_jemalloc_signs *signs, uint64_t offset)
{
	return !signs->has_symbol || (offset >= signs->symbol_offset &&
				      offset - signs->symbol_offset < signs->symbol_bytes);
}

size_t probe_layout_shifts(const struct probe_layout *layout,
			   const struct probe_object_facts *facts, int64_t *ret)
{
	bool rtree_is_before = layout->rtree_ctx < layout->state;
	size_t n = 0;

	for (size_t i = 0; i < facts->n_tsd_places; i++) {
		const struct probe_tsd_place *place = &facts->tsd_places[i];

		if (place->rtree_is_before == rtree_is_before &&
		    is_within_symbol(&facts->signs, place->state))
			ret[n++] = (int64_t)(place->state - layout->state);
	}
	return n;
}

/* False when a pair is neither empty nor a key and a pointer. */
static bool check_cache(const struct probe_layout_sample *sample, size_t *ret_used)
{
	size_t used = 0;

	for (size_t i = 0; i < PROBE_TSD_RTREE_PAIRS; i++) {
		uint64_t key = sample->rtree_ctx[2 * i], leaf = sample->rtree_ctx[2 * i + 1];

		if (key == PROBE_TSD_RTREE_NO_KEY && leaf == 0)
			continue;
		if (key == 0 || key & KEY_LOW_BITS || key >= ADDRESS_END || leaf == 0 || leaf % 8 ||
		    leaf >= ADDRESS_END)
			return false;
		used++;
	}
	*ret_used = used;
	return true;
}

static bool is_untouched(const struct probe_layout *layout,
			 const struct probe_layout_sample *sample)
{
	bool has_events = layout->next_event;

	for (size_t i = 0; i < PROBE_TSD_RTREE_PAIRS; i++)
		if (sample->rtree_ctx[2 * i] != (has_events ? PROBE_TSD_RTREE_NO_KEY : 0) ||
		    sample->rtree_ctx[2 * i + 1])
			return false;
	return sample->allocated == 0 && sample->deallocated == 0 &&
	       (!has_events || (sample->next_event == 0 && sample->next_free_event == 0));
}

/* 0 is a thread that must not take the fast path; one that takes it always has an event ahead. */
static bool event_fits(uint64_t counter, uint64_t event, uint8_t state)
{
	if (event == 0)
		return state != 0;
	return event > counter && event - counter <= MAX_EVENT_DISTANCE;
}

enum probe_layout_verdict probe_layout_judge(const struct probe_layout *layout,
					     const struct probe_layout_sample *sample)
{
	size_t used;

	if (sample->state == PROBE_TSD_STATE_UNINITIALIZED)
		return is_untouched(layout, sample) ? PROBE_LAYOUT_FITS : PROBE_LAYOUT_MISFIT;
	if (sample->state > PROBE_TSD_STATE_UNINITIALIZED || !check_cache(sample, &used))
		return PROBE_LAYOUT_MISFIT;
	if (layout->next_event &&
	    (!event_fits(sample->allocated, sample->next_event, sample->state) ||
	     !event_fits(sample->deallocated, sample->next_free_event, sample->state)))
		return PROBE_LAYOUT_MISFIT;
	/* An event ahead proves as much as a key that was looked up. */
	return sample->state <= PROBE_TSD_STATE_LAST_NOMINAL && sample->allocated &&
			       (used || sample->next_event)
		       ? PROBE_LAYOUT_PROVEN
		       : PROBE_LAYOUT_FITS;
}

bool probe_layout_samples_fit(const struct probe_layout_sample *first,
			      const struct probe_layout_sample *second)
{
	return second->allocated >= first->allocated && second->deallocated >= first->deallocated;
}

/* A thread in the middle of an allocation may be past its event for an instant. */
enum { LOOKS = 5 };
#define LOOK_PAUSE_NS NS_PER_MS
/* From the first to the last byte that a row names. */
enum { MAX_SPAN_BYTES = 1024 };

enum look {
	LOOK_SEEN,
	LOOK_NOTHING, /* the thread never used the library, or its stack is another's by now */
	LOOK_BLIND,   /* nothing could be read */
};

/* A row in one object of one process. */
struct claim {
	const struct probe_layout *layout;
	int64_t shift;
	uint64_t begin; /* of all that is looked at, in the row's own segment */
	size_t span;
};

/* How many threads confirmed or refuted the layout. */
struct tally {
	size_t proven, misfit, seen, untouched;
	pid_t misfit_tid;
};

static uint64_t min_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct claim claim_of(const struct probe_layout *layout, int64_t shift)
{
	/* Behind the second counter lies its next event, if the first has one. */
	uint64_t end = layout->deallocated + (layout->next_event ? 2 : 1) * sizeof(uint64_t);
	struct claim claim = { .layout = layout, .shift = shift };

	claim.begin = min_of(min_of(layout->state, layout->rtree_ctx), layout->allocated);
	end = max_of(end, layout->rtree_ctx + PROBE_TSD_RTREE_BYTES);
	claim.span = (size_t)(max_of(end, layout->state + 1) - claim.begin);
	return claim;
}

static struct probe_layout_sample take_apart(const struct claim *claim, const uint8_t *bytes)
{
	const struct probe_layout *layout = claim->layout;
	uint64_t begin = claim->begin;
	struct probe_layout_sample sample = { .state = bytes[layout->state - begin] };

	memcpy(&sample.allocated, bytes + (layout->allocated - begin), sizeof(uint64_t));
	memcpy(&sample.deallocated, bytes + (layout->deallocated - begin), sizeof(uint64_t));
	memcpy(sample.rtree_ctx, bytes + (layout->rtree_ctx - begin), sizeof(sample.rtree_ctx));
	if (layout->next_event) {
		memcpy(&sample.next_event, bytes + (layout->next_event - begin), sizeof(uint64_t));
		memcpy(&sample.next_free_event,
		       bytes + (layout->deallocated + sizeof(uint64_t) - begin), sizeof(uint64_t));
	}
	return sample;
}

/* One read over all that the row names, so that it belongs to one moment as far as possible;
 * whose it was is read last. */
static enum look look_at(const struct probe *probe, const struct claim *claim,
			 const struct probe_listed_thread *thread, struct probe_layout_sample *ret)
{
	struct probe_counter_read read = { .thread_pointer = thread->thread_pointer };
	uint8_t bytes[MAX_SPAN_BYTES];
	int32_t tid = thread->tid;
	struct probe_remote_range ranges[2] = {
		{ .into = bytes, .n = claim->span, .status = PROBE_REMOTE_FAULT },
		{ thread->thread_pointer + probe->glibc.threads.pthread_tid, &tid, sizeof(tid),
		  PROBE_REMOTE_FAULT },
	};

	probe_counters_locate(&probe->memory.remote, &probe->glibc, &probe->place, 0, &read, 1);
	if (read.status != PROBE_COUNTER_OK)
		return LOOK_BLIND;
	if (!read.address)
		return LOOK_NOTHING;
	ranges[0].address = read.address + (uint64_t)claim->shift + claim->begin;
	probe_remote_read_many(&probe->memory.remote, ranges, probe->has_glibc ? 2 : 1);
	if (ranges[0].status != PROBE_REMOTE_OK ||
	    (probe->has_glibc && ranges[1].status != PROBE_REMOTE_OK))
		return LOOK_BLIND;
	if (tid != thread->tid)
		return LOOK_NOTHING;
	*ret = take_apart(claim, bytes);
	return LOOK_SEEN;
}

/* Samples the thread, a few times if needed; later than `earlier` if that is given. */
static enum look judge(const struct probe *probe, const struct claim *claim,
		       const struct probe_listed_thread *thread,
		       const struct probe_layout_sample *earlier, struct probe_layout_sample *ret,
		       enum probe_layout_verdict *ret_verdict)
{
	enum look look = LOOK_BLIND;

	*ret_verdict = PROBE_LAYOUT_MISFIT;
	for (int i = 0; i < LOOKS && *ret_verdict == PROBE_LAYOUT_MISFIT; i++) {
		if (i && !cancel_sleep(probe->cancel, LOOK_PAUSE_NS))
			return look;
		look = look_at(probe, claim, thread, ret);
		if (look != LOOK_SEEN)
			return look;
		*ret_verdict = probe_layout_judge(claim->layout, ret);
		if (earlier && !probe_layout_samples_fit(earlier, ret))
			*ret_verdict = PROBE_LAYOUT_MISFIT;
	}
	return look;
}

static void ask(const struct probe *probe, const struct claim *claim,
		const struct probe_listed_thread *thread, struct tally *tally)
{
	struct probe_layout_sample first, second;
	enum probe_layout_verdict verdict;
	enum look look = judge(probe, claim, thread, NULL, &first, &verdict);

	if (look == LOOK_SEEN && verdict != PROBE_LAYOUT_MISFIT)
		look = judge(probe, claim, thread, &first, &second, &verdict);
	tally->untouched += look == LOOK_NOTHING;
	if (look != LOOK_SEEN)
		return;
	tally->seen++;
	tally->proven += verdict == PROBE_LAYOUT_PROVEN;
	if (verdict == PROBE_LAYOUT_MISFIT) {
		tally->misfit++;
		tally->misfit_tid = thread->tid;
	}
}

static struct error *not_proven(const struct probe_layout *layout, const char *why)
{
	return probe_attach_error(PROBE_ATTACH_DWARF_PARSE_FAILURE, 0,
				  "the layout known for jemalloc %s (%s) %s", layout->version,
				  layout->origin, why);
}

/*
 * One thread that proves it is enough: the place is the same in all. A thread caught in the middle
 * of something may not fit, but not as many as prove it.
 */
static struct error *conclude(const struct probe *probe, const struct probe_layout *layout,
			      const struct tally *tally)
{
	enum probe_remote_status access;

	if (tally->proven > tally->misfit)
		return NULL;
	if (tally->misfit) {
		_cleanup_free_ char *why = xasprintf("does not match the memory of thread %d",
						     (int)tally->misfit_tid);

		return not_proven(layout, why);
	}
	if (tally->seen + tally->untouched)
		return not_proven(layout, "cannot be proven: no thread has allocated with it yet");
	/* Unreadable memory or forbidden stops: each thread will report that as its error. */
	access = probe_remote_access(&probe->memory.remote);
	if (access == PROBE_REMOTE_DENIED || access == PROBE_REMOTE_GONE ||
	    (!probe->has_glibc && probe->stop == PROBE_STOP_NEVER))
		return NULL;
	return not_proven(layout, "could not be compared with the process");
}

struct error *probe_validate_layout(struct probe *probe, const struct probe_layout *layout,
				    int64_t shift)
{
	const struct claim claim = claim_of(layout, shift);
	struct probe_attach_threads threads;
	struct tally tally = { 0 };
	struct error *err = NULL;

	if (claim.span > MAX_SPAN_BYTES)
		return not_proven(layout, "is too wide");
	probe_attach_threads_collect(probe, &threads);
	for (size_t i = 0; i < threads.rows.n && !err; i++) {
		err = cancel_error(probe->cancel, "comparing the layout with the process");
		if (!err)
			ask(probe, &claim, &threads.rows.at[i], &tally);
	}
	vec_deinit(&threads.rows);
	if (!err)
		err = cancel_error(probe->cancel, "comparing the layout with the process");
	return err ? err : conclude(probe, layout, &tally);
}

/* Of a walk when the number of threads is unknown. */
enum { MAX_STEPS = 65536 };

/* The main thread's pointer by stopping it: for processes whose thread list cannot be read. */
static void stop_for_pointer(struct probe *probe, struct probe_attach_threads *threads)
{
	struct probe_stopped_thread stopped;
	struct probe_listed_thread thread = { .tid = probe->pid };
	_cleanup_error_ struct error *err = probe_tracer_stop(&probe->tracer, probe->pid, &stopped);

	if (err)
		return;
	err = probe_tracer_thread_pointer(&stopped, &thread.thread_pointer);
	probe_tracer_release(&probe->tracer, &stopped);
	if (!err)
		vec_push(&threads->rows, thread);
}

/* As many nodes as there are threads, twice, and some on their way in or out. */
static size_t walk_bound(struct probe *probe)
{
	struct procfs_id_list listed;
	_cleanup_error_ struct error *gone = NULL;
	size_t n;

	if (!probe->tasks.dir)
		return MAX_STEPS;
	gone = procfs_task_dir_list(&probe->tasks, &listed);
	if (gone)
		return 0;
	n = listed.ids.n;
	procfs_id_list_deinit(&listed);
	return 2 * n + 1024;
}

void probe_attach_threads_collect(struct probe *probe, struct probe_attach_threads *ret)
{
	struct probe_attach_threads threads = { VEC_INIT };

	if (probe->has_glibc) {
		struct probe_thread_list list;

		probe_thread_list_walk(&probe->memory.remote, &probe->glibc.threads,
				       walk_bound(probe), &list);
		for (size_t i = 0; i < list.threads.n; i++)
			vec_push(&threads.rows, list.threads.at[i]);
		probe_thread_list_deinit(&list);
	}
	if (threads.rows.n == 0 && probe->stop != PROBE_STOP_NEVER)
		stop_for_pointer(probe, &threads);
	*ret = threads;
}

bool probe_attach_threads_allocated(struct probe *probe, uint64_t *ret)
{
	struct probe_attach_threads threads;
	_cleanup_free_ struct probe_counter_read *reads = NULL;
	uint64_t total = 0;
	bool any = false;

	probe_attach_threads_collect(probe, &threads);
	reads = xcalloc(threads.rows.n, sizeof(*reads));
	for (size_t i = 0; i < threads.rows.n; i++)
		reads[i].thread_pointer = threads.rows.at[i].thread_pointer;
	probe_counters_read(&probe->memory.remote, &probe->glibc, &probe->place, reads,
			    threads.rows.n);
	for (size_t i = 0; i < threads.rows.n; i++) {
		if (reads[i].status != PROBE_COUNTER_OK)
			continue;
		any = true;
		total += reads[i].allocated_bytes;
	}
	vec_deinit(&threads.rows);
	*ret = total;
	return any;
}
