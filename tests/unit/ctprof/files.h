/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots for tests of the file: one with every member set, and ways in and out of JSON. */
#ifndef KTSTR_TESTS_CTPROF_FILES_H
#define KTSTR_TESTS_CTPROF_FILES_H

#include "unit.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include "ctprof/file/file.h"
#include "ctprof/file/load.h"
#include "json/doc.h"

#define ENOUGH_MEMORY (UINT64_C(64) << 20)

static inline uint32_t add_string(struct ctprof_snapshot *s, const char *text)
{
	return intern_add(&s->strings, text);
}

static inline void add_row(struct ctprof_snapshot *s, struct procfs_named_readings *rows,
			   const char *name, uint64_t value)
{
	rows->known = true;
	vec_push(&rows->rows, (struct procfs_named_reading){ add_string(s, name), value });
}

/* Every number is another one, so that none can take another's place. */
static inline struct metric_thread_sample full_sample(struct ctprof_snapshot *s, uint32_t tgid,
						      uint32_t tid)
{
	uint32_t cpus[] = { 0, 1, 1 + tid };
	struct metric_thread_sample sample = {
		.tid = tid,
		.tgid = tgid,
		.pcomm = add_string(s, "p comm)"),
		.comm = add_string(s, "worker \"1\""),
		.cgroup = add_string(s, "/a.slice/b"),
		.cpu_affinity = ctprof_snapshot_add_cpu_list(s, cpus, 3),
		.smaps = METRIC_SAMPLE_NO_ENTRY,
		.sources = METRIC_ALL_SOURCES,
		.taskstats_ok = tid == tgid,
		.start_ticks = 1000 + tid,
		.read_at_ns = 7000 + tgid,
	};

	for (int i = 0; i < METRIC_N; i++) {
		if (metric_rows[i].source != METRIC_SOURCE_NONE)
			metric_sample_set(&sample, (enum metric_id)i, 100000 * tid + (uint64_t)i);
	}
	metric_sample_set(&sample, METRIC_POLICY, 3);
	metric_sample_set(&sample, METRIC_STATE, 'S');
	metric_sample_set(&sample, METRIC_EXT_ENABLED, 1);
	metric_sample_set(&sample, METRIC_CPU_AFFINITY, 3);
	metric_sample_set(&sample, METRIC_NICE, (uint64_t)-5);
	metric_sample_set(&sample, METRIC_PRIORITY, (uint64_t)-101);
	metric_sample_set(&sample, METRIC_RUN_TIME_NS, UINT64_MAX);
	if (tid == tgid) {
		struct procfs_named_readings smaps = { 0 };

		add_row(s, &smaps, "Rss", 12 + tid);
		add_row(s, &smaps, "Pss", 6 + tid);
		sample.smaps = (uint32_t)s->smaps.n;
		vec_push(&s->smaps, smaps);
	}
	return sample;
}

static inline void fill_pressure(struct procfs_pressure *pressure, uint16_t start)
{
	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES; i++, start = (uint16_t)(start + 8)) {
		const struct procfs_pressure_half some = { true, start, (uint16_t)(start + 1),
							   (uint16_t)(start + 2),
							   start + UINT64_C(3) };
		const struct procfs_pressure_half full = { true, (uint16_t)(start + 4),
							   (uint16_t)(start + 5),
							   (uint16_t)(start + 6),
							   start + UINT64_C(7) };

		pressure->resources[i] = (struct procfs_pressure_file){ true, { some, full } };
	}
}

static inline struct procfs_cgroup_stats full_cgroup(struct ctprof_snapshot *s, uint64_t n)
{
	struct procfs_cgroup_stats stats = { .known = true };

#define READING_(member)                       \
	stats.member = (struct procfs_reading) \
	{                                      \
		true, false, n++               \
	}
	READING_(cpu_usage_usec);
	READING_(cpu_user_usec);
	READING_(cpu_system_usec);
	READING_(cpu_nr_periods);
	READING_(cpu_nr_throttled);
	READING_(cpu_throttled_usec);
	READING_(cpu_nr_bursts);
	READING_(cpu_burst_usec);
	READING_(cpu_max_period_us);
	READING_(cpu_weight);
	READING_(memory_current);
	READING_(memory_peak);
	READING_(memory_swap_current);
	READING_(pids_current);
	READING_(pids_peak);
	READING_(cpu_max_quota_us);
	READING_(memory_max);
	READING_(memory_high);
	READING_(memory_low);
	READING_(memory_min);
	READING_(pids_max);
#undef READING_
	stats.cpu_weight_nice = (struct procfs_reading){ true, false, (uint64_t)-7 };
	add_row(s, &stats.memory_stat, "anon", n++);
	add_row(s, &stats.memory_stat, "file", n++);
	add_row(s, &stats.memory_events, "oom_kill", n++);
	add_row(s, &stats.io_stat, "rbytes", n++);
	stats.cpuset_effective = (struct procfs_reading){ true, false, add_string(s, "0-3,8") };
	fill_pressure(&stats.pressure, (uint16_t)(n + 100));
	return stats;
}

