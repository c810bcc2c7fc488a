// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/macros.h"
#include "checks/check.h"

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
