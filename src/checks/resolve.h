/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an author asks for: defaults, mistakes, words. */
#ifndef KTSTR_CHECKS_RESOLVE_H
#define KTSTR_CHECKS_RESOLVE_H

#include "base/strbuf.h"
#include "checks/check.h"

/* Without a demand that is left to the default. */
struct ktstr_checks checks_resolve(const struct ktstr_checks *said,
				   const struct checks_scene *scene);
/* After checks_resolve(). */
bool checks_is_asked(const struct checks_row *row, const struct ktstr_checks *checks);
/* Whether the author wrote it down. */
bool checks_is_said(const struct checks_row *row, const struct ktstr_checks *checks);
/* Whether one that is asked for judges times. */
bool checks_judge_time(const struct ktstr_checks *checks);

/* What is wrong with the row as the author wrote it, several separated by newlines; "": nothing. */
void checks_validate(const struct checks_row *row, const struct ktstr_checks *said,
		     const struct checks_scene *scene, struct strbuf *into);
/* "required", "off", "at most 15 %". */
void checks_format(const struct checks_row *row, const struct ktstr_checks *checks,
		   struct strbuf *into);

#endif
