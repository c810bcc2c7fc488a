// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/agent/quiet_sample.c src/agent/quiet_tasks.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "agent/quiet.h"

enum { TICK_NS = 10000000 };

static void must(bool condition)
{
	if (!condition)
		abort();
}

/* CPUs in their order, each once, or none. */
static void check_cpus(const struct agent_quiet_sample *s, bool good)
{
	must(good == (s->cpus.n > 0));
	for (size_t i = 0; i < s->cpus.n; i++)
		must(s->cpus.at[i].cpu < AGENT_LIMIT_QUIET_CPUS &&
		     (i == 0 || s->cpus.at[i - 1].cpu < s->cpus.at[i].cpu));
}

/* Nothing happened between two equal samples. */
static void check_equal(struct agent_quiet_sample *s)
{
	struct agent_quiet_sample later = *s;
	struct agent_quiet_share share = { 7, 7 };

	later.at_ns += 1000000000;
	must(agent_quiet_sample_compare(s, &later, &share));
	must(share.permille <= 1000);
	must(s->by_idle || share.permille == 0);
}

static void look_at_cpus(struct slice text)
{
	struct agent_quiet_sample s = { .own_cpu = 1 };
	uint64_t running;
	bool good = agent_quiet_schedstat_parse(text, &s);

	check_cpus(&s, good);
	if (good) {
		fuzz_mark_deep();
		check_equal(&s);
	}
	good = agent_quiet_idle_parse(text, TICK_NS, &s);
	check_cpus(&s, good);
	if (good) {
		fuzz_mark_deep();
		check_equal(&s);
	}
	if (agent_quiet_running_parse(text, &running))
		fuzz_mark_deep();
	agent_quiet_sample_deinit(&s);
}

/* The first line is stat, the rest schedstat. */
static void look_at_task(struct slice text)
{
	struct agent_quiet_tasks none = { 0 }, one = { .at_ns = 200000000 };
	struct agent_quiet_task task = { .pid = 77, .tid = 78 };
	_cleanup_strbuf_ struct strbuf words = STRBUF_INIT;
	struct slice stat;

	if (!slice_take_line(&text, &stat) || !agent_quiet_task_parse(stat, text, TICK_NS, &task))
		return;
	fuzz_mark_deep();
	must(task.cpu < AGENT_LIMIT_QUIET_CPUS);
	must(memchr(task.comm, '\0', sizeof(task.comm)) != NULL);
	vec_push(&one.rows, task);
	must(agent_quiet_tasks_name(&none, &one, &words) == (words.n > 0));
	for (size_t i = 0; i < words.n; i++)
		must(words.at[i] >= ' ' && words.at[i] <= '~');
	agent_quiet_tasks_deinit(&one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_strbuf_ struct strbuf versioned = STRBUF_INIT;
	struct slice text = { (const char *)data, n };

	look_at_cpus(text);
	/* Chance rarely writes the first line. */
	strbuf_append(&versioned, "version 17\n");
	strbuf_append_bytes(&versioned, data, n);
	look_at_cpus((struct slice){ strbuf_str(&versioned), versioned.n });
	look_at_task(text);
	return 0;
}
