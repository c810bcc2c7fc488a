// SPDX-License-Identifier: LGPL-2.1-or-later
#include "checks/check.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

enum { NUMBER_BYTES = 352 };

/* "15", "3.1", "1234": no digits beyond the measurement. Bytes for the largest double. */
static const char *number(double value, char text[NUMBER_BYTES])
{
	snprintf(text, NUMBER_BYTES, "%.*f", value < 100 ? 1 : 0, value);
	if (value < 100 && strcmp(text + strlen(text) - 2, ".0") == 0)
		text[strlen(text) - 2] = '\0';
	return text;
}

/* The same for what may be far below 1. */
static const char *small_number(double value, char text[NUMBER_BYTES])
{
	if (value >= 1 || value <= 0)
		return number(value, text);
	snprintf(text, NUMBER_BYTES, "%.2g", value);
	return text;
}

/* What the host added, with so many milliseconds more. */
static double value_of(enum checks_error_bar_kind kind, const struct checks_disturbance *d,
		       double more_ms)
{
	uint64_t waited_ns = kind == CHECKS_ERROR_BAR_WAIT ? d->longest_delay_ns : d->run_delay_ns;
	double ns = (double)waited_ns + more_ms * (double)NS_PER_MS;

	return kind == CHECKS_ERROR_BAR_SHARE ? 100.0 * ns / (double)d->wall_ns
					      : ns / (double)NS_PER_MS;
}

struct checks_error_bar checks_error_bar_of(enum checks_error_bar_kind kind,
					    const struct checks_disturbance *d)
{
	struct checks_error_bar bar = { .from = d, .kind = kind };

	bar.has = d->has && (kind != CHECKS_ERROR_BAR_SHARE || d->wall_ns > 0);
	if (bar.has)
		bar.value = value_of(kind, d,
				     d->tcg ? (double)d->vcpus * CHECKS_ERROR_BAR_TCG_TURN_MS : 0);
	return bar;
}

struct checks_error_bar checks_error_bar_of_model(enum checks_error_bar_kind kind,
						  const struct checks_model *model)
{
	struct checks_error_bar bar = { .kind = kind };
	double turns_ns = (double)model->turn_ns * (double)model->vcpus;

	bar.has = kind == CHECKS_ERROR_BAR_SHARE ||
		  (turns_ns > 0 && (model->has_ipi || model->vcpus == 1));
	if (bar.has && kind != CHECKS_ERROR_BAR_SHARE)
		bar.value = (turns_ns + (double)model->ipi_ns) / (double)NS_PER_MS;
	return bar;
}

struct checks_error_bar checks_error_bar_for(enum checks_error_bar_kind kind,
					     const struct checks_facts *facts)
{
	return facts->clock.is_virtual ? checks_error_bar_of_model(kind, &facts->clock.model)
				       : checks_error_bar_of(kind, facts->disturbance);
}

static void append_blame(const struct checks_error_bar *bar, struct strbuf *s)
{
	static const struct {
		const char *before, *behind;
	} words[] = {
		[CHECKS_ERROR_BAR_SHARE] = { "", "% of the time" },
		[CHECKS_ERROR_BAR_WAIT] = { "up to ", "ms at a time" },
		[CHECKS_ERROR_BAR_STALL] = { "for ", "ms in all" },
	};
	const struct checks_disturbance *d = bar->from;
	char text[NUMBER_BYTES];

	strbuf_appendf(s, "the host kept the guest waiting %s%s %s", words[bar->kind].before,
		       number(value_of(bar->kind, d, 0), text), words[bar->kind].behind);
	if (d->tcg)
		strbuf_appendf(s, ", and its %u vCPUs take turns on one host thread", d->vcpus);
}

/* "+-0.04 ms"; a share has no error, and one that is unknown is not shown as none. */
static bool append_model_error(const struct checks_error_bar *bar, const char *unit,
			       struct strbuf *s)
{
	char text[NUMBER_BYTES];

	if (!bar->has || bar->kind == CHECKS_ERROR_BAR_SHARE)
		return false;
	strbuf_appendf(s, "+-%s %s", small_number(bar->value, text), unit);
	return true;
}

