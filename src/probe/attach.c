// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/probe.h"

#include <sys/resource.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "probe/objects.h"
#include "probe/state.h"

DEFINE_ERROR_DOMAIN(probe_attach, PROBE_ATTACH, PROBE_ATTACH_ERRORS);
DEFINE_ERROR_DOMAIN(probe_thread, PROBE_THREAD, PROBE_THREAD_ERRORS);

/* How often, and after which pause, a program is looked at again that is still being loaded. */
enum { START_ATTEMPTS = 5 };
#define START_PAUSE_NS (2 * NS_PER_MS)

#define WORD_ROW(id, word) [id] = word,

const char *probe_evidence_name(enum probe_evidence evidence)
{
	static const char *const words[] = { PROBE_EVIDENCES(WORD_ROW) };

	return words[evidence];
}

const char *probe_use_name(enum probe_use use)
{
	static const char *const words[] = { PROBE_USES(WORD_ROW) };

	return words[use];
}

const char *probe_method_name(enum probe_method method)
{
	static const char *const words[] = { PROBE_METHODS(WORD_ROW) };

	return words[method];
}

/* Half of what we may open: the rest is for everyone else in this program. */
static size_t descriptor_budget(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	return limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX : (size_t)limit.rlim_cur / 2;
}

static pid_t read_inner_tid(const struct procfs_task_dir *tasks, pid_t tid)
{
	struct procfs_nspid nspid;
	_cleanup_error_ struct error *gone = procfs_task_nspid_read(tasks, tid, &nspid);

	return gone ? 0 : nspid.ids[nspid.n - 1];
}

/* In a container threads have numbers of their own: looks once whether the process is in one. */
static void known_threads_init(struct probe_known_threads *known,
			       const struct procfs_task_dir *tasks, pid_t pid)
{
	struct procfs_nspid nspid;
	_cleanup_error_ struct error *unknown = procfs_task_nspid_read(tasks, pid, &nspid);

	*known = (struct probe_known_threads){ .nested = !unknown && nspid.n > 1 };
}

static struct probe_known_thread make_known(struct probe_known_threads *known,
					    const struct procfs_task_dir *tasks, pid_t tid,
					    size_t budget)
{
	struct probe_known_thread thread = { .tid = tid, .inner_tid = tid, .comm_fd = -1 };
	_cleanup_error_ struct error *unopened = NULL;
	_cleanup_error_ struct error *gone = NULL;

	if (known->n_open < budget) {
		unopened = procfs_task_comm_open(tasks, tid, &thread.comm_fd);
		if (!unopened)
			known->n_open++;
	}
	/* Read after the descriptor was bound: while that answers, this start time is the thread's.
	 */
	if (known->nested)
		thread.inner_tid = read_inner_tid(tasks, tid);
	gone = procfs_task_stat_read(tasks, tid, &thread.stat);
	thread.has_stat = !gone;
	return thread;
}

static void forget(struct probe_known_threads *known, struct probe_known_thread *thread)
{
	if (thread->comm_fd >= 0) {
		close(thread->comm_fd);
		known->n_open--;
	}
	thread->comm_fd = -1;
}

void probe_known_threads_update(struct probe_known_threads *known,
				const struct procfs_task_dir *tasks,
				const struct procfs_id_list *listed)
{
	struct probe_known_threads updated = { .nested = known->nested };
	size_t budget = descriptor_budget();
	size_t old = 0;

	for (size_t i = 0; i < listed->ids.n; i++) {
		pid_t tid = listed->ids.at[i];

		while (old < known->rows.n &&
		       (known->rows.at[old].tid < tid ||
			(known->rows.at[old].tid == tid && known->rows.at[old].gone)))
			forget(known, &known->rows.at[old++]);
		if (old < known->rows.n && known->rows.at[old].tid == tid)
			vec_push(&updated.rows, known->rows.at[old++]);
		else
			vec_push(&updated.rows, make_known(known, tasks, tid, budget));
	}
	while (old < known->rows.n)
		forget(known, &known->rows.at[old++]);
	updated.n_open = known->n_open;
	vec_deinit(&known->rows);
	*known = updated;
}

