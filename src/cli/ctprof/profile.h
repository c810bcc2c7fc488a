/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `ktstr ctprof show` shows, before it has a form: groups in their order, and what is chosen.
 */
#ifndef KTSTR_CLI_CTPROF_PROFILE_H
#define KTSTR_CLI_CTPROF_PROFILE_H

#include "cli/ctprof/spec.h"
#include "ctprof/cgroup_merge.h"
#include "ctprof/file.h"
#include "ctprof/group.h"
#include "ctprof/smaps_group.h"

struct profile_options {
	struct group_rules rules;
	struct metric_choice metrics;
	struct section_choice sections;
	struct sort_order sort;
	uint32_t top;	     /* only so many groups; 0: all */
	const char *threads; /* only threads that match, each alone; NULL: all, in groups */
	bool everything;     /* what is 0 or absent, too */
};

struct profile {
	const struct profile_options *options;
	const struct snapshot *snapshot;
	const struct snapshot_origin *origin;
	struct group_keys *keys;
	struct grouping grouping;
	size_t n_groups; /* of grouping->groups: those that are shown, in their order */
	struct merged_cgroups cgroups; /* on the axis cgroup, in the order of the groups */
	struct smaps_groups smaps;
};

/* Borrows all three. */
void profile_make(const struct profile_options *options, const struct snapshot *snapshot,
		  const struct snapshot_origin *origin, struct profile *ret);
void profile_deinit(struct profile *profile);
#define _cleanup_profile_ _cleanup_(profile_deinit)

/* Whether the row of a metric (below N_SPEC_METRICS) belongs to what was asked for. */
bool profile_wants(const struct profile *profile, size_t metric);
/* In order, largest first where nothing else is said; absent values last whatever the direction. */
int profile_compare(const struct sort_order *order, const struct group_keys *keys,
		    const struct group *a, const struct group *b);
/*
 * PATTERN of --threads: a number is a tid or a process; anything else is a glob over the names of
 * the thread and its process, or what show calls their group: pool-{N}, name[7].
 */
bool profile_thread_matches(const char *pattern, const struct snapshot *snapshot,
			    const struct thread_sample *sample);
/* "/a/b", "-" for a group without a name. */
void profile_format_label(const struct profile *profile, const struct group_key *key,
			  struct strbuf *into);

#endif
