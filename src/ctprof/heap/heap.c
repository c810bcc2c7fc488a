// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/heap/heap.h"

#include <unistd.h>

#include "ctprof/stages.h"
#include "probe/tracer.h"
#include "probe/probe.h"

/* A process, which is a stretch of samples. */
struct heap_process {
	size_t first, n;
	struct error *error; /* its objects cannot be listed */
	VEC(uint32_t) objects;
	bool denied;  /* one of its files may not be opened */
	char *failed; /* why, for people; NULL for what is usual */
};

struct heap {
	const struct ctprof_options *options;
	struct ctprof_snapshot *snapshot;
	struct ctprof_heap_objects objects;
	VEC(struct heap_process) processes;
	size_t done;
	pthread_mutex_t lock; /* of the tally, the reasons and done */
	struct ctprof_heap_tally tally;
};

static pid_t tgid_of(const struct heap *heap, const struct heap_process *process)
{
	return (pid_t)heap->snapshot->threads.at[process->first].tgid;
}

static void count_reason(struct heap *heap, enum ctprof_reason reason, uint64_t n)
{
	heap->snapshot->reasons[METRIC_SOURCE_HEAP][reason] += n;
}

/* Our own is not among them. */
static void list_processes(struct heap *heap)
{
	const struct ctprof_snapshot *snapshot = heap->snapshot;
	uint32_t us = (uint32_t)getpid();

	for (size_t i = 0; i < snapshot->threads.n;) {
		struct heap_process process = { .first = i };
		uint32_t tgid = snapshot->threads.at[i].tgid;

		while (i < snapshot->threads.n && snapshot->threads.at[i].tgid == tgid)
			i++;
		process.n = i - process.first;
		if (tgid == us)
			count_reason(heap, CTPROF_SNAPSHOT_REASON_NOT_ASKED, process.n);
		else
			vec_push(&heap->processes, process);
	}
}

/* Which objects it maps: they are opened to see which files they are, and not looked into. */
static void list_objects(void *arg, unsigned int worker UNUSED, size_t begin, size_t end)
{
	struct heap *heap = arg;

	for (size_t i = begin; i < end; i++) {
		struct heap_process *process = &heap->processes.at[i];
		struct probe_objects objects;

		process->error = probe_objects_list(heap->objects.proc_root, tgid_of(heap, process),
						    &objects);
		if (process->error)
			continue;
		for (size_t k = 0; k < objects.rows.n; k++) {
			uint32_t index = ctprof_heap_objects_add(&heap->objects, &objects,
								 &objects.rows.at[k]);

			process->denied |= index == CTPROF_HEAP_NO_OBJECT &&
					   (errno == EACCES || errno == EPERM);
			vec_push(&process->objects, index);
		}
		probe_objects_deinit(&objects);
	}
}

/* What the table knows, for one attach. */
struct table_source {
	struct probe_object_source source;
	const struct ctprof_heap_objects *table;
	bool met_panic;
};

/* NULL, with an error, when the file cannot be opened any more. */
static const struct ctprof_heap_object *find_row(const struct table_source *from,
						 const struct probe_objects *objects,
						 const struct probe_object *object,
						 struct error **ret_error)
{
	uint32_t index = ctprof_heap_objects_find(from->table, objects, object);

	if (index != CTPROF_HEAP_NO_OBJECT)
		return &from->table->rows.at[index];
	*ret_error = base_error(BASE_IO, errno, "cannot open %s", object->path);
	return NULL;
}

/* NULL when it is known. */
static struct error *finding_error(const struct ctprof_heap_finding *found, const char *what,
				   const struct probe_object *object)
{
	if (found->state == CTPROF_HEAP_KNOWN)
		return NULL;
	if (found->state == CTPROF_HEAP_FAILED)
		return ctprof_heap_error_make(&found->error);
	return base_error(BASE_PARSE, 0, "the process that read %s%s crashed", what, object->path);
}

static const struct probe_object_facts *look_up(const struct probe_object_source *source,
						const struct probe_objects *objects,
						const struct probe_object *object,
						struct error **ret_error)
{
	struct table_source *from = (struct table_source *)(uintptr_t)source;
	const struct ctprof_heap_object *row = find_row(from, objects, object, ret_error);

	if (!row)
		return NULL;
	from->met_panic |= row->file.state == CTPROF_HEAP_PANIC;
	*ret_error = finding_error(&row->file, "", object);
	return *ret_error ? NULL : row->facts;
}

static struct error *look_up_counters(const struct probe_object_source *source,
				      const struct probe_objects *objects,
				      const struct probe_object *object,
				      struct probe_counter_offsets *ret)
{
	struct table_source *from = (struct table_source *)(uintptr_t)source;
	struct error *err = NULL;
	const struct ctprof_heap_object *row = find_row(from, objects, object, &err);

	if (!row)
		return err;
	row = &from->table->rows.at[row->twin];
	from->met_panic |= row->debug_info.state == CTPROF_HEAP_PANIC ||
			   row->debug_info.state == CTPROF_HEAP_UNKNOWN;
	err = finding_error(&row->debug_info, "the debug information of ", object);
	if (!err)
		*ret = row->counters;
	return err;
}