void probe_known_threads_deinit(struct probe_known_threads *known)
{
	for (size_t i = 0; i < known->rows.n; i++)
		forget(known, &known->rows.at[i]);
	vec_deinit(&known->rows);
}

static struct error *ended(const struct probe_known_thread *thread, const char *how)
{
	return base_error(BASE_ABSENT, ESRCH, "thread %d %s", (int)thread->tid, how);
}

/* Without a descriptor of its own, the start time tells the thread from a later one. */
static struct error *confirm_by_start_time(struct probe_known_thread *thread,
					   const struct procfs_task_dir *tasks)
{
	struct procfs_stat stat;
	struct error *err = procfs_task_stat_read(tasks, thread->tid, &stat);

	if (err && error_errno(err) == ENOENT) {
		error_free(err);
		return ended(thread, "no longer exists");
	}
	if (err)
		return err;
	if (stat.state == 'Z' || stat.state == 'X')
		return ended(thread, "has ended");
	if (thread->has_stat && thread->stat.start_time_jiffies != stat.start_time_jiffies)
		return ended(thread, "is another thread with the same number");
	thread->stat = stat;
	thread->has_stat = true;
	return NULL;
}

static struct error *check_identity(struct probe_known_thread *thread,
				    const struct procfs_task_dir *tasks)
{
	/*
	 * A main thread that ended while others run keeps its name until they end too.
	 * pthread.tid shows it, but only for threads that glibc listed.
	 */
	if (thread->comm_fd < 0 || !thread->has_stat || thread->method != PROBE_METHOD_GLIBC)
		return confirm_by_start_time(thread, tasks);
	if (thread->stat.state == 'Z' || thread->stat.state == 'X')
		return ended(thread, "has ended");
	return procfs_task_comm_read(thread->comm_fd, thread->tid, thread->stat.comm);
}

struct error *probe_known_thread_confirm(struct probe_known_thread *thread,
					 const struct procfs_task_dir *tasks)
{
	struct error *err = check_identity(thread, tasks);

	thread->gone |= err && error_errno(err) == ESRCH;
	return err;
}

bool probe_known_threads_take_pointers(struct probe_known_threads *known,
				       const struct probe_thread_list *list)
{
	bool all = true;

	for (size_t i = 0; i < known->rows.n; i++) {
		struct probe_known_thread *thread = &known->rows.at[i];
		const struct probe_listed_thread *listed;

		if (thread->has_pointer)
			continue;
		listed = thread->inner_tid ? probe_thread_list_find(list, thread->inner_tid) : NULL;
		if (!listed) {
			all = false;
			continue;
		}
		thread->has_pointer = true;
		thread->thread_pointer = listed->thread_pointer;
		thread->method = PROBE_METHOD_GLIBC;
	}
	return all;
}

/* What was found of a process that is another one by now, or none, says nothing about it. */
static struct error *explain_end(const struct probe *probe, const char *proc_root,
				 struct error *err)
{
	_cleanup_error_ struct error *cause = err;
	struct procfs_exe_identity identity;
	_cleanup_error_ struct error *ended = NULL;

	if (error_is(err, &base_error_domain, BASE_CANCELLED) ||
	    !procfs_address_space_is_gone(&probe->space))
		return take_ptr(cause);
	ended = procfs_exe_identity_read(proc_root, probe->pid, &identity);
	if (ended)
		return probe_attach_error(PROBE_ATTACH_PID_MISSING, 0,
					  "process %d ended while its files were read",
					  (int)probe->pid);
	return probe_attach_error(PROBE_ATTACH_EXE_IDENTITY_CHANGED, 0,
				  "process %d ran exec while its files were read", (int)probe->pid);
}

