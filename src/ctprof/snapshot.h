/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A host at one moment: every thread, the cgroups they are in, pressure, sched_ext, the host
 * itself, and how well all that could be read. Capture fills it, file.h writes and loads it,
 * grouping reads it.
 */
#ifndef KTSTR_CTPROF_SNAPSHOT_H
#define KTSTR_CTPROF_SNAPSHOT_H

#include "base/hash.h"
#include "base/intern.h"
#include "base/strbuf.h"
#include "host/host_facts.h"
#include "metric/sample.h"
#include "procfs/cgroup.h"

enum { CTPROF_SNAPSHOT_SCHEMA_VERSION = 1 };

/* Why a source was not read in a thread: SNAPSHOT_REASON(id, word, what). */
#define CTPROF_REASONS(X)                                                                  \
	X(NO_PERMISSION, "no-permission", "not allowed to read it")                        \
	X(NO_SUCH_FILE, "no-such-file", "this kernel is configured without it")            \
	X(VANISHED, "vanished", "the thread ended meanwhile")                              \
	X(MALFORMED, "malformed", "the content was not valid")                             \
	X(NOT_ASKED, "not-asked", "switched off for this capture")                         \
	X(SWITCHED_OFF, "switched-off", "this kernel supports it, but it is switched off") \
	X(NO_JEMALLOC, "no-jemalloc", "the process does not use jemalloc")                 \
	X(NO_MEMORY, "no-memory", "a kernel thread or a zombie has none")                  \
	X(OTHER, "other", "another error")
#define SNAPSHOT_REASON_(id, word, what) CTPROF_SNAPSHOT_REASON_##id,
enum ctprof_reason { CTPROF_REASONS(SNAPSHOT_REASON_) CTPROF_N_REASONS };
#undef SNAPSHOT_REASON_

/* Which way a source took. */
#define CTPROF_PATHS(X)       \
	X(NONE, "none")       \
	X(PROCFS, "procfs")   \
	X(BPF, "bpf")         \
	X(SYSCALL, "syscall") \
	X(NETLINK, "netlink") \
	X(MEMORY, "memory")
#define SNAPSHOT_PATH_(id, word) CTPROF_SNAPSHOT_PATH_##id,
enum ctprof_path { CTPROF_PATHS(SNAPSHOT_PATH_) CTPROF_N_PATHS };
#undef SNAPSHOT_PATH_

extern const char *const ctprof_reason_words[CTPROF_N_REASONS];
extern const char *const ctprof_path_words[CTPROF_N_PATHS];

/* CPU ids, ascending, each once. */
struct ctprof_cpu_list {
	uint32_t *at;
	size_t n;
};

struct ctprof_snapshot_cgroup {
	uint32_t path; /* a string */
	struct procfs_cgroup_stats stats;
};

struct ctprof_probe_summary {
	bool known;
	uint64_t tgids_walked, jemalloc_detected, probed_ok, failed;
	uint32_t dominant_failure; /* a string, "" for none */
	bool privilege_dominant;
};

struct ctprof_parse_summary {
	bool known;
	uint64_t tids_walked, read_failures, negative_dotted_values;
	uint64_t read_failures_by_source[METRIC_N_SOURCES];
	uint32_t dominant_read_failure; /* a string, "" for none */
	bool kernel_config_dominant;
};

struct ctprof_taskstats_summary {
	bool known;
	uint64_t ok, eperm, esrch, other;
};

struct ctprof_snapshot {
	uint64_t schema_version; /* 0: a file that does not say */
	uint64_t captured_at_unix_ns;
	struct procfs_reading capture_end_unix_ns;
	/* CLOCK_BOOTTIME, which nobody sets: for the time between two snapshots of one boot. */
	struct procfs_reading captured_at_boottime_ns, capture_end_boottime_ns;
	uint32_t boot_id; /* a string, "" when unknown */
	/* Inodes of the namespaces that numbers of threads and start times are of. */
	struct procfs_reading pid_namespace, time_namespace;
	struct procfs_reading user_hz, page_size;
	/* The file says for each thread what is known; else its flags and our trust decide. */
	bool has_presence;

	struct intern strings; /* names, paths, keys */
	VEC(struct ctprof_cpu_list) cpu_lists;
	struct hash_index cpu_list_index;
	VEC(struct procfs_named_readings) smaps;    /* KiB by kind; one per leader that was read */
	VEC(struct metric_thread_sample) threads;   /* by tgid, then tid */
	VEC(struct ctprof_snapshot_cgroup) cgroups; /* by path */

	/* Threads whose source was not read, by reason. */
	uint64_t reasons[METRIC_N_SOURCES][CTPROF_N_REASONS];
	enum ctprof_path paths[METRIC_N_SOURCES];
	uint64_t seen_processes;   /* listed by the capture, without our own; in no file */
	uint64_t closed_processes; /* they are there and do not show their threads */
	uint32_t cgroup_mount;	   /* a string: the state of the v2 mount, such as "found" */

	struct ctprof_probe_summary probe;
	struct ctprof_parse_summary parse;
	struct ctprof_taskstats_summary taskstats;
	struct procfs_pressure pressure;
	struct procfs_sched_ext sched_ext;
	bool has_host;
	struct host_facts host;
};

void ctprof_snapshot_init(struct ctprof_snapshot *snapshot);
void ctprof_snapshot_deinit(struct ctprof_snapshot *snapshot);
#define _cleanup_ctprof_snapshot_ _cleanup_(ctprof_snapshot_deinit)

/* Index of a list with these ids, which are copied unless such a list stands there already. */
uint32_t ctprof_snapshot_add_cpu_list(struct ctprof_snapshot *snapshot, const uint32_t *ids,
				      size_t n);
/* By path. */
void ctprof_snapshot_sort_cgroups(struct ctprof_snapshot *snapshot);

/*
 * How well a snapshot could be read, in one line each; without a newline. Nothing is appended when
 * nobody counted, and false returned.
 */

bool ctprof_summary_format_probe(const struct ctprof_snapshot *snapshot, struct strbuf *into);
bool ctprof_summary_format_parse(const struct ctprof_snapshot *snapshot, struct strbuf *into);
bool ctprof_summary_format_taskstats(const struct ctprof_snapshot *snapshot, struct strbuf *into);

#endif
