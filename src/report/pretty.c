// SPDX-License-Identifier: LGPL-2.1-or-later
/* For people: what is running at the bottom, what ended above it. */
#include <string.h>

#include "report/form.h"
#include "text/terminal.h"

/* What is repeated at the end. */
struct failure {
	enum ktstr_verdict verdict;
	char *head; /* "name  reason", escaped */
	char *why;  /* ": why", escaped */
};

struct pretty {
	struct report_live live;
	size_t name_columns; /* so far */
	VEC(struct failure) failures;
	size_t n_since_failure; /* tests that ended after the first */
};

/* Less than this of a reason says nothing. */
enum { SHORTEST_WHY = 8 };

/* Six columns each, as TTCN-3 shortens the longest of them. */
static const struct {
	const char *label, *colour;
} verdicts[RESULT_N_VERDICTS] = {
	[KTSTR_PASS] = { "PASS", "\033[32m" },
	[KTSTR_FAIL] = { "FAIL", "\033[1;31m" },
	[KTSTR_SKIP] = { "SKIP", "\033[36m" },
	[KTSTR_BROKEN] = { "BROKEN", "\033[1;35m" },
	[KTSTR_INCONCLUSIVE] = { "INCONC", "\033[33m" },
};

static void *pretty_new(void)
{
	struct pretty *p = xnew(struct pretty);

	p->name_columns = REPORT_NAME_COLUMNS_MIN;
	return p;
}

static void pretty_free(void *state)
{
	struct pretty *p = state;

	report_live_deinit(&p->live);
	for (size_t i = 0; i < p->failures.n; i++) {
		free(p->failures.at[i].head);
		free(p->failures.at[i].why);
	}
	vec_deinit(&p->failures);
	free(p);
}

static size_t columns_of(const struct report_run *r)
{
	if (r->options.columns)
		return r->options.columns;
	return r->options.terminal ? text_terminal_columns(r->options.fd) : 0;
}

static void draw(struct report_run *r)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	struct pretty *p = r->state;
	size_t columns = columns_of(r);

	/* The last column stays free: some terminals go to the next line when it is filled. */
	columns = columns ? columns - 1 : 79;
	report_live_format(&p->live, r->n_finished, r->plan.n_tests, columns, &line);
	report_live_draw(&p->live, strbuf_str(&line), &r->out);
}

static void widen_names(struct pretty *p, const char *escaped)
{
	size_t width = text_width(escaped);

	if (width > p->name_columns && width <= REPORT_NAME_COLUMNS_MAX)
		p->name_columns = width;
}

static void append_verdict(const struct report_run *r, enum ktstr_verdict verdict,
			   struct strbuf *into)
{
	const char *label = verdicts[verdict].label;

	if (r->options.colour)
		strbuf_append(into, verdicts[verdict].colour);
	strbuf_append(into, label);
	if (r->options.colour)
		strbuf_append(into, TEXT_RESET);
	strbuf_append_repeated(into, ' ', REPORT_EXPLAIN_INDENT - strlen(label));
}

static void pretty_begin(struct report_run *r)
{
	const struct report_plan *plan = &r->plan;

	if (r->options.quiet)
		return;
	strbuf_appendf(&r->out, "%zu test%s", plan->n_tests, plan->n_tests == 1 ? "" : "s");
	if (plan->kernels && plan->kernels[0]) {
		strbuf_append(&r->out, " on Linux ");
		text_escape(&r->out, plan->kernels);
	}
	if (plan->clock)
		strbuf_appendf(&r->out, ", %s clock", plan->clock);
	if (plan->jobs > 1)
		strbuf_appendf(&r->out, ", %u at a time", plan->jobs);
	if (plan->jobs > 1 && plan->n_alone)
		strbuf_appendf(&r->out, "; %zu that compare%s times run%s alone", plan->n_alone,
			       plan->n_alone == 1 ? "s" : "", plan->n_alone == 1 ? "s" : "");
	strbuf_append_char(&r->out, '\n');
}

static void pretty_started(struct report_run *r, size_t index, const char *name, uint64_t now_ns)
{
	struct pretty *p = r->state;

	report_live_start(&p->live, index, name, now_ns);
	widen_names(p, p->live.running.at[p->live.running.n - 1].name);
}

static void pretty_progress(struct report_run *r, size_t index, const char *stage)
{
	struct pretty *p = r->state;

	report_live_set_stage(&p->live, index, stage);
}

static void pretty_tick(struct report_run *r, uint64_t now_ns)
{
	struct pretty *p = r->state;

	if (r->options.terminal && report_live_is_due(&p->live, now_ns))
		draw(r);
}

