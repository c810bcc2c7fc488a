// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/file.h"

#include "files.h"

/*
 * Names and types as readers of the format before us have them: n a number, s a string, b a
 * boolean, a an array, o an object.
 */
static const char *const thread_members[] = {
	"n tid",
	"n tgid",
	"s pcomm",
	"s comm",
	"s cgroup",
	"n start_time_clock_ticks",
	"s policy",
	"n nice",
	"a cpu_affinity",
	"n processor",
	"s state",
	"b ext_enabled",
	"n run_time_ns",
	"n wait_time_ns",
	"n timeslices",
	"n voluntary_csw",
	"n nonvoluntary_csw",
	"n nr_wakeups",
	"n nr_wakeups_local",
	"n nr_wakeups_remote",
	"n nr_wakeups_sync",
	"n nr_wakeups_migrate",
	"n nr_wakeups_affine",
	"n nr_wakeups_affine_attempts",
	"n nr_migrations",
	"n nr_forced_migrations",
	"n nr_failed_migrations_affine",
	"n nr_failed_migrations_running",
	"n nr_failed_migrations_hot",
	"n wait_sum",
	"n wait_count",
	"n wait_max",
	"n voluntary_sleep_ns",
	"n sleep_max",
	"n block_sum",
	"n block_max",
	"n iowait_sum",
	"n iowait_count",
	"n exec_max",
	"n slice_max",
	"n allocated_bytes",
	"n deallocated_bytes",
	"n minflt",
	"n majflt",
	"n utime_clock_ticks",
	"n stime_clock_ticks",
	"n priority",
	"n rt_priority",
	"n core_forceidle_sum",
	"n fair_slice_ns",
	"n nr_threads",
	"o smaps_rollup_kib",
	"n rchar",
	"n wchar",
	"n syscr",
	"n syscw",
	"n read_bytes",
	"n write_bytes",
	"n cancelled_write_bytes",
	"n cpu_delay_count",
	"n cpu_delay_total_ns",
	"n cpu_delay_max_ns",
	"n cpu_delay_min_ns",
	"n blkio_delay_count",
	"n blkio_delay_total_ns",
	"n blkio_delay_max_ns",
	"n blkio_delay_min_ns",
	"n swapin_delay_count",
	"n swapin_delay_total_ns",
	"n swapin_delay_max_ns",
	"n swapin_delay_min_ns",
	"n freepages_delay_count",
	"n freepages_delay_total_ns",
	"n freepages_delay_max_ns",
	"n freepages_delay_min_ns",
	"n thrashing_delay_count",
	"n thrashing_delay_total_ns",
	"n thrashing_delay_max_ns",
	"n thrashing_delay_min_ns",
	"n compact_delay_count",
	"n compact_delay_total_ns",
	"n compact_delay_max_ns",
	"n compact_delay_min_ns",
	"n wpcopy_delay_count",
	"n wpcopy_delay_total_ns",
	"n wpcopy_delay_max_ns",
	"n wpcopy_delay_min_ns",
	"n irq_delay_count",
	"n irq_delay_total_ns",
	"n irq_delay_max_ns",
	"n irq_delay_min_ns",
	"n hiwater_rss_bytes",
	"n hiwater_vm_bytes",
	"b taskstats_measured",
	"b cpu_delay_active",
	"b delay_block_active",
	"b xacct_active",
	"b jemalloc_measured",
	/* Ours. */
	"n presence",
	"n read_at_ns",
};

static const char *const snapshot_members[] = {
	"n captured_at_unix_ns",
	"o host",
	"a threads",
	"o cgroup_stats",
	"o probe_summary",
	"o parse_summary",
	"o taskstats_summary",
	"o psi",
	"o sched_ext",
	/* Ours. */
	"n schema_version",
	"s boot_id",
	"n capture_end_unix_ns",
	"n captured_at_boottime_ns",
	"n capture_end_boottime_ns",
	"n pid_namespace",
	"n time_namespace",
	"n user_hz",
	"n page_size",
	"o presence",
};

static void assert_members(const struct json_value *object, const char *const *members, size_t n)
{
	static const char letters[] = {
		[JSON_NULL] = '0',   [JSON_BOOL] = 'b',	 [JSON_NUMBER] = 'n',
		[JSON_STRING] = 's', [JSON_ARRAY] = 'a', [JSON_OBJECT] = 'o',
	};

	assert_int_equal(json_length(object), n);
	for (size_t i = 0; i < n; i++) {
		const struct json_value *value = json_find(object, members[i] + 2);

		if (!value)
			fail_msg("no member %s", members[i] + 2);
		if (letters[json_type_of(value)] != members[i][0])
			fail_msg("%s has another type", members[i] + 2);
	}
}