static struct error *find_all(struct probe *probe, const char *proc_root,
			      const struct probe_options *options, size_t *ret_n_objects)
{
	struct probe_objects objects = { 0 };
	struct error *err = probe_objects_read(proc_root, probe->pid, options->source,
					       options->cancel, &objects);

	if (err)
		return err;
	*ret_n_objects = objects.rows.n;
	probe->no_glibc = probe_glibc_layout_read(&objects, &probe->glibc);
	probe->has_glibc = !probe->no_glibc;
	err = probe_resolve_jemalloc(probe, &objects, options);
	probe_objects_deinit(&objects);
	return err;
}

/* A program that was just started has not all of its libraries yet. */
static bool grew_meanwhile(const struct probe *probe, const char *proc_root, size_t n_before)
{
	struct probe_objects objects = { 0 };
	_cleanup_error_ struct error *gone = probe_objects_list(proc_root, probe->pid, &objects);
	bool grew = !gone && objects.rows.n != n_before;

	if (!gone)
		probe_objects_deinit(&objects);
	return grew;
}

static struct error *find_patiently(struct probe *probe, const char *proc_root,
				    const struct probe_options *options)
{
	for (int attempt = 1;; attempt++) {
		size_t n_objects = 0;
		struct error *err = find_all(probe, proc_root, options, &n_objects);

		if (!err || n_objects == 0 || attempt == START_ATTEMPTS ||
		    error_is(err, &base_error_domain, BASE_CANCELLED) ||
		    !cancel_sleep(probe->cancel, START_PAUSE_NS) ||
		    !grew_meanwhile(probe, proc_root, n_objects))
			return err;
		error_free(err);
		error_free(take_ptr(probe->no_glibc));
	}
}

struct error *probe_attach(pid_t pid, const struct probe_options *options, struct probe **ret)
{
	const char *proc_root = options->proc_root ? options->proc_root : "/proc";
	_cleanup_(cleanup_probe) struct probe *probe = xnew(struct probe);
	bool had_memory;
	struct error *err;

	probe->pid = pid;
	probe->stop = options->stop;
	probe->cancel = probe->tracer.cancel = options->cancel;
	probe_remote_process_init(&probe->memory, pid);
	/* Before anything is read: whatever is found must belong to this memory. */
	procfs_address_space_open(proc_root, pid, &probe->space);
	had_memory = !procfs_address_space_is_gone(&probe->space);
	/* A process whose threads cannot be listed says so with its first snapshot. */
	{
		_cleanup_error_ struct error *unlisted = procfs_task_dir_open(proc_root, pid,
									      &probe->tasks);

		if (!unlisted)
			known_threads_init(&probe->known, &probe->tasks, pid);
	}
	err = find_patiently(probe, proc_root, options);
	if (err)
		return had_memory ? explain_end(probe, proc_root, err) : err;
	*ret = take_ptr(probe);
	return NULL;
}

void probe_free(struct probe *probe)
{
	if (!probe)
		return;
	probe_tracer_deinit(&probe->tracer);
	probe_known_threads_deinit(&probe->known);
	procfs_task_dir_close(&probe->tasks);
	procfs_address_space_close(&probe->space);
	error_free(probe->no_glibc);
	free(probe->object_path);
	free(probe->offsets_source);
	for (size_t i = 0; i < probe->others.n; i++) {
		free(probe->others.at[i].path);
		free(probe->others.at[i].unread);
	}
	vec_deinit(&probe->others);
	free(probe);
}

bool probe_target_was_replaced(const struct probe *probe)
{
	return procfs_address_space_is_gone(&probe->space);
}

struct probe_facts probe_facts(const struct probe *probe)
{
	return (struct probe_facts){
		.evidence = probe->evidence,
		.object_path = probe->object_path,
		.offsets_source = probe->offsets_source,
		.others = probe->others.at,
		.n_others = probe->others.n,
		.stopped_threads = probe->tracer.stopped_threads,
		.stopped_ns = probe->tracer.stopped_ns,
	};
}
