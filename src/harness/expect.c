// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/judge.h"

#include <string.h>

/* The expected failure no longer fails the test, but is kept as a note. */
static void parts_become_notes(struct result_outcome *o)
{
	for (size_t i = 0; i < o->parts.n; i++) {
		struct exchange_part *part = &o->parts.at[i];
		_cleanup_free_ char *note = NULL;

		if (part->file)
			note = xasprintf("%s: %s:%d: %s", result_reason_name(part->reason),
					 part->file, part->line, part->text);
		else
			note = xasprintf("%s: %s", result_reason_name(part->reason), part->text);
		result_outcome_add_note(o, note);
		free(part->text);
		free(part->file);
	}
	vec_clear(&o->parts);
}

static void move_last_part_to_the_front(struct result_outcome *o)
{
	struct exchange_part last = o->parts.at[o->parts.n - 1];

	memmove(&o->parts.at[1], &o->parts.at[0], (o->parts.n - 1) * sizeof(last));
	o->parts.at[0] = last;
}

/* Findings do not end the test: what happens to it afterwards counts separately. */
static bool is_finding(enum ktstr_reason reason)
{
	return reason == KTSTR_REASON_CHECK || reason == KTSTR_REASON_EXPECTATION ||
	       reason == KTSTR_REASON_PAYLOAD;
}

/*
 * A part that is not a consequence of the declared failure; NULL: none. If that ends the guest,
 * the scheduler or the time, the rest may well be.
 */
static const struct exchange_part *find_stranger(const struct result_outcome *o,
						 enum ktstr_reason expected)
{
	if (!is_finding(expected) && expected != KTSTR_REASON_LEFTOVER)
		return NULL;
	for (size_t i = 0; i < o->parts.n; i++) {
		const struct exchange_part *part = &o->parts.at[i];
		enum ktstr_verdict verdict = result_reason_verdict(part->reason);

		if ((verdict == KTSTR_FAIL || verdict == KTSTR_BROKEN) &&
		    part->reason != expected && !is_finding(part->reason))
			return part;
	}
	return NULL;
}

void harness_expect_apply(enum ktstr_reason expected, struct result_outcome *o)
{
	const struct exchange_part *stranger = find_stranger(o, expected);
	_cleanup_free_ char *text = NULL;

	if (expected == KTSTR_REASON_NONE)
		return;
	if (o->verdict == KTSTR_PASS) {
		text = xasprintf("%s was expected, but the test passed",
				 result_reason_name(expected));
		result_outcome_add_part(o, KTSTR_REASON_DID_NOT_FAIL, NULL, 0, text);
	} else if (o->verdict == KTSTR_FAIL && o->reason == expected && stranger) {
		text = xasprintf("%s happened as expected, but so did %s: %s",
				 result_reason_name(expected), result_reason_name(stranger->reason),
				 stranger->text);
		result_outcome_add_part(o, KTSTR_REASON_OTHER_FAILURE, NULL, 0, text);
		move_last_part_to_the_front(o);
	} else if (o->verdict == KTSTR_FAIL && o->reason == expected) {
		text = xasprintf("%s: %s", result_reason_name(expected), o->why);
		parts_become_notes(o);
		result_outcome_add_part(o, KTSTR_REASON_AS_EXPECTED, NULL, 0, text);
	} else if (o->verdict == KTSTR_FAIL) {
		text = xasprintf("%s was expected, but %s happened: %s",
				 result_reason_name(expected), result_reason_name(o->reason),
				 o->why);
		result_outcome_add_part(o, KTSTR_REASON_OTHER_FAILURE, NULL, 0, text);
		move_last_part_to_the_front(o);
	}
	result_outcome_settle(o);
}
