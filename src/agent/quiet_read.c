// SPDX-License-Identifier: GPL-2.0-or-later
/* What /proc shows now. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/quiet.h"
#include "base/clock.h"
#include "base/io.h"
#include "procfs/task.h"

/* A shorter sleep can be over before a slow guest has left its CPU. */
enum { LEAVE_US = 500 };

static uint64_t own_time_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

static struct error *read_text(const char *root, const char *name, struct strbuf *into)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", root, name);

	strbuf_clear(into);
	return io_read_file(path, AGENT_LIMIT_QUIET_FILE_BYTES, into);
}

static struct slice slice_of_text(struct strbuf *text)
{
	return (struct slice){ strbuf_str(text), text->n };
}

/* Who runs is read last: whoever runs at that moment has not given its time to the counters. */
static struct error *read_counters(const char *proc_root, struct agent_quiet_sample *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = read_text(proc_root, "schedstat", &text);
	bool has_times = !err && agent_quiet_schedstat_parse(slice_of_text(&text), ret);

	/* A kernel without CONFIG_SCHEDSTATS. */
	error_free(err);
	if (has_times) {
		err = read_text(proc_root, "loadavg", &text);
		if (!err && agent_quiet_loadavg_parse(slice_of_text(&text), &ret->running))
			return NULL;
		error_free(err);
	}
	err = read_text(proc_root, "stat", &text);
	if (err)
		return error_recast(err, &agent_error_domain, AGENT_SYSTEM);
	if (!has_times)
		has_times = agent_quiet_idle_parse(slice_of_text(&text), agent_quiet_tick_ns(),
						   ret);
	if (!has_times || !agent_quiet_running_parse(slice_of_text(&text), &ret->running))
		return agent_error(AGENT_SYSTEM, 0,
				   "%s/stat: no times of CPUs, or no count of running tasks",
				   proc_root);
	return NULL;
}

/*
 * The agent's own time must be told apart from that of others. So it stays on one CPU while it
 * looks, and leaves that CPU for a moment before: then all that it did until now is in the
 * counters.
 */
struct error *agent_quiet_sample_read(const char *proc_root, struct agent_quiet_sample *ret)
{
	static uint8_t every_cpu[AGENT_LIMIT_QUIET_CPUS / 8], one_cpu[AGENT_LIMIT_QUIET_CPUS / 8];
	long n = syscall(SYS_sched_getaffinity, 0, sizeof(every_cpu), every_cpu);
	int cpu = sched_getcpu();
	struct error *err;
	bool stays = false;

	if (n > 0 && cpu >= 0 && cpu < AGENT_LIMIT_QUIET_CPUS) {
		memset(one_cpu, 0, sizeof(one_cpu));
		one_cpu[cpu / 8] = (uint8_t)(1 << cpu % 8);
		stays = syscall(SYS_sched_setaffinity, 0, sizeof(one_cpu), one_cpu) == 0;
	}
	usleep(LEAVE_US);
	cpu = sched_getcpu();
	ret->own_cpu = cpu < 0 ? UINT32_MAX : (uint32_t)cpu;
	ret->own_ns = own_time_ns();
	ret->at_ns = clock_monotonic_ns();
	err = read_counters(proc_root, ret);
	if (stays)
		syscall(SYS_sched_setaffinity, 0, (size_t)n, every_cpu);
	return err;
}

static void read_file(int dir, pid_t tid, const char *name, size_t limit, struct strbuf *into)
{
	_cleanup_close_ int fd = -1;
	char path[64];

	strbuf_clear(into);
	snprintf(path, sizeof(path), "%d/%s", (int)tid, name);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		error_free(io_read_fd(fd, name, limit, into));
}

static void read_threads(const char *proc_root, pid_t pid, struct agent_quiet_tasks *into)
{
	_cleanup_strbuf_ struct strbuf stat = STRBUF_INIT, schedstat = STRBUF_INIT;
	uint64_t tick_ns = agent_quiet_tick_ns();
	_cleanup_free_ char *path = xasprintf("%s/%d/task", proc_root, (int)pid);
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct procfs_id_list threads = { VEC_INIT };

	if (dir >= 0 && procfs_id_list_read(dir, AGENT_LIMIT_QUIET_TASKS, &threads) != 0)
		vec_clear(&threads.ids);
	for (size_t i = 0; i < threads.ids.n && into->rows.n < AGENT_LIMIT_QUIET_TASKS; i++) {
		struct agent_quiet_task task = { .pid = pid, .tid = threads.ids.at[i] };

		read_file(dir, task.tid, "stat", PROCFS_STAT_MAX_BYTES, &stat);
		read_file(dir, task.tid, "schedstat", PROCFS_SCHEDSTAT_MAX_BYTES, &schedstat);
		if (agent_quiet_task_parse((struct slice){ strbuf_str(&stat), stat.n },
					   (struct slice){ strbuf_str(&schedstat), schedstat.n },
					   tick_ns, &task))
			vec_push(&into->rows, task);
	}
	procfs_id_list_deinit(&threads);
}

struct error *agent_quiet_tasks_read(const char *proc_root, struct agent_quiet_tasks *ret)
{
	_cleanup_close_ int dir = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct procfs_id_list processes = { VEC_INIT };
	int errnum = dir < 0 ? errno : 0;

	vec_clear(&ret->rows);
	ret->at_ns = clock_monotonic_ns();
	if (!errnum)
		errnum = procfs_id_list_read(dir, AGENT_LIMIT_QUIET_TASKS, &processes);
	for (size_t i = 0; !errnum && i < processes.ids.n; i++)
		if (processes.ids.at[i] != getpid())
			read_threads(proc_root, processes.ids.at[i], ret);
	procfs_id_list_deinit(&processes);
	return errnum ? agent_error(AGENT_SYSTEM, errnum, "cannot list the processes") : NULL;
}