/* A file that was not read may; attaching finds the words for it. */
static bool may_hold_it(const struct ctprof_heap_error *failure)
{
	_cleanup_error_ struct error *err = ctprof_heap_error_make(failure);

	return failure->errnum == EACCES || failure->errnum == EPERM ||
	       probe_object_error_leaves_open(err);
}

/* Nothing of it is jemalloc, and every file of it was read: as attaching would find out. */
static bool surely_has_none(const struct heap *heap, const struct heap_process *process)
{
	for (size_t i = 0; i < process->objects.n; i++) {
		const struct ctprof_heap_object *row;

		if (process->objects.at[i] == CTPROF_HEAP_NO_OBJECT)
			return false;
		row = &heap->objects.rows.at[process->objects.at[i]];
		if (row->file.state == CTPROF_HEAP_PANIC || ctprof_heap_object_is_candidate(row) ||
		    (i == 0 && (row->file.state != CTPROF_HEAP_KNOWN ||
				row->facts->machine != PROBE_ARCH_MACHINE)) ||
		    (row->file.state == CTPROF_HEAP_FAILED && may_hold_it(&row->file.error)))
			return false;
	}
	return process->objects.n > 0;
}

static enum ctprof_reason reason_of_attach(int kind, int errnum)
{
	if (errnum == EACCES || errnum == EPERM)
		return CTPROF_SNAPSHOT_REASON_NO_PERMISSION;
	if (kind == PROBE_ATTACH_PID_MISSING || errnum == ESRCH)
		return CTPROF_SNAPSHOT_REASON_VANISHED;
	if (kind == PROBE_ATTACH_JEMALLOC_NOT_FOUND)
		return CTPROF_SNAPSHOT_REASON_NO_JEMALLOC;
	/* A kernel thread has no program. */
	if (kind == PROBE_ATTACH_READLINK_FAILURE && errnum == ENOENT)
		return CTPROF_SNAPSHOT_REASON_NO_MEMORY;
	return CTPROF_SNAPSHOT_REASON_OTHER;
}

static void note_failure(struct heap *heap, struct heap_process *process, const char *tag,
			 const char *message)
{
	process->failed = xasprintf("no heap counters of process %d: [%s] %s",
				    (int)tgid_of(heap, process), tag, message);
}

/* Takes the error. */
static void attach_failed(struct heap *heap, struct heap_process *process, struct error *err,
			  bool met_panic)
{
	_cleanup_error_ struct error *owned = err;
	int kind = error_kind_of(err), errnum = error_errno(err);

	if (error_is(err, &base_error_domain, BASE_CANCELLED))
		return;
	pthread_mutex_lock(&heap->lock);
	if (met_panic) {
		ctprof_heap_tally_panic(&heap->tally);
		count_reason(heap, CTPROF_SNAPSHOT_REASON_OTHER, process->n);
		note_failure(heap, process, CTPROF_HEAP_WORKER_PANIC, error_message(err));
	} else {
		if (ctprof_heap_tally_not_attached(&heap->tally, (enum probe_attach_error_kind)kind,
						   errnum))
			note_failure(heap, process, error_tag(err), error_message(err));
		count_reason(heap, reason_of_attach(kind, errnum), process->n);
	}
	pthread_mutex_unlock(&heap->lock);
}

static void thread_failed(struct heap *heap, enum probe_thread_error_kind kind, int errnum)
{
	ctprof_heap_tally_not_read(&heap->tally, kind, errnum);
	if (errnum == EACCES || errnum == EPERM)
		count_reason(heap, CTPROF_SNAPSHOT_REASON_NO_PERMISSION, 1);
	else
		count_reason(heap,
			     errnum == ESRCH ? CTPROF_SNAPSHOT_REASON_VANISHED
					     : CTPROF_SNAPSHOT_REASON_OTHER,
			     1);
}

static void take_thread(struct heap *heap, struct metric_thread_sample *sample,
			const struct probe_thread *thread)
{
	if (thread->error) {
		thread_failed(heap, (enum probe_thread_error_kind)error_kind_of(thread->error),
			      error_errno(thread->error));
		return;
	}
	if (thread->has_start_time && sample->start_ticks &&
	    thread->start_time_jiffies != sample->start_ticks) {
		thread_failed(heap, PROBE_THREAD_PROCESS_VM_READV, ESRCH);
		return;
	}
	metric_sample_set(sample, METRIC_ALLOCATED_BYTES, thread->allocated_bytes);
	metric_sample_set(sample, METRIC_DEALLOCATED_BYTES, thread->deallocated_bytes);
	sample->sources |= METRIC_SOURCE_BIT(HEAP);
	ctprof_heap_tally_read(&heap->tally);
}