static enum ktstr_reason decide_modelled(const struct checks_error_bar *bar, const char *what,
					 double measured, double limit, const char *unit,
					 char **ret_text)
{
	bool hidden = bar->has && bar->value > limit;
	enum ktstr_reason reason = KTSTR_REASON_CHECK;
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	char text[NUMBER_BYTES];

	if (measured <= limit && !hidden)
		return KTSTR_REASON_NONE;
	strbuf_appendf(&s, "%s %s %s (", what, small_number(measured, text), unit);
	if (append_model_error(bar, unit, &s))
		strbuf_append(&s, ", ");
	strbuf_appendf(&s, "limit %s %s)", small_number(limit, text), unit);
	if (hidden) {
		reason = KTSTR_REASON_MODEL_ERROR;
		strbuf_append(&s, ", but CPUs of this machine take turns, so a limit below "
				  "its error decides nothing");
	} else if (!bar->has) {
		reason = KTSTR_REASON_NO_EVIDENCE;
		strbuf_append(&s, ", but the error of this machine was not measured");
	}
	*ret_text = strbuf_take(&s);
	return reason;
}

enum ktstr_reason checks_error_bar_decide(const struct checks_error_bar *bar, const char *what,
					  double measured, double limit, const char *unit,
					  char **ret_text)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	enum ktstr_reason reason = KTSTR_REASON_CHECK;
	char one[NUMBER_BYTES], two[NUMBER_BYTES];

	bool hidden = bar->kind == CHECKS_ERROR_BAR_SHARE && bar->has && bar->value > limit;

	if (!bar->from)
		return decide_modelled(bar, what, measured, limit, unit, ret_text);
	if (measured <= limit && !hidden)
		return KTSTR_REASON_NONE;
	strbuf_appendf(&s, "%s %s %s (limit %s %s)", what, number(measured, one), unit,
		       number(limit, two), unit);
	if (!bar->has) {
		reason = KTSTR_REASON_NO_EVIDENCE;
		strbuf_appendf(&s, ", but how much the host disturbed the guest is unknown: %s",
			       bar->from->why[0] ? bar->from->why : "it was not measured");
	} else if (measured - bar->value <= limit) {
		reason = KTSTR_REASON_HOST_BUSY;
		strbuf_appendf(&s, ", but the error bar is %s %s: ", number(bar->value, one), unit);
		append_blame(bar, &s);
	} else {
		strbuf_appendf(&s, ", and the error bar is %s %s", number(bar->value, one), unit);
	}
	*ret_text = strbuf_take(&s);
	return reason;
}

static char *format_modelled(const struct checks_error_bar *bar, const char *check,
			     const char *name, double measured, double limit, const char *unit)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT, error = STRBUF_INIT;
	char text[NUMBER_BYTES];

	strbuf_appendf(&s, "%s %s %s %s", check, name, small_number(measured, text), unit);
	if (append_model_error(bar, unit, &error))
		strbuf_appendf(&s, " (%s)", strbuf_str(&error));
	strbuf_appendf(&s, " of at most %s %s%s", small_number(limit, text), unit,
		       bar->has ? "" : ", error of the machine not measured");
	return strbuf_take(&s);
}

char *checks_error_bar_format(const struct checks_error_bar *bar, const char *check,
			      const char *name, double measured, double limit, const char *unit)
{
	char one[NUMBER_BYTES], two[NUMBER_BYTES], three[NUMBER_BYTES];

	if (!bar->from)
		return format_modelled(bar, check, name, measured, limit, unit);
	if (!bar->has)
		return xasprintf("%s %s %s %s of at most %s %s, error bar unknown", check, name,
				 number(measured, one), unit, number(limit, two), unit);
	return xasprintf("%s %s %s %s of at most %s %s, error bar %s %s", check, name,
			 number(measured, one), unit, number(limit, two), unit,
			 number(bar->value, three), unit);
}

void checks_error_bar_judge(const struct checks_error_bar *bar, struct checks_subject *subject,
			    const char *check, const char *what, double measured, double limit,
			    const char *unit)
{
	_cleanup_free_ char *line = checks_error_bar_format(bar, check, subject->cgroup->name,
							    measured, limit, unit);
	_cleanup_free_ char *text = NULL;
	enum ktstr_reason reason = checks_error_bar_decide(bar, what, measured, limit, unit, &text);

	checks_note(subject->into, "%s", line);
	if (reason != KTSTR_REASON_NONE)
		checks_part(subject->into, reason, "%s", text);
}
