/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry for people: what `ktstr ctprof metric-list` prints and ktstr-metrics(7) is made of.
 */
#ifndef KTSTR_CLI_CTPROF_METRIC_LIST_H
#define KTSTR_CLI_CTPROF_METRIC_LIST_H

#include "metric/reduce.h"
#include "text/table.h"

void metric_list_format_text(const struct text_look *look, struct strbuf *into);
void metric_list_format_json(struct strbuf *into);
/* The generated parts of the man page, in scdoc's language. */
void metric_list_format_man_kinds(struct strbuf *into);
void metric_list_format_man_tags(struct strbuf *into);
void metric_list_format_man_sources(struct strbuf *into);
void metric_list_format_man_sections(struct strbuf *into);
void metric_list_format_man_metrics(struct strbuf *into);
void metric_list_format_man_derived(struct strbuf *into);
void metric_list_format_man_cgroups(struct strbuf *into);
void metric_list_format_man_pressure(struct strbuf *into);
void metric_list_format_man_host(struct strbuf *into);

/* "[cfs-only] [SCHEDSTATS]": the class first, then kernel options without CONFIG_. */
void metric_format_tags(const struct metric *metric, struct strbuf *into);

#endif
