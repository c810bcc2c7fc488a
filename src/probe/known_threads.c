// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/known_threads.h"

#include <sys/resource.h>

/* Half of what we may open: the rest is for everyone else in this program. */
static size_t descriptor_budget(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	return limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX : (size_t)limit.rlim_cur / 2;
}

static struct known_thread make_known(struct known_threads *known, const struct task_dir *tasks,
				      pid_t tid)
{
	struct known_thread thread = { .tid = tid, .stat_fd = -1 };

	if (known->n_open < descriptor_budget()) {
		_cleanup_error_ struct error *gone = task_stat_open(tasks, tid, &thread.stat_fd);

		if (!gone)
			known->n_open++;
	}
	/* Without a descriptor of its own the start time is what tells this thread from a later
	 * one. */
	if (thread.stat_fd < 0) {
		_cleanup_error_ struct error *gone = known_thread_confirm(&thread, tasks);
	}
	return thread;
}

static void forget(struct known_threads *known, struct known_thread *thread)
{
	if (thread->stat_fd >= 0) {
		close(thread->stat_fd);
		known->n_open--;
	}
	thread->stat_fd = -1;
}

void known_threads_update(struct known_threads *known, const struct task_dir *tasks,
			  const struct tid_list *listed)
{
	struct known_threads updated = { VEC_INIT, 0 };
	size_t old = 0;

	for (size_t i = 0; i < listed->tids.n; i++) {
		pid_t tid = listed->tids.at[i];

		while (old < known->rows.n && known->rows.at[old].tid < tid)
			forget(known, &known->rows.at[old++]);
		if (old < known->rows.n && known->rows.at[old].tid == tid)
			vec_push(&updated.rows, known->rows.at[old++]);
		else
			vec_push(&updated.rows, make_known(known, tasks, tid));
	}
	while (old < known->rows.n)
		forget(known, &known->rows.at[old++]);
	updated.n_open = known->n_open;
	vec_deinit(&known->rows);
	*known = updated;
}

void known_threads_deinit(struct known_threads *known)
{
	for (size_t i = 0; i < known->rows.n; i++)
		forget(known, &known->rows.at[i]);
	vec_deinit(&known->rows);
}

static struct error *read_stat(const struct known_thread *thread, const struct task_dir *tasks,
			       struct proc_stat *ret)
{
	_cleanup_close_ int fd = -1;
	struct error *err;

	if (thread->stat_fd >= 0)
		return task_stat_read(thread->stat_fd, thread->tid, ret);
	err = task_stat_open(tasks, thread->tid, &fd);
	return err ? err : task_stat_read(fd, thread->tid, ret);
}

struct error *known_thread_confirm(struct known_thread *thread, const struct task_dir *tasks)
{
	struct proc_stat stat;
	struct error *err = read_stat(thread, tasks, &stat);

	if (err && error_errno(err) == ENOENT) {
		error_free(err);
		return base_error(BASE_ABSENT, ESRCH, "thread %d", (int)thread->tid);
	}
	if (err)
		return err;
	if (stat.state == 'Z' || stat.state == 'X')
		return base_error(BASE_ABSENT, ESRCH, "thread %d has ended", (int)thread->tid);
	if (thread->has_stat && thread->stat.start_time_jiffies != stat.start_time_jiffies)
		return base_error(BASE_ABSENT, ESRCH, "thread %d is another one than before",
				  (int)thread->tid);
	thread->stat = stat;
	thread->has_stat = true;
	return NULL;
}

bool known_threads_take_pointers(struct known_threads *known, const struct thread_list *list)
{
	bool all = true;

	for (size_t i = 0; i < known->rows.n; i++) {
		struct known_thread *thread = &known->rows.at[i];
		const struct listed_thread *listed;

		if (thread->has_pointer)
			continue;
		listed = thread_list_find(list, thread->tid);
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
