// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/stages.h"

#include "staged_root.h"

static const char mountinfo[] = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
				"23 22 0:21 / /sys rw - sysfs sysfs rw\n"
				"30 23 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro\n"
				"31 30 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
				"32 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";

static void put(const char *root, const char *path, const char *text)
{
	staged_file(root, path, text, strlen(text));
}

static void add_thread(struct ctprof_snapshot *s, uint32_t tid, const char *cgroup)
{
	vec_push(&s->threads, (struct metric_thread_sample){
				      .tid = tid,
				      .tgid = tid,
				      .cgroup = intern_add(&s->strings, cgroup),
			      });
}

static void count_progress(const struct ctprof_progress *progress, void *arg)
{
	assert_string_equal(progress->stage, "cgroups");
	++*(int *)arg;
}

static void each_cgroup_of_a_thread_is_read_once_and_in_order(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	int told = 0;
	struct ctprof_options options = { .root = root, .progress = count_progress, .arg = &told };

	put(root, "/proc/self/mountinfo", mountinfo);
	put(root, "/sys/fs/cgroup/unified/b/cpu.stat", "usage_usec 7\n");
	put(root, "/sys/fs/cgroup/unified/a/x/memory.current", "9\n");
	put(root, "/sys/fs/cgroup/unified/nobody/memory.current", "9\n");
	ctprof_snapshot_init(&s);
	add_thread(&s, 1, "/b");
	add_thread(&s, 2, "");
	add_thread(&s, 3, "/a/x");
	add_thread(&s, 4, "/b");
	add_thread(&s, 5, "/gone (deleted)");
	add_thread(&s, 6, "/../outside");
	ctprof_read_cgroups(&options, &s);
	assert_string_equal(intern_text(&s.strings, s.cgroup_mount), "hybrid");
	assert_int_equal(s.cgroups.n, 4);
	assert_string_equal(intern_text(&s.strings, s.cgroups.at[0].path), "/../outside");
	assert_false(s.cgroups.at[0].stats.known);
	assert_string_equal(intern_text(&s.strings, s.cgroups.at[1].path), "/a/x");
	assert_true(s.cgroups.at[1].stats.memory_current.value == 9);
	assert_false(s.cgroups.at[1].stats.cpu_usage_usec.known);
	assert_string_equal(intern_text(&s.strings, s.cgroups.at[2].path), "/b");
	assert_true(s.cgroups.at[2].stats.cpu_usage_usec.value == 7);
	assert_string_equal(intern_text(&s.strings, s.cgroups.at[3].path), "/gone (deleted)");
	assert_false(s.cgroups.at[3].stats.known);
	assert_int_equal(told, 4);
	staged_root_free(root);
}

static void a_host_without_cgroup2_is_recorded_as_none(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct ctprof_options options = { .root = root };

	put(root, "/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	ctprof_snapshot_init(&s);
	ctprof_read_cgroups(&options, &s);
	assert_string_equal(intern_text(&s.strings, s.cgroup_mount), "none");
	assert_int_equal(s.cgroups.n, 0);
	add_thread(&s, 1, "/a");
	ctprof_read_cgroups(&options, &s);
	assert_int_equal(s.cgroups.n, 1);
	assert_false(s.cgroups.at[0].stats.known);
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cgroup_of_a_thread_is_read_once_and_in_order),
		cmocka_unit_test(a_host_without_cgroup2_is_recorded_as_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
