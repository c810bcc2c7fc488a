// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/snapshot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORD_(id, word, ...) word,
const char *const ctprof_reason_words[] = { CTPROF_REASONS(WORD_) };
const char *const ctprof_path_words[] = { CTPROF_PATHS(WORD_) };
#undef WORD_

void ctprof_snapshot_init(struct ctprof_snapshot *snapshot)
{
	*snapshot = (struct ctprof_snapshot){ .schema_version = CTPROF_SNAPSHOT_SCHEMA_VERSION };
	intern_init(&snapshot->strings);
}

void ctprof_snapshot_deinit(struct ctprof_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->cpu_lists.n; i++)
		free(snapshot->cpu_lists.at[i].at);
	vec_deinit(&snapshot->cpu_lists);
	hash_index_deinit(&snapshot->cpu_list_index);
	for (size_t i = 0; i < snapshot->smaps.n; i++)
		vec_deinit(&snapshot->smaps.at[i].rows);
	vec_deinit(&snapshot->smaps);
	vec_deinit(&snapshot->threads);
	for (size_t i = 0; i < snapshot->cgroups.n; i++)
		procfs_cgroup_stats_deinit(&snapshot->cgroups.at[i].stats);
	vec_deinit(&snapshot->cgroups);
	procfs_sched_ext_deinit(&snapshot->sched_ext);
	host_facts_deinit(&snapshot->host);
	intern_deinit(&snapshot->strings);
	*snapshot = (struct ctprof_snapshot){ 0 };
}

static bool same_ids(const struct ctprof_cpu_list *list, const uint32_t *ids, size_t n)
{
	return list->n == n && (n == 0 || memcmp(list->at, ids, n * sizeof(*ids)) == 0);
}

uint32_t ctprof_snapshot_add_cpu_list(struct ctprof_snapshot *snapshot, const uint32_t *ids,
				      size_t n)
{
	uint64_t hash = n ? hash_bytes(HASH_INIT, ids, n * sizeof(*ids)) : HASH_INIT;
	struct ctprof_cpu_list list = { .n = n };
	size_t at = 0;
	uint32_t i;

	while (hash_index_next(&snapshot->cpu_list_index, hash, &at, &i))
		if (same_ids(&snapshot->cpu_lists.at[i], ids, n))
			return i;
	if (n) {
		list.at = xcalloc(n, sizeof(*ids));
		memcpy(list.at, ids, n * sizeof(*ids));
	}
	vec_push(&snapshot->cpu_lists, list);
	i = (uint32_t)snapshot->cpu_lists.n - 1;
	hash_index_add(&snapshot->cpu_list_index, hash, i);
	return i;
}

static int by_path(const void *a, const void *b, void *strings)
{
	return strcmp(intern_text(strings, ((const struct ctprof_snapshot_cgroup *)a)->path),
		      intern_text(strings, ((const struct ctprof_snapshot_cgroup *)b)->path));
}

void ctprof_snapshot_sort_cgroups(struct ctprof_snapshot *snapshot)
{
	if (snapshot->cgroups.n)
		qsort_r(snapshot->cgroups.at, snapshot->cgroups.n, sizeof(*snapshot->cgroups.at),
			by_path, &snapshot->strings);
}

#define HINT_PTRACE                                                                       \
	"hint: re-run as root, or sudo setcap cap_sys_ptrace+eip $(which ktstr), or set " \
	"kernel.yama.ptrace_scope=0"
#define HINT_KERNEL_CONFIG                                                           \
	"hint: schedstat / io read failures dominate — kernel may be built without " \
	"CONFIG_SCHED_INFO and/or CONFIG_TASK_IO_ACCOUNTING"
#define HINT_RIGHTS                                                          \
	"hint: schedstat / io read failures dominate — rights are missing: " \
	"re-run as root, or sudo setcap cap_sys_ptrace+eip $(which ktstr)"
#define HINT_NET_ADMIN "hint: re-run as root, or sudo setcap cap_net_admin+eip $(which ktstr)"
#define HINT_TASKSTATS "hint: kernel may be built without CONFIG_TASKSTATS"