/* Both are in the order of their threads; one that began since the walk is left out. */
static void take_threads(struct heap *heap, const struct heap_process *process,
			 const struct probe_snapshot *seen)
{
	size_t at = 0;

	for (size_t i = process->first; i < process->first + process->n; i++) {
		struct metric_thread_sample *sample = &heap->snapshot->threads.at[i];

		while (at < seen->n_threads && (uint32_t)seen->threads[at].tid < sample->tid)
			at++;
		if (at < seen->n_threads && (uint32_t)seen->threads[at].tid == sample->tid)
			take_thread(heap, sample, &seen->threads[at]);
		else
			thread_failed(heap, PROBE_THREAD_PROCESS_VM_READV, ESRCH);
	}
}

static void read_counters(struct heap *heap, struct heap_process *process, struct probe *probe)
{
	struct probe_snapshot seen = { 0 };
	_cleanup_error_ struct error *err = probe_take_snapshot(probe, &seen);
	bool replaced = probe_target_was_replaced(probe);

	pthread_mutex_lock(&heap->lock);
	ctprof_heap_tally_attached(&heap->tally);
	if (err || replaced)
		for (size_t i = 0; i < process->n; i++)
			thread_failed(heap, PROBE_THREAD_PROCESS_VM_READV,
				      err ? error_errno(err) : ESRCH);
	else if (!seen.interrupted)
		take_threads(heap, process, &seen);
	pthread_mutex_unlock(&heap->lock);
	probe_snapshot_deinit(&seen);
}

static void read_process(struct heap *heap, struct heap_process *process)
{
	struct table_source source = { { look_up, look_up_counters }, &heap->objects, false };
	const struct probe_options options = {
		.proc_root = heap->objects.proc_root,
		.stop = PROBE_STOP_NEVER,
		.cancel = heap->options->cancel,
		.source = &source.source,
	};
	_cleanup_(cleanup_probe) struct probe *probe = NULL;
	struct error *err = take_ptr(process->error);

	if (!err && !process->denied && surely_has_none(heap, process))
		err = probe_attach_error(PROBE_ATTACH_JEMALLOC_NOT_FOUND, 0,
					 "no object contains jemalloc");
	if (!err)
		err = probe_attach(tgid_of(heap, process), &options, &probe);
	if (err)
		attach_failed(heap, process, err, source.met_panic);
	else
		read_counters(heap, process, probe);
}

static void read_some(void *arg, unsigned int worker, size_t begin, size_t end)
{
	struct heap *heap = arg;
	struct ctprof_progress progress = {
		.processes_total = heap->processes.n,
		.threads = heap->snapshot->threads.n,
		.stage = "heap",
	};

	for (size_t i = begin; i < end; i++)
		read_process(heap, &heap->processes.at[i]);
	pthread_mutex_lock(&heap->lock);
	progress.processes_done = heap->done += end - begin;
	pthread_mutex_unlock(&heap->lock);
	if (worker == 0 && heap->options->progress)
		heap->options->progress(&progress, heap->options->arg);
}

static void run(struct heap *heap, const struct ctprof_helper_limits *limits)
{
	const struct ctprof_options *options = heap->options;
	unsigned int jobs;

	list_processes(heap);
	jobs = ctprof_parallel_jobs(options, heap->processes.n);
	ctprof_parallel_run(jobs, heap->processes.n, 1, options->cancel, list_objects, heap);
	ctprof_heap_objects_resolve(&heap->objects, jobs, limits, options->cancel);
	ctprof_parallel_run(jobs, heap->processes.n, 1, options->cancel, read_some, heap);
	for (size_t i = 0; i < heap->processes.n; i++) {
		struct heap_process *process = &heap->processes.at[i];

		if (process->failed && options->note)
			options->note(process->failed, options->arg);
		free(process->failed);
		error_free(process->error);
		vec_deinit(&process->objects);
	}
	ctprof_heap_tally_summarise(&heap->tally, heap->snapshot);
	if (heap->tally.probed_ok)
		heap->snapshot->paths[METRIC_SOURCE_HEAP] = CTPROF_SNAPSHOT_PATH_MEMORY;
}

void ctprof_read_heap_within(const struct ctprof_options *options,
			     const struct ctprof_helper_limits *limits,
			     struct ctprof_snapshot *snapshot)
{
	_cleanup_free_ char *proc_root = xasprintf("%s/proc", options->root);
	struct heap heap = { .options = options, .snapshot = snapshot };

	if (!options->live || !(options->sources & METRIC_SOURCE_BIT(HEAP))) {
		count_reason(&heap, CTPROF_SNAPSHOT_REASON_NOT_ASKED, snapshot->threads.n);
		return;
	}
	ctprof_heap_objects_init(&heap.objects, proc_root);
	pthread_mutex_init(&heap.lock, NULL);
	run(&heap, limits);
	pthread_mutex_destroy(&heap.lock);
	ctprof_heap_objects_deinit(&heap.objects);
	vec_deinit(&heap.processes);
}

void ctprof_read_heap(const struct ctprof_options *options, struct ctprof_snapshot *snapshot)
{
	ctprof_read_heap_within(options, &ctprof_helper_default_limits, snapshot);
}
