// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/judge.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/io.h"
#include "procfs/thread_files.h"

static void give_up(struct harness_disturbance_watch *w, struct error *err)
{
	if (!w->why[0])
		snprintf(w->why, sizeof(w->why), "%s", error_message(err));
	error_free(err);
}

static struct error *read_schedstat(const struct procfs_task_dir *task, pid_t tid,
				    struct procfs_schedstat *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_close_ int fd = -1;
	struct error *err;
	char name[32];

	snprintf(name, sizeof(name), "%d/schedstat", (int)tid);
	fd = openat(dirfd(task->dir), name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return base_error(BASE_IO, errno, "cannot open %s", name);
	err = io_read_fd(fd, name, PROCFS_SCHEDSTAT_MAX_BYTES, &text);
	return err ? err : procfs_schedstat_parse(strbuf_str(&text), text.n, ret);
}

/* Both lists are sorted, so the search goes on where the last one ended. */
static struct harness_watched_thread *find_thread(struct harness_disturbance_watch *w, pid_t tid,
						  size_t n_known, size_t *from)
{
	while (*from < n_known && w->threads.at[*from].tid < tid)
		(*from)++;
	return *from < n_known && w->threads.at[*from].tid == tid ? &w->threads.at[*from] : NULL;
}

static int by_tid(const void *a, const void *b)
{
	pid_t x = ((const struct harness_watched_thread *)a)->tid,
	      y = ((const struct harness_watched_thread *)b)->tid;

	return (x > y) - (x < y);
}

/* One that has ended but was not reaped still shows a thread. */
static struct error *check_alive(const struct harness_disturbance_watch *w)
{
	struct procfs_stat stat;
	struct error *err = procfs_task_stat_read(&w->task, w->pid, &stat);

	if (!err && (stat.state == 'Z' || stat.state == 'X'))
		err = base_error(BASE_ABSENT, 0, "process %d has ended", (int)w->pid);
	return err;
}

/* A thread that ended between listing and reading is skipped: it waits no more. */
static bool is_gone(const struct harness_disturbance_watch *w, pid_t tid)
{
	return !procfs_task_dir_contains(&w->task, tid);
}

static struct error *look(struct harness_disturbance_watch *w, bool first)
{
	struct procfs_id_list list = { VEC_INIT };
	size_t n_known = w->threads.n, from = 0;
	uint64_t timeslices = 0;
	struct error *err = check_alive(w);

	if (!err)
		err = procfs_task_dir_list(&w->task, &list);
	for (size_t i = 0; !err && i < list.ids.n; i++) {
		pid_t tid = list.ids.at[i];
		struct harness_watched_thread *known = find_thread(w, tid, n_known, &from);
		struct procfs_schedstat stat;
		uint64_t before = known ? known->last_ns : 0;

		err = read_schedstat(&w->task, tid, &stat);
		if (err && is_gone(w, tid)) {
			error_free(err);
			err = NULL;
			continue;
		}
		if (err)
			break;
		timeslices += stat.timeslices;
		/* A number that was given to a new thread starts at zero again. */
		if (known && stat.run_delay_ns < before)
			before = known->first_ns = 0;
		if (!first && stat.run_delay_ns - before > w->longest_ns)
			w->longest_ns = stat.run_delay_ns - before;
		if (known) {
			known->last_ns = stat.run_delay_ns;
		} else {
			/* One that was made meanwhile waited only since then. */
			struct harness_watched_thread fresh = {
				.tid = tid,
				.first_ns = first ? stat.run_delay_ns : 0,
				.last_ns = stat.run_delay_ns,
			};

			vec_push(&w->threads, fresh);
		}
	}
	procfs_id_list_deinit(&list);
	if (w->threads.n > n_known)
		qsort(w->threads.at, w->threads.n, sizeof(*w->threads.at), by_tid);
	if (!err && timeslices == 0)
		err = base_error(BASE_ABSENT, 0, "this host's kernel does not count run delays");
	return err;
}

void harness_disturbance_begin(const char *proc_root, pid_t pid,
			       struct harness_disturbance_watch *ret)
{
	struct harness_disturbance_watch w = { .pid = pid, .begun_ns = clock_monotonic_ns() };
	struct error *err = procfs_task_dir_open(proc_root, pid, &w.task);

	if (!err)
		err = look(&w, true);
	if (err)
		give_up(&w, err);
	*ret = w;
}

void harness_disturbance_sample(struct harness_disturbance_watch *w)
{
	struct error *err = w->why[0] ? NULL : look(w, false);

	if (err)
		give_up(w, err);
}

void harness_disturbance_end(struct harness_disturbance_watch *w, bool tcg, unsigned int vcpus,
			     struct checks_disturbance *ret)
{
	struct checks_disturbance d = { .tcg = tcg, .vcpus = vcpus };

	harness_disturbance_sample(w);
	d.has = !w->why[0];
	snprintf(d.why, sizeof(d.why), "%s", w->why);
	if (d.has) {
		d.wall_ns = clock_monotonic_ns() - w->begun_ns;
		d.longest_delay_ns = w->longest_ns;
		for (size_t i = 0; i < w->threads.n; i++) {
			const struct harness_watched_thread *t = &w->threads.at[i];

			if (t->last_ns - t->first_ns > d.run_delay_ns)
				d.run_delay_ns = t->last_ns - t->first_ns;
		}
	}
	harness_disturbance_watch_deinit(w);
	*ret = d;
}

void harness_disturbance_watch_deinit(struct harness_disturbance_watch *w)
{
	procfs_task_dir_close(&w->task);
	vec_deinit(&w->threads);
	*w = (struct harness_disturbance_watch){ .why = "nothing was watched" };
}
