/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms of `ktstr ctprof show`. */
#ifndef KTSTR_CLI_CTPROF_SHOW_H
#define KTSTR_CLI_CTPROF_SHOW_H

#include "cli/ctprof/profile.h"
#include "text/table.h"

/* When and where the snapshot was taken and how well it could be read. */
void show_format_header(const struct profile *profile, const struct table_look *look,
			struct strbuf *into);
/* Tables of metrics: one line per group for a few of them, else one line per metric. */
void show_format_groups(const struct profile *profile, const struct table_look *look,
			struct strbuf *into);
/* Everything else, section by section. */
void show_format_rows(const struct profile *profile, const struct table_look *look,
		      struct strbuf *into);

void show_format_json(const struct profile *profile, struct strbuf *into);
void show_format_csv(const struct profile *profile, struct strbuf *into);

#endif
