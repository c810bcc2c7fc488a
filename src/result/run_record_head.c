// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a record says from the start. */
#include "result/run_record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"

char *result_format_time(uint64_t unix_sec)
{
	time_t sec = (time_t)unix_sec;
	char text[32];
	struct tm tm;

	if (!gmtime_r(&sec, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return xstrdup("");
	return xstrdup(text);
}

char *result_format_run_id(const struct result_stamp *stamp)
{
	_cleanup_free_ char *at = result_format_time(stamp->unix_sec);

	return xasprintf("%s-%llu-%u", at, (unsigned long long)stamp->pid, stamp->counter);
}

/* What the reference has and this harness does not measure. */
static const struct result_absent unmeasured[] = {
	{ "payload", "a test is not about one program alone" },
	{ "monitor", "runqueues are not sampled while a test runs" },
	{ "kvm_stats", "statistics of KVM are not read" },
	{ "stimulus_events", "tests have no steps that are recorded" },
	{ "active_flags", "flags of a scheduler are not varied" },
	{ "verifier_stats", "statistics of the BPF verifier are not read" },
};

/* All that is absent: what the caller could not find out, and what nobody here does. */
static struct result_absent *list_absent(const struct result_absences *more, size_t *ret_n)
{
	size_t n = ARRAY_SIZE(unmeasured);
	struct result_absent *all = xcalloc(n + more->n, sizeof(*all));

	for (size_t i = 0; i < more->n; i++)
		all[i] = more->at[i];
	memcpy(all + more->n, unmeasured, sizeof(unmeasured));
	*ret_n = n + more->n;
	return all;
}

void result_format_head(const struct result_run *head, const struct result_stamp *stamp,
			struct strbuf *into)
{
	_cleanup_free_ char *at = result_format_time(stamp->unix_sec);
	_cleanup_free_ char *run_id = result_format_run_id(stamp);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_PRETTY);
	const char *ci = getenv("KTSTR_CI");
	struct result_run run = *head;
	_cleanup_free_ struct result_absent *absent = list_absent(&head->absent, &run.absent.n);

	run.absent.at = absent;
	run.timestamp = at;
	run.run_id = run_id;
	run.run_source = ci && *ci ? "ci" : "local";
	run.runner_pid = stamp->pid;
	run.runner_start_jiffies = stamp->start_time_jiffies;
	run.rerun.test = head->test;
	run.rerun.topology = head->topology;
	run.rerun.memory_bytes = head->memory_bytes;
	run.rerun.kernel_id = head->kernel.id;
	run.rerun.kernel_build_id = head->kernel.build_id;
	run.rerun.kernel_args = head->kernel_args;
	json_begin_object(&w);
	json_rows_write_members(&result_head_rows, &run, &w);
	/* The brace and what would end the object are not part of the members. */
	strbuf_append_bytes(into, text.at + 1, text.n - 1);
}
