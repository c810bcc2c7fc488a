// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/quiet.h"

enum { LEAST_PERCENT = 1 };

void agent_quiet_tasks_deinit(struct agent_quiet_tasks *tasks)
{
	vec_deinit(&tasks->rows);
}

struct ticks {
	uint64_t user, system, start, cpu;
};

static bool parse_ticks(struct slice stat, struct ticks *ret)
{
	static const struct procfs_field fields[] = {
		{ .number = 14, .offset = offsetof(struct ticks, user), .bit = 0 },
		{ .number = 15, .offset = offsetof(struct ticks, system), .bit = 1 },
		{ .number = 22, .offset = offsetof(struct ticks, start), .bit = 2 },
		{ .number = 39, .offset = offsetof(struct ticks, cpu), .bit = 3 },
	};
	uint64_t known = 0;
	struct procfs_values values = { .into = ret, .known = &known };

	return procfs_stat_fields(stat, (struct procfs_fields){ fields, ARRAY_SIZE(fields) },
				  &values) &&
	       known == 15;
}

bool agent_quiet_task_parse(struct slice stat, struct slice schedstat, uint64_t tick_ns,
			    struct agent_quiet_task *ret)
{
	struct procfs_schedstat times = { 0 };
	struct procfs_stat head;
	struct ticks ticks = { 0 };
	struct error *err;
	uint64_t sum_ns;

	err = procfs_stat_parse(stat.at, stat.n, &head);
	if (err || !parse_ticks(stat, &ticks) || ticks.cpu >= AGENT_LIMIT_QUIET_CPUS) {
		error_free(err);
		return false;
	}
	err = procfs_schedstat_parse(schedstat.at, schedstat.n, &times);
	/* A kernel that does not count, or the file could not be read. */
	if (err || times.timeslices == 0) {
		if (__builtin_add_overflow(ticks.user, ticks.system, &sum_ns) ||
		    __builtin_mul_overflow(sum_ns, tick_ns, &sum_ns))
			sum_ns = 0;
		times.run_time_ns = sum_ns;
	}
	error_free(err);
	ret->cpu = (uint32_t)ticks.cpu;
	ret->start_jiffies = ticks.start;
	ret->run_ns = times.run_time_ns;
	memcpy(ret->comm, head.comm, sizeof(ret->comm));
	return true;
}

static const struct agent_quiet_task *find(const struct agent_quiet_tasks *tasks,
					   const struct agent_quiet_task *like)
{
	for (size_t i = 0; i < tasks->rows.n; i++) {
		const struct agent_quiet_task *task = &tasks->rows.at[i];

		if (task->tid == like->tid && task->start_jiffies == like->start_jiffies)
			return task;
	}
	return NULL;
}

static void format_task(const struct agent_quiet_task *task, uint64_t percent, bool stayed,
			struct strbuf *into)
{
	strbuf_append(into, into->n ? ", " : "");
	for (const char *at = task->comm; *at; at++)
		strbuf_append_char(into, *at >= ' ' && *at <= '~' ? *at : '?');
	if (task->tid == task->pid)
		strbuf_appendf(into, " (pid %d)", (int)task->pid);
	else
		strbuf_appendf(into, " (thread %d of pid %d)", (int)task->tid, (int)task->pid);
	strbuf_appendf(into, " used %llu %% of ", (unsigned long long)percent);
	if (stayed)
		strbuf_appendf(into, "CPU %u", task->cpu);
	else
		strbuf_append(into, "a CPU");
}

struct ranked {
	const struct agent_quiet_task *task, *earlier;
	uint64_t ns;
};

/* The busiest come first. */
static void rank(struct ranked top[AGENT_QUIET_TASKS_NAMED], struct ranked candidate)
{
	for (size_t i = 0; i < AGENT_QUIET_TASKS_NAMED; i++) {
		if (!top[i].task || candidate.ns > top[i].ns) {
			struct ranked moved = top[i];

			top[i] = candidate;
			candidate = moved;
		}
		if (!candidate.task)
			return;
	}
}

bool agent_quiet_tasks_name(const struct agent_quiet_tasks *before,
			    const struct agent_quiet_tasks *after, struct strbuf *into)
{
	uint64_t window_ns = after->at_ns > before->at_ns ? after->at_ns - before->at_ns : 1;
	struct ranked top[AGENT_QUIET_TASKS_NAMED] = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < after->rows.n; i++) {
		const struct agent_quiet_task *task = &after->rows.at[i];
		const struct agent_quiet_task *earlier = find(before, task);
		uint64_t from = earlier ? earlier->run_ns : 0;

		if (task->run_ns > from)
			rank(top, (struct ranked){ task, earlier, task->run_ns - from });
	}
	for (size_t i = 0; i < ARRAY_SIZE(top) && top[i].task; i++) {
		double percent = (double)top[i].ns * 100 / (double)window_ns;

		if (percent >= LEAST_PERCENT)
			format_task(top[i].task, percent < 100 ? (uint64_t)percent : 100,
				    top[i].earlier && top[i].earlier->cpu == top[i].task->cpu,
				    &text);
	}
	strbuf_append_bytes(into, text.at, text.n);
	return text.n > 0;
}
