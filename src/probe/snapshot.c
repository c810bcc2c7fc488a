// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/probe.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "probe/state.h"

/*
 * A thread can be visible in /proc a moment before glibc knows its tid, and
 * after glibc forgot it. Looking again is cheaper than stopping it.
 */
enum { WALK_ROUNDS = 4 };
#define WALK_PAUSE_NS (200 * UINT64_C(1000))

/* One thread's way through a snapshot. */
struct attempt {
	struct probe_known_thread *thread;
	struct error *error;
	bool done; /* error or counters are final */
	struct probe_counter_read read;
};

static struct error *gone_error(pid_t tid, const char *how)
{
	return probe_thread_error(PROBE_THREAD_PROCESS_VM_READV, ESRCH, "thread %d %s", (int)tid,
				  how);
}

static struct error *read_error(const struct probe_counter_read *read, pid_t tid)
{
	if (read->status == PROBE_COUNTER_NO_ADDRESS)
		return probe_thread_error(PROBE_THREAD_TLS_ARITHMETIC, 0,
					  "thread %d: thread pointer %#" PRIx64
					  " leaves no room for the thread-local block",
					  (int)tid, read->thread_pointer);
	return probe_thread_error(PROBE_THREAD_PROCESS_VM_READV, probe_remote_errno(read->why),
				  "process_vm_readv of thread %d at %#" PRIx64, (int)tid,
				  read->address);
}

static bool any_pointer_missing(const struct probe_known_threads *known)
{
	for (size_t i = 0; i < known->rows.n; i++)
		if (!known->rows.at[i].has_pointer)
			return true;
	return false;
}

static void find_pointers(struct probe *probe)
{
	size_t max_steps = 2 * probe->known.rows.n + 1024;

	if (!probe->has_glibc || probe->stop == PROBE_STOP_ALWAYS)
		return;
	for (int round = 0; round < WALK_ROUNDS && any_pointer_missing(&probe->known); round++) {
		struct probe_thread_list list;

		if (round && !cancel_sleep(probe->cancel, WALK_PAUSE_NS))
			return;
		probe_thread_list_walk(&probe->memory.remote, &probe->glibc.threads, max_steps,
				       &list);
		probe_known_threads_take_pointers(&probe->known, &list);
		probe_thread_list_deinit(&list);
	}
}

/*
 * glibc keeps the stacks of dead threads mapped, so numbers can be read from a
 * thread that is gone. The kernel clears pthread.tid when a thread ends: read after
 * the counters, it proves that they were those of this thread.
 */
static void check_tids(const struct probe *probe, struct attempt **attempts, size_t n)
{
	_cleanup_free_ struct probe_remote_range *ranges = xcalloc(n, sizeof(*ranges));
	_cleanup_free_ int32_t *tids = xcalloc(n, sizeof(*tids));

	for (size_t i = 0; i < n; i++)
		ranges[i] = (struct probe_remote_range){ attempts[i]->thread->thread_pointer +
								 probe->glibc.threads.pthread_tid,
							 &tids[i], sizeof(tids[i]),
							 PROBE_REMOTE_FAULT };
	probe_remote_read_many(&probe->memory.remote, ranges, n);
	for (size_t i = 0; i < n; i++) {
		struct attempt *attempt = attempts[i];
		struct probe_known_thread *thread = attempt->thread;

		if (ranges[i].status == PROBE_REMOTE_OK && tids[i] == thread->inner_tid)
			continue;
		thread->has_pointer = false;
		attempt->done = true;
		if (!attempt->error)
			attempt->error = gone_error(thread->tid, "ended while it was read");
	}
}

static void confirm(const struct probe *probe, struct attempt *attempt)
{
	struct error *err = probe_known_thread_confirm(attempt->thread, &probe->tasks);

	if (!err)
		return;
	attempt->thread->has_pointer = false;
	/* An earlier error is more precise; a number read before may belong to another thread. */
	if (attempt->error)
		error_free(err);
	else
		attempt->error = error_recast(err, &probe_thread_error_domain,
					      PROBE_THREAD_PROCESS_VM_READV);
}

