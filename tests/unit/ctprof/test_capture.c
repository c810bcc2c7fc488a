// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/capture.h"

#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake_proc.h"
#include "procfs/task.h"

static struct ctprof_options staged(const char *root)
{
	return (struct ctprof_options){
		.root = root,
		.sources = METRIC_ALL_SOURCES,
		.jobs = 1,
	};
}

static const char *text_of(const struct ctprof_snapshot *snapshot, uint32_t id)
{
	return intern_text(&snapshot->strings, id);
}

static void a_staged_thread_has_its_values(void **state UNUSED)
{
	char *root = staged_root_new();
	const struct ctprof_options options = staged(root);
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	const struct metric_thread_sample *thread;

	fake_thread(root, 10, 10, "leader", 1000);
	fake_thread(root, 10, 11, "worker", 1001);
	fake_text(root, "/proc/sys/kernel/random/boot_id", "0f-1\n");
	fake_text(root, "/proc/12/comm", "gone\n"); /* ends before its threads are listed */
	assert_success(ctprof_capture_take(&options, &snapshot));
	assert_int_equal(snapshot.threads.n, 2);
	assert_int_equal(snapshot.seen_processes, 2);
	assert_string_equal(text_of(&snapshot, snapshot.boot_id), "0f-1");
	thread = &snapshot.threads.at[1];
	assert_int_equal(thread->tid, 11);
	assert_int_equal(thread->tgid, 10);
	assert_string_equal(text_of(&snapshot, thread->pcomm), "leader");
	assert_string_equal(text_of(&snapshot, thread->comm), "worker");
	assert_int_equal(thread->start_ticks, 1001);
	assert_metric(thread, MINFLT, 110);
	assert_metric(thread, STATE, 'S');
	assert_metric(thread, VOLUNTARY_CSW, 7);
	assert_unknown(thread, RCHAR);
	staged_root_free(root);
}

static void a_staged_root_has_no_tick_rate_and_page_size(void **state UNUSED)
{
	char *root = staged_root_new();
	const struct ctprof_options options = staged(root);
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	fake_thread(root, 10, 10, "leader", 1000);
	assert_success(ctprof_capture_take(&options, &snapshot));
	assert_false(snapshot.user_hz.known);
	assert_false(snapshot.page_size.known);
	assert_false(snapshot.captured_at_boottime_ns.known);
	assert_false(snapshot.capture_end_boottime_ns.known);
	assert_false(snapshot.pid_namespace.known || snapshot.time_namespace.known);
	assert_string_equal(text_of(&snapshot, snapshot.boot_id), "");
	staged_root_free(root);
}

static uint64_t boottime_ns(void)
{
	struct timespec t;

	assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &t), 0);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The link says "pid:[4026531836]". */
static uint64_t namespace_by_its_link(const char *name)
{
	_cleanup_free_ char *path = xasprintf("/proc/self/ns/%s", name);
	char text[64] = "";
	ssize_t n = readlink(path, text, sizeof(text) - 1);

	return n > 0 ? strtoull(strchr(text, '[') + 1, NULL, 10) : 0;
}

