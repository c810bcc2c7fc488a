// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/quiet.h"

#include "agent/agent.h"
#include "base/alloc.h"
#include "base/clock.h"

struct agent_quiet {
	uint32_t channel;
	uint64_t limit_ns, window_ns;
	uint32_t permille;
	const char *proc_root; /* borrowed */

	uint64_t begun_ns, due_ns;
	struct agent_quiet_sample last;
	unsigned int n_windows;		 /* quiet ones in a row */
	struct agent_quiet_share share;	 /* the largest of those, or that of the last window */
	uint64_t quiet_ns;		 /* how long those windows were together */
	bool names;			 /* the time is over: tasks were looked at once */
	struct agent_quiet_tasks before; /* then */
};

struct agent_quiet *agent_quiet_begin(uint32_t channel, const struct wire_settle *request,
				      struct agent_quiet_sample *first)
{
	struct agent_quiet *quiet = xnew(struct agent_quiet);
	uint64_t window_ms = request->window_ms;

	if (first->by_idle && window_ms < AGENT_QUIET_IDLE_MS)
		window_ms = AGENT_QUIET_IDLE_MS;
	*quiet = (struct agent_quiet){
		.channel = channel,
		.limit_ns = request->limit_ms * NS_PER_MS,
		.window_ns = window_ms * NS_PER_MS,
		.permille = request->permille,
		.begun_ns = first->at_ns,
		/* Not from the look's beginning: it is slow where code is translated. */
		.due_ns = clock_monotonic_ns() + window_ms * NS_PER_MS,
		.last = *first,
	};
	*first = (struct agent_quiet_sample){ 0 };
	return quiet;
}

struct error *agent_quiet_new(uint32_t channel, const struct wire_settle *request,
			      const char *proc_root, struct agent_quiet **ret)
{
	struct agent_quiet_sample first = { 0 };
	struct error *err;

	if (request->window_ms == 0 || request->window_ms > AGENT_LIMIT_QUIET_WINDOW_MS ||
	    request->permille > 1000)
		return wire_error(WIRE_MALFORMED, 0, "settle: a window of %u ms, a share of %u",
				  request->window_ms, request->permille);
	err = agent_quiet_sample_read(proc_root, &first);
	if (err) {
		agent_quiet_sample_deinit(&first);
		return err;
	}
	*ret = agent_quiet_begin(channel, request, &first);
	(*ret)->proc_root = proc_root;
	return NULL;
}

void agent_quiet_free(struct agent_quiet *quiet)
{
	if (!quiet)
		return;
	agent_quiet_sample_deinit(&quiet->last);
	agent_quiet_tasks_deinit(&quiet->before);
	free(quiet);
}

uint32_t agent_quiet_channel(const struct agent_quiet *quiet)
{
	return quiet->channel;
}

uint64_t agent_quiet_due_ns(const struct agent_quiet *quiet)
{
	return quiet->due_ns;
}

struct wire_settled agent_quiet_result(const struct agent_quiet *quiet)
{
	return (struct wire_settled){
		.waited_ns = quiet->last.at_ns - quiet->begun_ns,
		.quiet_ns = quiet->quiet_ns,
		.cpu = quiet->share.cpu,
		.permille = quiet->share.permille,
	};
}

/* Whoever runs beside us at this moment has not given its time to the counters yet. */
static bool is_quiet(const struct agent_quiet *quiet, const struct agent_quiet_sample *sample,
		     bool comparable, const struct agent_quiet_share *share)
{
	return comparable && sample->running <= 1 && share->permille <= quiet->permille;
}

enum agent_quiet_verdict agent_quiet_judge(struct agent_quiet *quiet,
					   struct agent_quiet_sample *sample)
{
	struct agent_quiet_share share = { 0 };
	bool comparable = agent_quiet_sample_compare(&quiet->last, sample, &share);

	if (!is_quiet(quiet, sample, comparable, &share)) {
		quiet->n_windows = 0;
		quiet->quiet_ns = 0;
		quiet->share = share;
	} else {
		if (quiet->n_windows == 0 || share.permille > quiet->share.permille)
			quiet->share = share;
		quiet->n_windows++;
		quiet->quiet_ns += sample->at_ns - quiet->last.at_ns;
	}
	agent_quiet_sample_deinit(&quiet->last);
	quiet->last = *sample;
	*sample = (struct agent_quiet_sample){ 0 };
	if (quiet->n_windows >= AGENT_QUIET_WINDOWS)
		return AGENT_QUIET_DONE;
	return quiet->last.at_ns - quiet->begun_ns < quiet->limit_ns ? AGENT_QUIET_WAIT
								     : AGENT_QUIET_NAME;
}

/* Takes the first look at tasks, or with the second one says who it was. */
static struct error *name_tasks(struct agent_quiet *quiet)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct agent_quiet_tasks after = { 0 };
	double waited_s = (double)(quiet->last.at_ns - quiet->begun_ns) / (double)NS_PER_SEC;
	struct error *err;

	if (!quiet->names) {
		quiet->names = true;
		return agent_quiet_tasks_read(quiet->proc_root, &quiet->before);
	}
	err = agent_quiet_tasks_read(quiet->proc_root, &after);
	if (!err && !agent_quiet_tasks_name(&quiet->before, &after, &text))
		strbuf_appendf(&text,
			       "tasks that have ended, or interrupts; CPU %u was busy for "
			       "%u %% of the time",
			       quiet->share.cpu, quiet->share.permille / 10);
	agent_quiet_tasks_deinit(&after);
	return err ? err
		   : agent_error(AGENT_BUSY, 0, "not idle after %.1f s: %s", waited_s,
				 strbuf_str(&text));
}

/* A window goes from look to look; a slow one leaves most of the next window to others. */
static uint64_t next_look_ns(const struct agent_quiet *quiet, uint64_t window_ns)
{
	uint64_t due_ns = quiet->last.at_ns + window_ns;
	uint64_t least_ns = clock_monotonic_ns() + window_ns / 3 * 2;

	return due_ns > least_ns ? due_ns : least_ns;
}

bool agent_quiet_step(struct agent_quiet *quiet, struct agent_output *out)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct agent_quiet_sample sample = { 0 };
	uint64_t window_ns = quiet->window_ns;
	struct wire_settled settled;
	struct error *err;

	if (clock_monotonic_ns() < quiet->due_ns)
		return false;
	err = agent_quiet_sample_read(quiet->proc_root, &sample);
	if (err) {
		agent_quiet_sample_deinit(&sample);
		agent_output_fail(out, quiet->channel, err);
		return true;
	}
	switch (agent_quiet_judge(quiet, &sample)) {
	case AGENT_QUIET_DONE:
		settled = agent_quiet_result(quiet);
		wire_settled_encode(&settled, &payload);
		agent_output_send_buf(out, WIRE_SETTLED, quiet->channel, &payload);
		return true;
	case AGENT_QUIET_NAME:
		err = name_tasks(quiet);
		if (err) {
			agent_output_fail(out, quiet->channel, err);
			return true;
		}
		if (window_ns < AGENT_QUIET_TASKS_MS * NS_PER_MS)
			window_ns = AGENT_QUIET_TASKS_MS * NS_PER_MS;
		break;
	case AGENT_QUIET_WAIT:
		break;
	}
	quiet->due_ns = next_look_ns(quiet, window_ns);
	return false;
}
