// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/outcome.h"

#include <string.h>

void result_outcome_deinit(struct result_outcome *o)
{
	char *texts[] = { o->suite,	o->test,   o->name, o->id,	    o->topology, o->kernel,
			  o->scheduler, o->source, o->why,  o->record_path, o->kept_dir, o->rerun };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	for (size_t i = 0; i < o->parts.n; i++) {
		free(o->parts.at[i].text);
		free(o->parts.at[i].file);
	}
	for (size_t i = 0; i < o->notes.n; i++)
		free(o->notes.at[i]);
	vec_deinit(&o->parts);
	vec_deinit(&o->notes);
	*o = (struct result_outcome){ 0 };
}

void result_outcome_add_part(struct result_outcome *o, enum ktstr_reason reason, const char *file,
			     int line, const char *text)
{
	struct exchange_part part = {
		.reason = reason,
		.text = xstrdup(text),
		.file = file ? xstrdup(file) : NULL,
		.line = line,
	};

	vec_push(&o->parts, part);
}

void result_outcome_add_note(struct result_outcome *o, const char *text)
{
	char *note = xstrdup(text);

	vec_push(&o->notes, note);
}

void result_outcome_settle(struct result_outcome *o)
{
	const struct exchange_part *decides = NULL;

	for (size_t i = 0; i < o->parts.n; i++) {
		const struct exchange_part *part = &o->parts.at[i];

		if (!decides || result_verdict_outweighs(result_reason_verdict(part->reason),
							 result_reason_verdict(decides->reason)))
			decides = part;
	}
	o->reason = decides ? decides->reason : KTSTR_REASON_NONE;
	o->verdict = result_reason_verdict(o->reason);
	free(o->why);
	o->why = xstrdup(decides ? decides->text : "");
}

const char *const result_verdict_names[RESULT_N_VERDICTS] = {
	[KTSTR_PASS] = "pass",	   [KTSTR_SKIP] = "skip", [KTSTR_INCONCLUSIVE] = "inconclusive",
	[KTSTR_BROKEN] = "broken", [KTSTR_FAIL] = "fail",
};

/* The heavier one decides. */
static const int weights[RESULT_N_VERDICTS] = {
	[KTSTR_PASS] = 0,   [KTSTR_SKIP] = 1, [KTSTR_INCONCLUSIVE] = 2,
	[KTSTR_BROKEN] = 3, [KTSTR_FAIL] = 4,
};

static const char *const meanings[KTSTR_N_REASONS] = {
#define KTSTR_REASON(id, word, verdict, meaning) [KTSTR_REASON_##id] = (meaning),
#include <ktstr/reasons.def>
#undef KTSTR_REASON
};

const char *const result_clock_names[RESULT_N_CLOCKS] = {
	[RESULT_CLOCK_REAL] = "real",
	[RESULT_CLOCK_VIRTUAL] = "virtual",
};

void result_clock_format(struct result_clock clock, struct strbuf *into)
{
	if (clock.kind != RESULT_CLOCK_UNSAID)
		strbuf_append(into, result_clock_names[clock.kind]);
	if (clock.kind == RESULT_CLOCK_VIRTUAL)
		strbuf_appendf(into, ", seed %llu", (unsigned long long)clock.seed);
}

const char *result_verdict_name(enum ktstr_verdict verdict)
{
	return result_verdict_names[verdict];
}

const char *result_reason_name(enum ktstr_reason reason)
{
	return exchange_reason_names[reason];
}

const char *result_reason_meaning(enum ktstr_reason reason)
{
	return meanings[reason];
}

enum ktstr_verdict result_reason_verdict(enum ktstr_reason reason)
{
	return exchange_reason_verdicts[reason];
}

bool result_verdict_outweighs(enum ktstr_verdict a, enum ktstr_verdict b)
{
	return weights[a] > weights[b];
}
