// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/quiet.h"

#include <unistd.h>

#include "base/clock.h"

enum {
	/* The layout of a CPU's line has not changed since, up to 17 (Linux 6.14). */
	SCHEDSTAT_VERSION = 15,
	SCHEDSTAT_TASK_TIME = 7, /* words behind the CPU's name, from 1 */
	STAT_IDLE = 4,
	STAT_IOWAIT = 5,
};

void agent_quiet_sample_deinit(struct agent_quiet_sample *sample)
{
	vec_deinit(&sample->cpus);
}

/* "cpu12 …": takes the word off; false for other lines, "cpu" among them. */
static bool take_cpu(struct slice *line, uint64_t *ret)
{
	struct slice word;

	if (!slice_starts_with(*line, "cpu") || !slice_take_word(line, &word))
		return false;
	return slice_u64((struct slice){ word.at + 3, word.n - 3 }, ret) && word.n > 3;
}

/* Word `number` of the rest of a line, from 1. */
static bool find_number(struct slice line, unsigned int number, uint64_t *ret)
{
	struct slice word = { 0 };

	for (unsigned int i = 0; i < number; i++)
		if (!slice_take_word(&line, &word))
			return false;
	return slice_u64(word, ret);
}

/* CPUs come in ascending order, each once. */
static bool add_cpu(struct agent_quiet_sample *sample, uint64_t cpu, uint64_t ns)
{
	size_t n = sample->cpus.n;

	if (cpu >= AGENT_LIMIT_QUIET_CPUS || (n && sample->cpus.at[n - 1].cpu >= cpu))
		return false;
	vec_push(&sample->cpus, (struct agent_quiet_cpu){ (uint32_t)cpu, ns });
	return true;
}

static bool take_version(struct slice *text)
{
	struct slice line, word;
	uint64_t version;

	return slice_take_line(text, &line) && slice_take_word(&line, &word) &&
	       slice_equal(word, "version") && slice_take_word(&line, &word) &&
	       slice_u64(word, &version) && version >= SCHEDSTAT_VERSION;
}

bool agent_quiet_schedstat_parse(struct slice text, struct agent_quiet_sample *ret)
{
	struct slice line;
	uint64_t cpu, ns;
	bool good = take_version(&text);

	vec_clear(&ret->cpus);
	while (good && slice_take_line(&text, &line))
		if (take_cpu(&line, &cpu))
			good = find_number(line, SCHEDSTAT_TASK_TIME, &ns) && add_cpu(ret, cpu, ns);
	if (!good)
		vec_clear(&ret->cpus);
	ret->by_idle = false;
	return ret->cpus.n > 0;
}

bool agent_quiet_idle_parse(struct slice text, uint64_t length_ns, struct agent_quiet_sample *ret)
{
	uint64_t cpu, idle, iowait, ns;
	struct slice line;
	bool good = true;

	vec_clear(&ret->cpus);
	while (good && slice_take_line(&text, &line))
		if (take_cpu(&line, &cpu))
			good = find_number(line, STAT_IDLE, &idle) &&
			       find_number(line, STAT_IOWAIT, &iowait) &&
			       !__builtin_add_overflow(idle, iowait, &ns) &&
			       !__builtin_mul_overflow(ns, length_ns, &ns) && add_cpu(ret, cpu, ns);
	if (!good)
		vec_clear(&ret->cpus);
	ret->by_idle = true;
	return ret->cpus.n > 0;
}

bool agent_quiet_loadavg_parse(struct slice text, uint64_t *ret)
{
	struct slice word = { 0 };

	for (int i = 0; i < 4; i++)
		if (!slice_take_word(&text, &word))
			return false;
	for (size_t i = 0; i < word.n; i++)
		if (word.at[i] == '/')
			return slice_u64((struct slice){ word.at, i }, ret);
	return false;
}

bool agent_quiet_running_parse(struct slice text, uint64_t *ret)
{
	struct slice line, word;

	while (slice_take_line(&text, &line))
		if (slice_take_word(&line, &word) && slice_equal(word, "procs_running"))
			return slice_take_word(&line, &word) && slice_u64(word, ret);
	return false;
}

uint64_t agent_quiet_tick_ns(void)
{
	return NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* Time that a CPU was not idle; what rounding to ticks can hide is taken as idle. */
static uint64_t busy_ns(const struct agent_quiet_sample *before,
			const struct agent_quiet_sample *after, size_t i)
{
	uint64_t window_ns = after->at_ns - before->at_ns;
	uint64_t from = before->cpus.at[i].ns, to = after->cpus.at[i].ns;
	uint64_t grown = to > from ? to - from : 0;

	if (!after->by_idle)
		return grown;
	return window_ns > grown + agent_quiet_tick_ns() ? window_ns - grown - agent_quiet_tick_ns()
							 : 0;
}

bool agent_quiet_sample_compare(const struct agent_quiet_sample *before,
				const struct agent_quiet_sample *after,
				struct agent_quiet_share *ret)
{
	uint64_t window_ns = after->at_ns - before->at_ns;
	uint64_t own_ns = after->own_ns - before->own_ns;
	struct agent_quiet_share share = { 0 };

	if (before->cpus.n != after->cpus.n || before->by_idle != after->by_idle ||
	    after->at_ns <= before->at_ns)
		return false;
	for (size_t i = 0; i < after->cpus.n; i++) {
		uint64_t busy = busy_ns(before, after, i), permille;

		if (before->cpus.at[i].cpu != after->cpus.at[i].cpu)
			return false;
		/* What we did since the look before was done where we were then. */
		if (after->cpus.at[i].cpu == before->own_cpu)
			busy -= busy < own_ns ? busy : own_ns;
		permille = busy >= window_ns ? 1000 : busy * 1000 / window_ns;
		if (i == 0 || permille > share.permille)
			share = (struct agent_quiet_share){ after->cpus.at[i].cpu,
							    (uint32_t)permille };
	}
	*ret = share;
	return true;
}
