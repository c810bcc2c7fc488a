// SPDX-License-Identifier: LGPL-2.1-or-later
#include "checks/check.h"

struct ktstr_checks checks_resolve(const struct ktstr_checks *said,
				   const struct checks_scene *scene)
{
	struct ktstr_checks checks = *said;

	for (size_t i = 0; i < checks_n_rows; i++) {
		const struct checks_row *row = &checks_rows[i];
		enum ktstr_demand *demand = checks_demand(row, &checks);

		if (row->form == CHECKS_DEMAND && *demand == KTSTR_BY_DEFAULT)
			*demand = row->check->by_default && row->check->by_default(scene)
					  ? KTSTR_REQUIRED
					  : KTSTR_OFF;
	}
	return checks;
}

bool checks_is_asked(const struct checks_row *row, const struct ktstr_checks *checks)
{
	struct ktstr_checks copy = *checks;

	return row->form == CHECKS_DEMAND ? *checks_demand(row, &copy) == KTSTR_REQUIRED
					  : checks_limit(row, &copy)->set;
}

bool checks_is_said(const struct checks_row *row, const struct ktstr_checks *checks)
{
	struct ktstr_checks copy = *checks;

	return row->form == CHECKS_DEMAND ? *checks_demand(row, &copy) != KTSTR_BY_DEFAULT
					  : checks_limit(row, &copy)->set;
}

bool checks_judge_time(const struct ktstr_checks *checks)
{
	for (size_t i = 0; i < checks_n_rows; i++)
		if (checks_rows[i].check->judges_time && checks_is_asked(&checks_rows[i], checks))
			return true;
	return false;
}

static void mistake(struct strbuf *into, const struct checks_row *row, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
static void mistake(struct strbuf *into, const struct checks_row *row, const char *fmt, ...)
{
	va_list args;

	strbuf_appendf(into, "%schecks.%s: ", into->n ? "\n" : "", row->name);
	va_start(args, fmt);
	strbuf_vappendf(into, fmt, args);
	va_end(args);
}

/* A limit from below that was taken for one from above would pass what it should fail. */
static void validate_limit(const struct checks_row *row, const struct ktstr_limit *limit,
			   struct strbuf *into)
{
	static const char *const macros[] = { "AT_MOST", "AT_LEAST" };
	bool from_below = row->form == CHECKS_AT_LEAST;
	const char *refused = row->check->refused ? row->check->refused(limit->value) : NULL;

	if (limit->at_least != from_below)
		mistake(into, row, "%s(%g), but it is %s limit: use %s(%g)",
			macros[limit->at_least], limit->value, from_below ? "a lower" : "an upper",
			macros[from_below], limit->value);
	if (refused)
		mistake(into, row, "%g is not %s", limit->value, refused);
}

void checks_validate(const struct checks_row *row, const struct ktstr_checks *said,
		     const struct checks_scene *scene, struct strbuf *into)
{
	struct ktstr_checks copy = *said;
	const char *impossible = row->check->impossible ? row->check->impossible(scene) : NULL;

	if (row->form != CHECKS_DEMAND && checks_limit(row, &copy)->set)
		validate_limit(row, checks_limit(row, &copy), into);
	else if (row->form == CHECKS_DEMAND && (unsigned int)*checks_demand(row, &copy) > KTSTR_OFF)
		mistake(into, row, "%d is neither REQUIRED nor OFF",
			(int)*checks_demand(row, &copy));
	if (impossible && checks_is_asked(row, said))
		mistake(into, row, "%s", impossible);
}

void checks_format(const struct checks_row *row, const struct ktstr_checks *checks,
		   struct strbuf *into)
{
	struct ktstr_checks copy = *checks;

	if (!checks_is_asked(row, checks))
		strbuf_append(into, "off");
	else if (row->form == CHECKS_DEMAND)
		strbuf_append(into, "required");
	else
		strbuf_appendf(into, "at %s %g %s", row->form == CHECKS_AT_MOST ? "most" : "least",
			       checks_limit(row, &copy)->value, row->unit);
}

const struct checks_row checks_rows[] = {
#define KTSTR_CHECK(name, form, unit, by_default, meaning)                   \
	{ #name,	 CHECKS_##form, unit,                                \
	  by_default,	 meaning,	offsetof(struct ktstr_checks, name), \
	  &checks_##name },
#include <ktstr/checks.def>
#undef KTSTR_CHECK
};
const size_t checks_n_rows = ARRAY_SIZE(checks_rows);

enum ktstr_demand *checks_demand(const struct checks_row *row, struct ktstr_checks *checks)
{
	return (enum ktstr_demand *)(void *)((char *)checks + row->offset);
}

struct ktstr_limit *checks_limit(const struct checks_row *row, struct ktstr_checks *checks)
{
	return (struct ktstr_limit *)(void *)((char *)checks + row->offset);
}