/* Every thread whose pointer is known, in a few system calls. */
static void read_without_stopping(struct probe *probe, struct attempt *attempts, size_t n)
{
	_cleanup_free_ struct probe_counter_read *reads = xcalloc(n, sizeof(*reads));
	_cleanup_free_ struct attempt **to_check = xcalloc(n, sizeof(*to_check));
	size_t n_reads = 0, n_checks = 0;

	for (size_t i = 0; i < n; i++)
		if (attempts[i].thread->has_pointer)
			reads[n_reads++].thread_pointer = attempts[i].thread->thread_pointer;
	probe_counters_read(&probe->memory.remote, &probe->glibc, &probe->place, reads, n_reads);
	n_reads = 0;
	for (size_t i = 0; i < n; i++) {
		struct attempt *attempt = &attempts[i];

		if (!attempt->thread->has_pointer)
			continue;
		attempt->read = reads[n_reads++];
		attempt->done = true;
		if (attempt->read.status != PROBE_COUNTER_OK)
			attempt->error = read_error(&attempt->read, attempt->thread->tid);
		if (attempt->thread->method == PROBE_METHOD_GLIBC)
			to_check[n_checks++] = attempt;
	}
	check_tids(probe, to_check, n_checks);
	for (size_t i = 0; i < n; i++)
		if (attempts[i].done)
			confirm(probe, &attempts[i]);
}

static void read_stopped(struct probe *probe, struct attempt *attempt)
{
	struct probe_known_thread *thread = attempt->thread;
	struct probe_stopped_thread stopped;

	attempt->error = probe_tracer_stop(&probe->tracer, thread->tid, &stopped);
	if (error_is(attempt->error, &base_error_domain, BASE_CANCELLED)) {
		error_free(take_ptr(attempt->error));
		attempt->done = false;
	}
	if (attempt->error || !attempt->done)
		return;
	attempt->error = probe_tracer_thread_pointer(&stopped, &attempt->read.thread_pointer);
	if (!attempt->error) {
		probe_counters_read(&probe->memory.remote, &probe->glibc, &probe->place,
				    &attempt->read, 1);
		if (attempt->read.status != PROBE_COUNTER_OK)
			attempt->error = read_error(&attempt->read, thread->tid);
	}
	if (!attempt->error) {
		thread->has_pointer = true;
		thread->thread_pointer = attempt->read.thread_pointer;
		thread->method = PROBE_METHOD_PTRACE;
	}
	/* While it is stopped, its tid cannot be reused. */
	confirm(probe, attempt);
	probe_tracer_release(&probe->tracer, &stopped);
}

static struct error *no_pointer_error(const struct probe *probe, pid_t tid)
{
	if (probe_remote_access(&probe->memory.remote) == PROBE_REMOTE_DENIED)
		return probe_thread_error(PROBE_THREAD_PROCESS_VM_READV, EPERM,
					  "process_vm_readv of thread %d", (int)tid);
	return probe_thread_error(
		PROBE_THREAD_POINTER, 0,
		"thread %d is not in glibc's thread list, and stopping it is forbidden", (int)tid);
}

static void read_one_by_one(struct probe *probe, struct attempt *attempt)
{
	struct probe_known_thread *thread = attempt->thread;

	attempt->done = true;
	if (!procfs_task_dir_contains(&probe->tasks, thread->tid))
		attempt->error = gone_error(thread->tid, "ended");
	else if (probe->stop == PROBE_STOP_NEVER)
		attempt->error = no_pointer_error(probe, thread->tid);
	else
		read_stopped(probe, attempt);
	/* Name and start time help to see which thread it was. */
	if (attempt->error && !thread->has_stat) {
		_cleanup_error_ struct error *unknown = probe_known_thread_confirm(thread,
										   &probe->tasks);
	}
}

