/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry for people: what `ktstr ctprof metric-list` prints and ktstr-metrics(7) is made of.
 */
#ifndef KTSTR_CLI_CTPROF_METRIC_LIST_H
#define KTSTR_CLI_CTPROF_METRIC_LIST_H

#include "metric/derived.h"
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

/*
 * What a snapshot says about cgroups, stalls and the host besides threads: the rows of
 * procfs/cgroup.def, procfs/pressure.h and host/host_facts.h.
 */
enum metric_list_part {
	METRIC_LIST_CGROUPS,
	METRIC_LIST_PRESSURE,
	METRIC_LIST_HOST,
	METRIC_LIST_N_PARTS,
};

struct metric_list_value {
	const char *name, *description;
	const char *unit, *section, *file; /* "" for none */
};

typedef void (*metric_list_fn)(const struct metric_list_value *value, void *arg);
void metric_list_values(enum metric_list_part part, metric_list_fn take, void *arg);

#endif