static void capture_of_this_machine_contains_this_thread(void **state UNUSED)
{
	const pid_t self = getpid();
	const struct ctprof_options options = {
		.root = "",
		.live = true,
		.sources = METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(STAT) |
			   METRIC_SOURCE_BIT(STATUS) | METRIC_SOURCE_BIT(AFFINITY),
		.pids = &self,
		.n_pids = 1,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	const struct metric_thread_sample *thread;
	uint64_t before_ns = boottime_ns();

	assert_success(ctprof_capture_take(&options, &snapshot));
	assert_int_equal(snapshot.threads.n, 1);
	thread = &snapshot.threads.at[0];
	assert_int_equal(thread->tid, self);
	assert_true(thread->start_ticks > 0);
	assert_int_equal(thread->sources, options.sources);
	assert_metric(thread, STATE, 'R');
	assert_true(snapshot.user_hz.known && snapshot.page_size.known);
	assert_true(snapshot.capture_end_unix_ns.value >= snapshot.captured_at_unix_ns);
	assert_true(snapshot.captured_at_boottime_ns.value >= before_ns);
	assert_true(snapshot.capture_end_boottime_ns.value >=
		    snapshot.captured_at_boottime_ns.value);
	assert_true(snapshot.capture_end_boottime_ns.value <= boottime_ns());
	assert_true(snapshot.pid_namespace.value == namespace_by_its_link("pid"));
	assert_true(snapshot.time_namespace.value == namespace_by_its_link("time"));
	assert_int_equal(snapshot.cpu_lists.at[thread->cpu_affinity].n,
			 thread->values[METRIC_CPU_AFFINITY]);
}

struct told {
	unsigned int n;
};

static void count_note(const char *line, void *arg)
{
	struct told *told = arg;

	told->n += strstr(line, "another pid namespace") != NULL;
}

/* In a pid namespace that /proc is not of: who is 1 to us is somebody else there. */
static bool files_alone_are_asked(uint64_t start_of_1)
{
	struct told told = { 0 };
	const struct ctprof_options options = {
		.root = "",
		.live = true,
		.bpf = true,
		.sources = METRIC_ALL_SOURCES,
		.note = count_note,
		.arg = &told,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	bool is_init = false;

	if (ctprof_capture_take(&options, &snapshot))
		return false;
	for (size_t i = 0; i < snapshot.threads.n; i++) {
		const struct metric_thread_sample *thread = &snapshot.threads.at[i];

		if (metric_sample_knows(thread, METRIC_ALLOCATED_BYTES) ||
		    metric_sample_knows(thread, METRIC_CPU_DELAY_COUNT))
			return false;
		is_init |= thread->tid == 1 && thread->start_ticks == start_of_1;
	}
	return is_init && told.n == 1 && !snapshot.pid_namespace.known && snapshot.user_hz.known &&
	       !snapshot.probe.known && !snapshot.taskstats.known &&
	       snapshot.paths[METRIC_SOURCE_STAT] == CTPROF_SNAPSHOT_PATH_PROCFS &&
	       snapshot.paths[METRIC_SOURCE_AFFINITY] == CTPROF_SNAPSHOT_PATH_PROCFS;
}

static void live_sources_are_off_when_proc_is_of_another_pid_namespace(void **state UNUSED)
{
	struct procfs_stat first;
	pid_t outer;
	int status;

	assert_success(procfs_stat_read("/proc", 1, &first));
	outer = fork();
	if (outer == 0) {
		pid_t inner;

		if (unshare(CLONE_NEWPID) < 0)
			_exit(77);
		inner = fork();
		if (inner == 0)
			_exit(files_alone_are_asked(first.start_time_jiffies) ? 0 : 1);
		_exit(inner > 0 && waitpid(inner, &status, 0) == inner && WIFEXITED(status)
			      ? WEXITSTATUS(status)
			      : 2);
	}
	assert_int_equal(waitpid(outer, &status, 0), outer);
	assert_true(WIFEXITED(status));
	skip_unless(WEXITSTATUS(status) != 77, "no pid namespaces here");
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void our_own_process_is_listed_and_not_probed(void **state UNUSED)
{
	const pid_t self = getpid();
	const struct ctprof_options options = {
		.root = "",
		.live = true,
		.sources = METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(HEAP),
		.pids = &self,
		.n_pids = 1,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	assert_success(ctprof_capture_take(&options, &snapshot));
	assert_int_equal(snapshot.threads.n, 1);
	assert_true(snapshot.probe.known);
	assert_int_equal(snapshot.probe.probed_ok, 0);
	assert_int_equal(snapshot.probe.failed, 0);
	assert_unknown(&snapshot.threads.at[0], ALLOCATED_BYTES);
}

static void all_sources_of_a_staged_host_are_captured(void **state UNUSED)
{
	char *root = staged_root_new();
	const struct ctprof_options options = staged(root);
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	fake_thread(root, 10, 10, "leader", 1000);
	fake_file(root, 10, 10, "cgroup", "0::/a.slice\n");
	fake_text(root, "/proc/self/mountinfo",
		  "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fake_text(root, "/sys/fs/cgroup/a.slice/memory.current", "4096\n");
	fake_text(root, "/proc/pressure/cpu", "some avg10=1.50 avg60=0.00 avg300=0.00 total=7\n");
	fake_text(root, "/sys/kernel/sched_ext/state", "enabled\n");
	assert_success(ctprof_capture_take(&options, &snapshot));
	assert_int_equal(snapshot.cgroups.n, 1);
	assert_string_equal(text_of(&snapshot, snapshot.cgroups.at[0].path), "/a.slice");
	assert_true(snapshot.cgroups.at[0].stats.memory_current.known);
	assert_true(snapshot.has_host);
	assert_true(snapshot.sched_ext.known);
	assert_string_equal(text_of(&snapshot, snapshot.sched_ext.state), "enabled");
	assert_true(snapshot.pressure.resources[PROCFS_PRESSURE_CPU].known);
	staged_root_free(root);
}

static void capture_without_any_process_is_an_error(void **state UNUSED)
{
	char *root = staged_root_new();
	const struct ctprof_options options = staged(root);
	struct ctprof_snapshot snapshot;

	assert_error_tag(ctprof_capture_take(&options, &snapshot), "io");
	fake_text(root, "/proc/loadavg", "0.00 0.00 0.00 1/1 1\n");
	assert_error_tag(ctprof_capture_take(&options, &snapshot), "absent");
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_staged_thread_has_its_values),
		cmocka_unit_test(a_staged_root_has_no_tick_rate_and_page_size),
		cmocka_unit_test(capture_of_this_machine_contains_this_thread),
		cmocka_unit_test(live_sources_are_off_when_proc_is_of_another_pid_namespace),
		cmocka_unit_test(our_own_process_is_listed_and_not_probed),
		cmocka_unit_test(all_sources_of_a_staged_host_are_captured),
		cmocka_unit_test(capture_without_any_process_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