bool ctprof_summary_format_probe(const struct ctprof_snapshot *snapshot, struct strbuf *into)
{
	const struct ctprof_probe_summary *s = &snapshot->probe;

	if (!s->known)
		return false;
	strbuf_appendf(into,
		       "ctprof probe: %" PRIu64 " tgids walked, %" PRIu64
		       " jemalloc detected, %" PRIu64 " probed OK, %" PRIu64 " failed",
		       s->tgids_walked, s->jemalloc_detected, s->probed_ok, s->failed);
	if (s->failed)
		strbuf_appendf(into, " (dominant: %s%s)",
			       s->dominant_failure
				       ? intern_text(&snapshot->strings, s->dominant_failure)
				       : "?",
			       s->privilege_dominant ? "; " HINT_PTRACE : "");
	return true;
}

/*
 * The flag in the file says which files failed, not why: a denied read proves nothing about it.
 * A file without reasons leaves the kernel, as the flag has it.
 */
static bool rights_are_missing(const struct ctprof_snapshot *snapshot)
{
	const uint64_t *schedstat = snapshot->reasons[METRIC_SOURCE_SCHEDSTAT];
	const uint64_t *io = snapshot->reasons[METRIC_SOURCE_IO];
	uint64_t refused, lacking;

	/* Sums that a file made too large are of no use either way. */
	if (!add_fits_u64(schedstat[CTPROF_SNAPSHOT_REASON_NO_PERMISSION],
			  io[CTPROF_SNAPSHOT_REASON_NO_PERMISSION], &refused))
		return true;
	return add_fits_u64(schedstat[CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE],
			    io[CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE], &lacking) &&
	       refused > lacking;
}

bool ctprof_summary_format_parse(const struct ctprof_snapshot *snapshot, struct strbuf *into)
{
	const struct ctprof_parse_summary *s = &snapshot->parse;

	if (!s->known)
		return false;
	strbuf_appendf(into, "ctprof parse: %" PRIu64 " tids walked, %" PRIu64 " read failures",
		       s->tids_walked, s->read_failures);
	if (s->negative_dotted_values)
		strbuf_appendf(into, ", %" PRIu64 " negative-dotted values",
			       s->negative_dotted_values);
	if (snapshot->closed_processes)
		strbuf_appendf(into, ", %" PRIu64 " processes that do not show their threads",
			       snapshot->closed_processes);
	if (s->dominant_read_failure)
		strbuf_appendf(into, " (dominant: %s)",
			       intern_text(&snapshot->strings, s->dominant_read_failure));
	if (s->kernel_config_dominant)
		strbuf_append(into, rights_are_missing(snapshot) ? "; " HINT_RIGHTS
								 : "; " HINT_KERNEL_CONFIG);
	return true;
}

/*
 * No query was sent: either taskstats is missing, or another path gave everything already.
 * If the file does not say which, the worse is assumed: it is missing.
 */
static bool seems_absent(const struct ctprof_snapshot *snapshot)
{
	static const enum metric_source sources[] = { METRIC_SOURCE_DELAY_CPU,
						      METRIC_SOURCE_DELAY_BLOCK,
						      METRIC_SOURCE_XACCT };
	bool lacks = !snapshot->has_presence;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		if (snapshot->paths[sources[i]] != CTPROF_SNAPSHOT_PATH_NONE)
			return false;
		lacks |= snapshot->reasons[sources[i]][CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE] != 0;
	}
	return lacks;
}

bool ctprof_summary_format_taskstats(const struct ctprof_snapshot *snapshot, struct strbuf *into)
{
	const struct ctprof_taskstats_summary *s = &snapshot->taskstats;
	uint64_t failed = s->eperm + s->esrch + s->other;
	/* By name, so that the first of equals is the alphabetically smallest. */
	const struct {
		const char *tag;
		uint64_t n;
	} tags[] = { { "eperm", s->eperm }, { "esrch", s->esrch }, { "other", s->other } };
	size_t dominant = 0;

	if (!s->known)
		return false;
	strbuf_appendf(into,
		       "ctprof taskstats: %" PRIu64 " tids queried, %" PRIu64 " OK, %" PRIu64
		       " failed",
		       s->ok + failed, s->ok, failed);
	for (size_t i = 1; i < ARRAY_SIZE(tags); i++) {
		if (tags[i].n > tags[dominant].n)
			dominant = i;
	}
	if (failed)
		strbuf_appendf(into, " (dominant: %s%s)", tags[dominant].tag,
			       2 * s->eperm >= failed ? "; " HINT_NET_ADMIN : "");
	else if (s->ok == 0 && snapshot->threads.n && seems_absent(snapshot))
		strbuf_append(into, "; " HINT_TASKSTATS);
	return true;
}
