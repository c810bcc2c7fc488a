// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/metrics.h"

#include <string.h>

const char *suite_metric_checks_mistake(
	const struct ktstr_metric_check checks[static KTSTR_MAX_CHECKS + 1])
{
	if (checks[KTSTR_MAX_CHECKS].kind != KTSTR_CHECK_NONE)
		return "it has more checks than a list of checks holds";
	for (size_t i = 0; checks[i].kind != KTSTR_CHECK_NONE; i++) {
		if (checks[i].kind < KTSTR_CHECK_NONE || checks[i].kind > KTSTR_CHECK_EXISTS)
			return "it has a check of an unknown kind";
		if (checks[i].kind != KTSTR_CHECK_EXIT_CODE &&
		    (!checks[i].metric || !checks[i].metric[0]))
			return "it has a check that names no metric";
	}
	return NULL;
}

/* So that the line of a report has room for all of them. */
enum { HINT_BYTES_LIMIT = 256 };

const char *suite_metric_hints_mistake(
	const struct ktstr_metric_hint hints[static KTSTR_MAX_CHECKS + 1])
{
	if (hints[KTSTR_MAX_CHECKS].metric)
		return "it has more hints than a list of hints holds";
	for (size_t i = 0; hints[i].metric; i++) {
		if (!hints[i].metric[0])
			return "it has a hint that names no metric";
		if (strlen(hints[i].metric) > HINT_BYTES_LIMIT ||
		    (hints[i].unit && strlen(hints[i].unit) > HINT_BYTES_LIMIT))
			return "it has a hint with a name or unit of more than 256 bytes";
		if ((unsigned int)hints[i].direction > KTSTR_HIGHER_IS_BETTER)
			return "it has a hint of an unknown direction";
	}
	return NULL;
}

void suite_metrics_format_end(const struct ktstr_metrics *metrics, struct strbuf *into)
{
	const char *name;

	if (!metrics->exit_known) {
		strbuf_append(into, "unknown exit code (somebody else waited for it)");
		return;
	}
	if (metrics->exit_code >= 0) {
		strbuf_appendf(into, "exit code %d", metrics->exit_code);
		return;
	}
	name = sigabbrev_np(-metrics->exit_code);
	strbuf_appendf(into, "killed by signal %d", -metrics->exit_code);
	if (name)
		strbuf_appendf(into, " (SIG%s)", name);
}

void suite_metrics_format_stderr(const struct ktstr_metrics *metrics, struct strbuf *into)
{
	size_t from;

	if (metrics->err.total == 0) {
		strbuf_append(into, "; stderr is empty");
		return;
	}
	strbuf_append(into, metrics->err.total > SUITE_PAYLOAD_TAIL_BYTES ? "; stderr ends with: …"
									  : "; stderr: ");
	from = into->n;
	suite_capture_tail(&metrics->err, into);
	/* A text ends at a NUL; what follows may be what matters. */
	for (size_t i = from; i < into->n; i++)
		if (into->at[i] == '\0')
			into->at[i] = '.';
	while (into->n && into->at[into->n - 1] == '\n')
		into->at[--into->n] = '\0';
}

/* True when it holds. */
static bool judge_exit_code(const struct ktstr_metric_check *check,
			    const struct ktstr_metrics *metrics, suite_metric_check_fn found,
			    void *context)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (metrics->exit_known && (double)metrics->exit_code == check->low)
		return true;
	suite_metrics_format_end(metrics, &text);
	strbuf_appendf(&text, ", not %.17g", check->low);
	suite_metrics_format_stderr(metrics, &text);
	found(context, KTSTR_REASON_PAYLOAD, strbuf_str(&text));
	return false;
}

/* Written so that a limit of NaN never holds. */
static bool number_holds(const struct ktstr_metric_check *check, double value)
{
	bool low_holds = value >= check->low, high_holds = value <= check->high;

	return check->kind == KTSTR_CHECK_EXISTS ? true
	       : check->kind == KTSTR_CHECK_MIN	 ? low_holds
	       : check->kind == KTSTR_CHECK_MAX	 ? high_holds
						 : low_holds && high_holds;
}

static void format_demand(const struct ktstr_metric_check *check, struct strbuf *into)
{
	if (check->kind == KTSTR_CHECK_MIN)
		strbuf_appendf(into, "less than %.17g", check->low);
	else if (check->kind == KTSTR_CHECK_MAX)
		strbuf_appendf(into, "more than %.17g", check->high);
	else
		strbuf_appendf(into, "not from %.17g to %.17g", check->low, check->high);
}

static bool is_not_judged(const struct ktstr_metric_check *check,
			  const struct suite_metric_meaning *meaning)
{
	return meaning->virtual_clock && check->kind != KTSTR_CHECK_EXISTS &&
	       exchange_hint_is_rate(
		       exchange_hint_find(meaning->hints, meaning->n_hints, check->metric));
}

static void judge_number(const struct ktstr_metric_check *check,
			 const struct ktstr_metrics *metrics,
			 const struct suite_metric_meaning *meaning, suite_metric_check_fn found,
			 void *context)
{
	const struct suite_metric *metric = suite_metrics_find(metrics, check->metric);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (metric && is_not_judged(check, meaning)) {
		strbuf_appendf(&text,
			       "metric %s is %s: rates are not judged with a virtual clock, where "
			       "all CPUs together have one speed whatever the scheduler does",
			       check->metric, suite_metric_number(metrics, metric).at);
		found(context, KTSTR_REASON_NO_EVIDENCE, strbuf_str(&text));
		return;
	}
	if (metric && number_holds(check, metric->value))
		return;
	strbuf_appendf(&text, "metric %s ", check->metric);
	if (metric) {
		strbuf_appendf(&text, "is %s, ", suite_metric_number(metrics, metric).at);
		format_demand(check, &text);
	} else if (!metrics->stream) {
		strbuf_append(&text, "is missing: .output of the program is not KTSTR_OUTPUT_JSON");
	} else if (metrics->none_because) {
		strbuf_appendf(&text, "is missing: %s", metrics->none_because);
		suite_metrics_format_stderr(metrics, &text);
	} else {
		strbuf_appendf(&text, "is not among the %zu metrics on %s", metrics->all.n,
			       metrics->stream);
	}
	found(context, KTSTR_REASON_PAYLOAD, strbuf_str(&text));
}

void suite_metric_checks_judge(const struct ktstr_metric_check checks[static KTSTR_MAX_CHECKS + 1],
			       const struct ktstr_metrics *metrics,
			       const struct suite_metric_meaning *meaning,
			       suite_metric_check_fn found, void *context)
{
	if (metrics->timed_out)
		return;
	for (size_t i = 0; !metrics->by_cleanup && checks[i].kind != KTSTR_CHECK_NONE; i++)
		if (checks[i].kind == KTSTR_CHECK_EXIT_CODE &&
		    !judge_exit_code(&checks[i], metrics, found, context))
			return;
	for (size_t i = 0; checks[i].kind != KTSTR_CHECK_NONE; i++)
		if (checks[i].kind != KTSTR_CHECK_EXIT_CODE)
			judge_number(&checks[i], metrics, meaning, found, context);
}
