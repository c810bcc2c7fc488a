/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For those who look for mistakes in one declaration. */
#ifndef KTSTR_SUITE_MISTAKES_H
#define KTSTR_SUITE_MISTAKES_H

#include <ktstr/ktstr.h>

#include "base/strbuf.h"

struct suite_mistakes {
	const struct ktstr_entry *entry;
	struct strbuf *into;
};

/* One line: where the test is declared, its name, what is wrong. */
void suite_mistake(struct suite_mistakes *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Too long; NULL is fine. */
void suite_mistakes_of_text(struct suite_mistakes *m, const char *what, const char *text);
/* An array of limit + 1 texts: too many, holes, too long ones; "" where only names make sense. */
void suite_mistakes_of_texts(struct suite_mistakes *m, const char *what, const char *const *texts,
			     size_t limit, bool names);

void suite_validate_cgroups(struct suite_mistakes *m, const struct ktstr_test *test);
void suite_validate_checks(struct suite_mistakes *m, const struct ktstr_test *test);

#endif