/* "PASS    name     5.3 s  virtual, seed 3\n" */
static void append_result(struct report_run *r, const struct result_outcome *outcome)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf time = STRBUF_INIT;
	struct pretty *p = r->state;
	size_t width;

	text_escape(&name, outcome->name);
	report_format_duration(&time, outcome->wall_ns);
	widen_names(p, strbuf_str(&name));
	width = text_width(strbuf_str(&name));
	append_verdict(r, outcome->verdict, &r->out);
	strbuf_append(&r->out, strbuf_str(&name));
	if (width < p->name_columns)
		strbuf_append_repeated(&r->out, ' ', p->name_columns - width);
	strbuf_appendf(&r->out, "  %7s%s", strbuf_str(&time), outcome->clock.kind ? "  " : "");
	result_clock_format(outcome->clock, &r->out);
	strbuf_append_char(&r->out, '\n');
}

static void remember_failure(struct pretty *p, const struct result_outcome *outcome)
{
	struct failure failure = { .verdict = outcome->verdict };
	struct strbuf head = STRBUF_INIT, why = STRBUF_INIT;

	text_escape(&head, outcome->name);
	strbuf_appendf(&head, "  %s", result_reason_name(outcome->reason));
	strbuf_append(&why, ": ");
	text_escape(&why, outcome->why);
	failure.head = strbuf_take(&head);
	failure.why = strbuf_take(&why);
	vec_push(&p->failures, failure);
}

static void pretty_finished(struct report_run *r, size_t index,
			    const struct result_outcome *outcome)
{
	bool explains = report_needs_explanation(outcome);
	struct report_explain_look look = {
		.columns = r->options.terminal ? columns_of(r) : 0,
		.colour = r->options.colour,
		.verbose = r->options.verbose,
	};
	struct pretty *p = r->state;

	report_live_stop(&p->live, index);
	if (p->failures.n)
		p->n_since_failure++;
	if (explains)
		remember_failure(p, outcome);
	if (!r->options.quiet || explains) {
		report_live_clear(&p->live, &r->out);
		append_result(r, outcome);
		if (explains || outcome->verdict == KTSTR_SKIP ||
		    (look.verbose && outcome->reason != KTSTR_REASON_NONE))
			report_explain_reason(outcome, &look, &r->out);
		if (explains || look.verbose) {
			report_explain_other_parts(outcome, &look, &r->out);
			report_explain_notes(outcome, &look, &r->out);
			report_explain_places(outcome, &look, &r->out);
		}
	}
	if (r->options.terminal && r->n_finished < r->plan.n_tests)
		draw(r);
}

/* Briefly, since the details are printed above; but a name is never cut. */
static void append_failure(const struct report_run *r, const struct failure *failure,
			   struct strbuf *into)
{
	size_t used = REPORT_EXPLAIN_INDENT + text_width(failure->head);
	size_t columns = r->options.terminal ? columns_of(r) : 0;
	size_t n = strlen(failure->why);

	append_verdict(r, failure->verdict, into);
	strbuf_append(into, failure->head);
	if (columns && used + text_width(failure->why) > columns)
		n = used + SHORTEST_WHY <= columns ? text_prefix(failure->why, columns - used - 1)
						   : 0;
	strbuf_append_bytes(into, failure->why, n);
	if (n && failure->why[n])
		strbuf_append(into, "…");
	strbuf_append_char(into, '\n');
}

static void append_recap(struct report_run *r)
{
	struct pretty *p = r->state;

	if (p->n_since_failure < REPORT_RECAP_DISTANCE)
		return;
	strbuf_append(&r->out, "\nnot passed:\n");
	for (size_t i = 0; i < p->failures.n; i++)
		append_failure(r, &p->failures.at[i], &r->out);
}

static void pretty_end(struct report_run *r, const struct report_ending *ending)
{
	struct pretty *p = r->state;

	report_live_clear(&p->live, &r->out);
	append_recap(r);
	if (!r->options.quiet)
		strbuf_append_char(&r->out, '\n');
	if (ending->interrupted)
		strbuf_append(&r->out, "interrupted; ");
	report_format_counts(&r->out, r->counts, r->plan.n_tests);
	strbuf_append(&r->out, " in ");
	report_format_duration(&r->out, ending->wall_ns);
	strbuf_append_char(&r->out, '\n');
	if (r->plan.dir) {
		strbuf_append(&r->out, "records: ");
		text_escape(&r->out, r->plan.dir);
		strbuf_append_char(&r->out, '\n');
	}
}

static void pretty_abandon(struct report_run *r)
{
	struct pretty *p = r->state;

	report_live_clear(&p->live, &r->out);
}

const struct report_form report_form_pretty = {
	.new = pretty_new,
	.free = pretty_free,
	.begin = pretty_begin,
	.started = pretty_started,
	.progress = pretty_progress,
	.tick = pretty_tick,
	.finished = pretty_finished,
	.end = pretty_end,
	.abandon = pretty_abandon,
};
