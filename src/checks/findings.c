// SPDX-License-Identifier: LGPL-2.1-or-later
#include "checks/check.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/alloc.h"

void checks_note(struct checks_findings *findings, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vec_push(&findings->notes, xvasprintf(fmt, args));
	va_end(args);
}

void checks_part(struct checks_findings *findings, enum ktstr_reason reason, const char *fmt, ...)
{
	struct checks_part part = { .reason = reason };
	va_list args;

	if (findings->added_++ >= CHECKS_LIMIT_PARTS)
		return;
	va_start(args, fmt);
	part.text = xvasprintf(fmt, args);
	va_end(args);
	vec_push(&findings->parts, part);
}

void checks_end(struct checks_findings *findings, const char *check, const char *cgroup)
{
	if (findings->added_ > CHECKS_LIMIT_PARTS)
		checks_note(findings, "%s %s: %zu more like this", check, cgroup,
			    findings->added_ - CHECKS_LIMIT_PARTS);
	findings->added_ = 0;
}

void checks_findings_deinit(struct checks_findings *findings)
{
	for (size_t i = 0; i < findings->parts.n; i++)
		free(findings->parts.at[i].text);
	for (size_t i = 0; i < findings->notes.n; i++)
		free(findings->notes.at[i]);
	vec_deinit(&findings->parts);
	vec_deinit(&findings->notes);
	*findings = (struct checks_findings){ 0 };
}