static inline void fill_snapshot(struct ctprof_snapshot *s)
{
	ctprof_snapshot_init(s);
	s->captured_at_unix_ns = 1700000000123456789;
	s->capture_end_unix_ns = (struct procfs_reading){ true, false, 1700000000987654321 };
	s->boot_id = add_string(s, "3f0c-boot");
	s->captured_at_boottime_ns = (struct procfs_reading){ true, false, 5000000001 };
	s->capture_end_boottime_ns = (struct procfs_reading){ true, false, 5000000002 };
	s->pid_namespace = (struct procfs_reading){ true, false, 4026531836 };
	s->time_namespace = (struct procfs_reading){ true, false, 4026531834 };
	s->user_hz = (struct procfs_reading){ true, false, 250 };
	s->page_size = (struct procfs_reading){ true, false, 16384 };
	s->has_presence = true;
	s->cgroup_mount = add_string(s, "found");
	for (int i = 0; i < METRIC_N_SOURCES; i++) {
		s->paths[i] = (enum ctprof_path)(i % CTPROF_N_PATHS);
		s->reasons[i][i % CTPROF_N_REASONS] = (uint64_t)i;
		s->parse.read_failures_by_source[i] = (uint64_t)(3 * i);
	}
	s->probe = (struct ctprof_probe_summary){ true, 11, 12,
						  13,	14, add_string(s, "ptrace-seize"),
						  true };
	s->parse.known = true;
	s->parse.tids_walked = 21;
	s->parse.read_failures = 22;
	s->parse.negative_dotted_values = 23;
	s->parse.dominant_read_failure = add_string(s, "io");
	s->parse.kernel_config_dominant = true;
	s->taskstats = (struct ctprof_taskstats_summary){ true, 31, 32, 33, 34 };
	fill_pressure(&s->pressure, 1);
	s->sched_ext.known = true;
	s->sched_ext.state = add_string(s, "enabled");
	s->sched_ext.ops = add_string(s, "simple");
	s->sched_ext.switch_all = (struct procfs_reading){ true, false, 41 };
	s->sched_ext.nr_rejected = (struct procfs_reading){ true, false, 42 };
	s->sched_ext.hotplug_seq = (struct procfs_reading){ true, false, 43 };
	s->sched_ext.enable_seq = (struct procfs_reading){ true, false, 44 };
	add_row(s, &s->sched_ext.events, "SCX_EV_DISPATCH_KEEP_LAST", 45);
	vec_push(&s->cgroups, (struct ctprof_snapshot_cgroup){ add_string(s, "/a.slice/b"),
							       full_cgroup(s, 5000) });
	vec_push(&s->cgroups, (struct ctprof_snapshot_cgroup){ add_string(s, "/system.slice"),
							       full_cgroup(s, 6000) });
	vec_push(&s->threads, full_sample(s, 7, 7));
	vec_push(&s->threads, full_sample(s, 7, 9));
	vec_push(&s->threads, full_sample(s, 12, 12));
	s->has_host = true;
	s->host.arch = xstrdup("x86_64");
	s->host.kernel_release = xstrdup("6.18");
}

/* The JSON of a snapshot, through the compressor and libzstd's own way back. */
static inline char *snapshot_json(const struct ctprof_snapshot *s)
{
	FILE *file = tmpfile();
	struct ctprof_snapshot_frame_size size;
	char *packed, *json;

	assert_non_null(file);
	assert_success(ctprof_snapshot_write_frame(s, fileno(file), "test", &size));
	packed = xcalloc(1, size.file_bytes);
	json = xcalloc(1, size.json_bytes + 1);
	assert_int_equal(pread(fileno(file), packed, size.file_bytes, 0), size.file_bytes);
	assert_int_equal(ZSTD_decompress(json, size.json_bytes, packed, size.file_bytes),
			 size.json_bytes);
	free(packed);
	fclose(file);
	return json;
}

static inline struct error *load_json_with(const char *json, uint64_t memory,
					   struct ctprof_snapshot *ret)
{
	_cleanup_ctprof_loader_ struct ctprof_loader loader;
	struct error *err;

	ctprof_loader_init(&loader, memory);
	err = ctprof_loader_feed(&loader, json, strlen(json));
	return err ? err : ctprof_loader_finish(&loader, ret);
}

static inline struct error *load_json(const char *json, struct ctprof_snapshot *ret)
{
	return load_json_with(json, ENOUGH_MEMORY, ret);
}

/* Refused, and the message has this in it. */
static inline void assert_refused(const char *json, const char *message)
{
	struct ctprof_snapshot s;
	struct error *err = load_json(json, &s);

	if (!err)
		fail_msg("loaded: %s", json);
	assert_string_equal(error_tag(err), "parse");
	assert_contains(error_message(err), message);
	error_free(err);
}

#endif
