// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/state.h"

#include <sys/resource.h>

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

void probe_known_threads_init(struct probe_known_threads *known,
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
	 * pthread.tid tells, but only of threads that glibc listed.
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