static void names_and_types_are_those_of_the_format(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	_cleanup_free_ char *json = NULL;
	struct json_iter it;

	fill_snapshot(&s);
	json = snapshot_json(&s);
	assert_success(json_doc_parse(json, strlen(json), "test", &doc));
	assert_members(json_doc_root(doc), snapshot_members, ARRAY_SIZE(snapshot_members));
	it = json_iter_over(json_find(json_doc_root(doc), "threads"));
	assert_true(json_iter_next(&it));
	assert_members(it.value, thread_members, ARRAY_SIZE(thread_members));
}

static void assert_same_text(const struct ctprof_snapshot *a, uint32_t x,
			     const struct ctprof_snapshot *b, uint32_t y)
{
	assert_string_equal(intern_text(&a->strings, x), intern_text(&b->strings, y));
}

static void assert_same_rows(const struct ctprof_snapshot *a, const struct procfs_named_readings *x,
			     const struct ctprof_snapshot *b, const struct procfs_named_readings *y)
{
	assert_int_equal(x->known, y->known);
	assert_int_equal(x->rows.n, y->rows.n);
	for (size_t i = 0; i < x->rows.n; i++) {
		assert_same_text(a, x->rows.at[i].name, b, y->rows.at[i].name);
		assert_int_equal(x->rows.at[i].value, y->rows.at[i].value);
	}
}

static void assert_same_thread(const struct ctprof_snapshot *a,
			       const struct metric_thread_sample *x,
			       const struct ctprof_snapshot *b,
			       const struct metric_thread_sample *y)
{
	assert_int_equal(x->tid, y->tid);
	assert_int_equal(x->tgid, y->tgid);
	assert_same_text(a, x->pcomm, b, y->pcomm);
	assert_same_text(a, x->comm, b, y->comm);
	assert_same_text(a, x->cgroup, b, y->cgroup);
	assert_int_equal(x->sources, y->sources);
	assert_int_equal(x->taskstats_ok, y->taskstats_ok);
	assert_int_equal(x->start_ticks, y->start_ticks);
	assert_int_equal(x->read_at_ns, y->read_at_ns);
	for (int i = 0; i < METRIC_N; i++) {
		if (metric_sample_knows(x, (enum metric_id)i) !=
			    metric_sample_knows(y, (enum metric_id)i) ||
		    x->values[i] != y->values[i])
			fail_msg("%s differs", metric_rows[i].name);
	}
	assert_int_equal(x->cpu_affinity == METRIC_SAMPLE_NO_ENTRY,
			 y->cpu_affinity == METRIC_SAMPLE_NO_ENTRY);
	if (x->cpu_affinity != METRIC_SAMPLE_NO_ENTRY) {
		assert_int_equal(a->cpu_lists.at[x->cpu_affinity].n,
				 b->cpu_lists.at[y->cpu_affinity].n);
		assert_memory_equal(a->cpu_lists.at[x->cpu_affinity].at,
				    b->cpu_lists.at[y->cpu_affinity].at,
				    a->cpu_lists.at[x->cpu_affinity].n * sizeof(uint32_t));
	}
	assert_int_equal(x->smaps == METRIC_SAMPLE_NO_ENTRY, y->smaps == METRIC_SAMPLE_NO_ENTRY);
	if (x->smaps != METRIC_SAMPLE_NO_ENTRY)
		assert_same_rows(a, &a->smaps.at[x->smaps], b, &b->smaps.at[y->smaps]);
}

static void assert_same_half(const struct procfs_pressure_half *a,
			     const struct procfs_pressure_half *b)
{
	assert_int_equal(a->known, b->known);
	assert_int_equal(a->avg10, b->avg10);
	assert_int_equal(a->avg60, b->avg60);
	assert_int_equal(a->avg300, b->avg300);
	assert_int_equal(a->total_usec, b->total_usec);
}

static void assert_same_pressure(const struct procfs_pressure *a, const struct procfs_pressure *b)
{
	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES; i++) {
		assert_int_equal(a->resources[i].known, b->resources[i].known);
		assert_same_half(&a->resources[i].half[PROCFS_PRESSURE_SOME],
				 &b->resources[i].half[PROCFS_PRESSURE_SOME]);
		assert_same_half(&a->resources[i].half[PROCFS_PRESSURE_FULL],
				 &b->resources[i].half[PROCFS_PRESSURE_FULL]);
	}
}