static void finish(const struct attempt *attempt, struct probe_thread *ret)
{
	const struct probe_known_thread *thread = attempt->thread;

	ret->tid = thread->tid;
	ret->comm = thread->has_stat && thread->stat.comm[0] ? xstrdup(thread->stat.comm) : NULL;
	ret->has_start_time = thread->has_stat;
	ret->start_time_jiffies = thread->stat.start_time_jiffies;
	ret->error = attempt->error;
	if (attempt->error)
		return;
	ret->method = thread->method;
	ret->allocated_bytes = attempt->read.allocated_bytes;
	ret->deallocated_bytes = attempt->read.deallocated_bytes;
}

static void run_attempts(struct probe *probe, struct attempt *attempts, size_t n,
			 struct probe_snapshot *snapshot)
{
	if (cancel_requested(probe->cancel)) {
		snapshot->interrupted = true;
		return;
	}
	if (probe->stop != PROBE_STOP_ALWAYS)
		read_without_stopping(probe, attempts, n);
	for (size_t i = 0; i < n; i++) {
		if (attempts[i].done)
			continue;
		if (cancel_requested(probe->cancel)) {
			snapshot->interrupted = true;
			return;
		}
		read_one_by_one(probe, &attempts[i]);
		snapshot->interrupted = !attempts[i].done;
		probe_tracer_release_late(&probe->tracer);
	}
}

struct error *probe_take_snapshot(struct probe *probe, struct probe_snapshot *ret)
{
	struct probe_snapshot snapshot = {
		.timestamp_unix_sec = clock_unix_sec(),
		.monotonic_ns = clock_monotonic_ns(),
	};
	_cleanup_free_ struct attempt *attempts = NULL;
	struct procfs_id_list listed;
	struct error *err;
	size_t n;

	err = procfs_task_dir_list(&probe->tasks, &listed);
	if (err)
		return err;
	probe_known_threads_update(&probe->known, &probe->tasks, &listed);
	procfs_id_list_deinit(&listed);
	n = probe->known.rows.n;
	find_pointers(probe);

	attempts = xcalloc(n, sizeof(*attempts));
	for (size_t i = 0; i < n; i++)
		attempts[i].thread = &probe->known.rows.at[i];
	run_attempts(probe, attempts, n, &snapshot);

	snapshot.threads = xcalloc(n, sizeof(*snapshot.threads));
	for (size_t i = 0; i < n; i++)
		if (attempts[i].done)
			finish(&attempts[i], &snapshot.threads[snapshot.n_threads++]);
	*ret = snapshot;
	return NULL;
}

/* How long the end may wait for late threads, all together. */
#define FINISH_NS (2 * NS_PER_SEC)

bool probe_finish(struct probe *probe)
{
	return probe_tracer_finish(&probe->tracer, FINISH_NS);
}

bool probe_wait(struct probe *probe, uint64_t ns)
{
	uint64_t end_ns = clock_monotonic_ns() + ns;

	while (!probe_tracer_release_late(&probe->tracer)) {
		uint64_t now_ns = clock_monotonic_ns();

		if (now_ns >= end_ns)
			return !cancel_requested(probe->cancel);
		if (!cancel_sleep(probe->cancel,
				  end_ns - now_ns < NS_PER_MS ? end_ns - now_ns : NS_PER_MS))
			return false;
	}
	ns = clock_monotonic_ns();
	return cancel_sleep(probe->cancel, end_ns > ns ? end_ns - ns : 0);
}

void probe_snapshot_deinit(struct probe_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_threads; i++) {
		free(snapshot->threads[i].comm);
		error_free(snapshot->threads[i].error);
	}
	free(snapshot->threads);
	snapshot->threads = NULL;
	snapshot->n_threads = 0;
}