static void assert_same_cgroup(const struct ctprof_snapshot *a,
			       const struct ctprof_snapshot_cgroup *x,
			       const struct ctprof_snapshot *b,
			       const struct ctprof_snapshot_cgroup *y)
{
	struct procfs_cgroup_stats p = x->stats, q = y->stats;

	assert_same_text(a, x->path, b, y->path);
	assert_same_text(a, (uint32_t)p.cpuset_effective.value, b,
			 (uint32_t)q.cpuset_effective.value);
	p.cpuset_effective = q.cpuset_effective;
	assert_int_equal(p.known, q.known);
#define CGROUP_VALUE(group, key, ...)                                           \
	assert_int_equal(p.group##_##key.known, q.group##_##key.known);         \
	assert_int_equal(p.group##_##key.unlimited, q.group##_##key.unlimited); \
	assert_int_equal(p.group##_##key.value, q.group##_##key.value);
#define CGROUP_TABLE(group, key, ...) assert_same_rows(a, &p.group##_##key, b, &q.group##_##key);
#include "procfs/cgroup.def"
	assert_same_pressure(&p.pressure, &q.pressure);
}

static void assert_same(const struct ctprof_snapshot *a, const struct ctprof_snapshot *b)
{
	assert_int_equal(a->schema_version, b->schema_version);
	assert_int_equal(a->captured_at_unix_ns, b->captured_at_unix_ns);
	assert_int_equal(a->capture_end_unix_ns.known, b->capture_end_unix_ns.known);
	assert_int_equal(a->capture_end_unix_ns.value, b->capture_end_unix_ns.value);
#define SAME_(member)                                               \
	do {                                                        \
		assert_int_equal(a->member.known, b->member.known); \
		assert_true(a->member.value == b->member.value);    \
	} while (0)
	SAME_(captured_at_boottime_ns);
	SAME_(capture_end_boottime_ns);
	SAME_(pid_namespace);
	SAME_(time_namespace);
#undef SAME_
	assert_same_text(a, a->boot_id, b, b->boot_id);
	assert_int_equal(a->user_hz.value, b->user_hz.value);
	assert_int_equal(a->page_size.value, b->page_size.value);
	assert_int_equal(a->has_presence, b->has_presence);
	assert_memory_equal(a->reasons, b->reasons, sizeof(a->reasons));
	assert_memory_equal(a->paths, b->paths, sizeof(a->paths));
	assert_same_text(a, a->cgroup_mount, b, b->cgroup_mount);
	assert_same_text(a, a->probe.dominant_failure, b, b->probe.dominant_failure);
	assert_int_equal(a->probe.tgids_walked, b->probe.tgids_walked);
	assert_int_equal(a->probe.jemalloc_detected, b->probe.jemalloc_detected);
	assert_int_equal(a->probe.probed_ok, b->probe.probed_ok);
	assert_int_equal(a->probe.failed, b->probe.failed);
	assert_int_equal(a->probe.privilege_dominant, b->probe.privilege_dominant);
	assert_int_equal(a->parse.tids_walked, b->parse.tids_walked);
	assert_int_equal(a->parse.read_failures, b->parse.read_failures);
	assert_int_equal(a->parse.negative_dotted_values, b->parse.negative_dotted_values);
	assert_memory_equal(a->parse.read_failures_by_source, b->parse.read_failures_by_source,
			    sizeof(a->parse.read_failures_by_source));
	assert_same_text(a, a->parse.dominant_read_failure, b, b->parse.dominant_read_failure);
	assert_int_equal(a->parse.kernel_config_dominant, b->parse.kernel_config_dominant);
	assert_int_equal(a->taskstats.known, b->taskstats.known);
	assert_int_equal(a->taskstats.ok, b->taskstats.ok);
	assert_int_equal(a->taskstats.eperm, b->taskstats.eperm);
	assert_int_equal(a->taskstats.esrch, b->taskstats.esrch);
	assert_int_equal(a->taskstats.other, b->taskstats.other);
	assert_same_pressure(&a->pressure, &b->pressure);
	assert_int_equal(a->sched_ext.known, b->sched_ext.known);
	assert_same_text(a, a->sched_ext.state, b, b->sched_ext.state);
	assert_same_text(a, a->sched_ext.ops, b, b->sched_ext.ops);
	assert_int_equal(a->sched_ext.switch_all.value, b->sched_ext.switch_all.value);
	assert_int_equal(a->sched_ext.nr_rejected.value, b->sched_ext.nr_rejected.value);
	assert_int_equal(a->sched_ext.hotplug_seq.value, b->sched_ext.hotplug_seq.value);
	assert_int_equal(a->sched_ext.enable_seq.value, b->sched_ext.enable_seq.value);
	assert_same_rows(a, &a->sched_ext.events, b, &b->sched_ext.events);
	assert_int_equal(a->has_host, b->has_host);
	if (a->has_host) {
		assert_string_equal(a->host.arch, b->host.arch);
		assert_string_equal(a->host.kernel_release, b->host.kernel_release);
		assert_null(b->host.cpu_model);
	}
	assert_int_equal(a->cgroups.n, b->cgroups.n);
	for (size_t i = 0; i < a->cgroups.n; i++)
		assert_same_cgroup(a, &a->cgroups.at[i], b, &b->cgroups.at[i]);
	assert_int_equal(a->threads.n, b->threads.n);
	for (size_t i = 0; i < a->threads.n; i++)
		assert_same_thread(a, &a->threads.at[i], b, &b->threads.at[i]);
}

static void assert_round_trip(const struct ctprof_snapshot *s)
{
	_cleanup_free_ char *json = snapshot_json(s);
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot back = { 0 };

	assert_success(load_json(json, &back));
	assert_same(s, &back);
}

static void every_member_survives_a_round_trip(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	fill_snapshot(&s);
	assert_round_trip(&s);
}

static void each_metric_may_be_unknown_by_itself(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	fill_snapshot(&s);
	for (int i = 0; i < METRIC_N; i++) {
		struct metric_thread_sample sample;

		if (metric_rows[i].source == METRIC_SOURCE_NONE)
			continue;
		sample = full_sample(&s, 100, 1000 + (uint32_t)i);
		metric_sample_forget(&sample, (enum metric_id)i);
		if (i == METRIC_CPU_AFFINITY)
			sample.cpu_affinity = METRIC_SAMPLE_NO_ENTRY;
		vec_push(&s.threads, sample);
	}
	assert_round_trip(&s);
}

/* A known 0 stays known: whoever loads it can tell it from what nobody read. */
static void zero_is_not_unknown(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct metric_thread_sample *sample;

	fill_snapshot(&s);
	sample = &s.threads.at[1];
	for (int i = 0; i < METRIC_N; i++) {
		if (i != METRIC_STATE && i != METRIC_CPU_AFFINITY &&
		    metric_rows[i].source != METRIC_SOURCE_NONE)
			metric_sample_set(sample, (enum metric_id)i, 0);
	}
	metric_sample_forget(&s.threads.at[2], METRIC_MINFLT);
	metric_sample_forget(&s.threads.at[2], METRIC_STATE);
	metric_sample_forget(&s.threads.at[2], METRIC_POLICY);
	assert_round_trip(&s);
}

static void a_value_may_be_known_though_its_source_was_not_read(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	fill_snapshot(&s);
	/* The list of allowed CPUs also stands in status. */
	s.threads.at[0].sources &= ~METRIC_SOURCE_BIT(AFFINITY);
	assert_true(metric_sample_knows(&s.threads.at[0], METRIC_CPU_AFFINITY));
	assert_round_trip(&s);
}

static void an_empty_snapshot_survives_a_round_trip(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	s.has_presence = true;
	assert_round_trip(&s);
}

static void a_failed_write_is_an_error(void **state UNUSED)
{
	_cleanup_close_ int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct error *err;

	fill_snapshot(&s);
	err = ctprof_snapshot_write_frame(&s, full, "the disk", NULL);
	assert_int_equal(error_errno(err), ENOSPC);
	assert_contains(error_message(err), "the disk");
	error_free(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_types_are_those_of_the_format),
		cmocka_unit_test(every_member_survives_a_round_trip),
		cmocka_unit_test(each_metric_may_be_unknown_by_itself),
		cmocka_unit_test(zero_is_not_unknown),
		cmocka_unit_test(a_value_may_be_known_though_its_source_was_not_read),
		cmocka_unit_test(an_empty_snapshot_survives_a_round_trip),
		cmocka_unit_test(a_failed_write_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
