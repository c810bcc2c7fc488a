// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/cgroup.h"

#include "staged_root.h"

#define ROOT_ "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
#define SYS_  "23 22 0:21 / /sys rw,nosuid shared:2 - sysfs sysfs rw\n"
#define V2_   "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define TMP_  "30 23 0:26 / /sys/fs/cgroup ro,nosuid shared:4 - tmpfs tmpfs ro,mode=755\n"
#define V1CPU_ \
	"32 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:6 - cgroup cgroup rw,cpu,cpuacct\n"
#define UNIFIED_ "31 30 0:27 / /sys/fs/cgroup/unified rw shared:5 - cgroup2 cgroup2 rw,nsdelegate\n"

static void check(const char *text, bool own_namespace, const char *word, const char *path)
{
	_cleanup_procfs_cgroup_mount_ struct procfs_cgroup_mount mount;

	procfs_cgroup_mount_parse(text, strlen(text), own_namespace, &mount);
	assert_string_equal(procfs_cgroup_mount_state_name(mount.state), word);
	if (path)
		assert_string_equal(mount.path, path);
	else
		assert_null(mount.path);
}

static void every_cgroup_mount_layout_is_recognised(void **state UNUSED)
{
	check(ROOT_ SYS_ V2_, false, "found", "/sys/fs/cgroup");
	check(ROOT_ SYS_ TMP_ V1CPU_ UNIFIED_, false, "hybrid", "/sys/fs/cgroup/unified");
	check(ROOT_ SYS_ TMP_ V1CPU_, false, "v1-only", NULL);
	check(ROOT_ SYS_, false, "none", NULL);
	check("", false, "none", NULL);
	/* A machine that never left its initramfs: the first root is mounted on itself. */
	check("2 2 0:2 / / rw - rootfs rootfs rw\n"
	      "23 2 0:21 / /sys rw,nosuid - sysfs sysfs rw\n" V2_,
	      false, "found", "/sys/fs/cgroup");
	check(ROOT_ SYS_ V2_, true, "namespace", "/sys/fs/cgroup");
	check(ROOT_ SYS_ TMP_ V1CPU_ UNIFIED_, true, "namespace", "/sys/fs/cgroup/unified");
}

static void of_several_cgroup2_mounts_the_usual_path_is_taken(void **state UNUSED)
{
	check(ROOT_ "40 22 0:26 / /mnt/cg rw - cgroup2 none rw\n" SYS_ V2_, false, "several",
	      "/sys/fs/cgroup");
	check(ROOT_ "40 22 0:26 / /mnt/b rw - cgroup2 none rw\n"
		    "41 22 0:26 / /mnt/a rw - cgroup2 none rw\n",
	      false, "several", "/mnt/b");
	/* One that shows everything is worth more than the usual place. */
	check(ROOT_ "40 22 0:26 /part /sys/fs/cgroup rw - cgroup2 none rw\n"
		    "41 22 0:26 / /mnt/all rw - cgroup2 none rw\n",
	      false, "several", "/mnt/all");
}

static void a_mount_of_a_subtree_is_recognised(void **state UNUSED)
{
	check(ROOT_ "40 22 0:26 /machine/c1 /sys/fs/cgroup rw - cgroup2 none rw\n", false,
	      "subtree", "/sys/fs/cgroup");
	check(ROOT_ "40 22 0:26 /../../system /sys/fs/cgroup rw - cgroup2 none rw\n", true,
	      "outside", NULL);
	check(ROOT_ "40 22 0:26 /.. /sys/fs/cgroup rw - cgroup2 none rw\n", false, "outside", NULL);
	check(ROOT_ "40 22 0:26 /..odd /sys/fs/cgroup rw - cgroup2 none rw\n", false, "subtree",
	      "/sys/fs/cgroup");
}

static void a_cgroup2_mount_hidden_by_another_is_ignored(void **state UNUSED)
{
	/* On the very same place. */
	check(ROOT_ SYS_ V2_ "50 30 0:40 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n", false, "none",
	      NULL);
	/* Over a directory above it. */
	check(ROOT_ SYS_ V2_ "50 23 0:40 / /sys/fs rw - tmpfs tmpfs rw\n", false, "none", NULL);
	check(ROOT_ SYS_ V2_ "50 23 0:40 / /sys rw - tmpfs tmpfs rw\n", false, "none", NULL);
	/* Neighbours and children hide nothing. */
	check(ROOT_ SYS_ V2_ "50 23 0:40 / /sys/fs/cg rw - tmpfs tmpfs rw\n"
			     "51 30 0:40 / /sys/fs/cgroup/x rw - tmpfs tmpfs rw\n"
			     "52 22 0:40 / /s rw - tmpfs tmpfs rw\n",
	      false, "found", "/sys/fs/cgroup");
	/* Mounted again on top of what hid it. */
	check(ROOT_ SYS_ V2_ "50 30 0:40 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
			     "51 50 0:26 / /sys/fs/cgroup rw - cgroup2 none rw\n",
	      false, "found", "/sys/fs/cgroup");
	/* A list that bites its tail ends. */
	check("7 8 0:26 / /a rw - cgroup2 none rw\n8 7 0:1 / /b rw - tmpfs tmpfs rw\n", false,
	      "found", "/a");
}

static void blanks_in_paths_are_escaped_by_the_kernel(void **state UNUSED)
{
	check(ROOT_ "40 22 0:26 / /mnt/c\\040g\\134\\011 rw - cgroup2 none rw\n", false, "found",
	      "/mnt/c g\\\t");
	check(ROOT_ "40 22 0:26 / /mnt/c\\04 rw - cgroup2 none rw\n", false, "found", "/mnt/c\\04");
}

static void lines_that_make_no_sense_are_passed_over(void **state UNUSED)
{
	check("x 22 0:26 / /a rw - cgroup2 none rw\n"
	      "40 y 0:26 / /a rw - cgroup2 none rw\n"
	      "40 22 0:26 / a rw - cgroup2 none rw\n"
	      "40 22 0:26 / /a rw cgroup2 none rw\n"
	      "40 22 0:26\n"
	      "\n"
	      "40 22 0:26 / /a rw shared:1 -",
	      false, "none", NULL);
	/* The type is the word behind the dash, not the name of the source. */
	check("40 22 0:26 / /a rw shared:1 - tmpfs cgroup2 rw\n", false, "none", NULL);
	check("40 22 0:26 / /a rw - cgroup2", false, "found", "/a");
}

static void a_cgroup_has_a_directory_only_inside_the_mounted_tree(void **state UNUSED)
{
	const struct procfs_cgroup_mount whole = { PROCFS_CGROUP_MOUNT_FOUND, (char *)"/r/cg",
						   (char *)"/" };
	const struct procfs_cgroup_mount part = { PROCFS_CGROUP_MOUNT_SUBTREE, (char *)"/cg",
						  (char *)"/a/b" };
	const struct procfs_cgroup_mount none = { PROCFS_CGROUP_MOUNT_NONE, NULL, NULL };
	static const struct {
		bool part;
		const char *cgroup, *dir;
	} rows[] = {
		{ false, "/", "/r/cg/" },
		{ false, "/a b/c", "/r/cg/a b/c" },
		{ false, "/../other", NULL },
		{ false, "/a/..", NULL },
		{ false, "/a/..b", "/r/cg/a/..b" },
		{ false, "", NULL },
		{ false, "a", NULL },
		{ true, "/a/b", "/cg" },
		{ true, "/a/b/c", "/cg/c" },
		{ true, "/a/bc", NULL },
		{ true, "/a", NULL },
		{ true, "/", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *dir = procfs_cgroup_mount_dir(rows[i].part ? &part : &whole,
								   rows[i].cgroup);

		if (rows[i].dir)
			assert_string_equal(dir, rows[i].dir);
		else
			assert_null(dir);
	}
	assert_null(procfs_cgroup_mount_dir(&none, "/"));
}

static void a_staged_host_is_read_below_its_root(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_free_ char *expected = xasprintf("%s/sys/fs/cgroup/unified", root);
	_cleanup_free_ char *link = xasprintf("%s/proc/self/ns/cgroup", root);
	static const char text[] = ROOT_ SYS_ TMP_ V1CPU_ UNIFIED_;
	struct procfs_cgroup_mount mount;

	procfs_cgroup_mount_find(root, &mount);
	assert_int_equal(mount.state, PROCFS_CGROUP_MOUNT_UNREADABLE);
	assert_null(mount.path);
	staged_file(root, "/proc/self/mountinfo", text, sizeof(text) - 1);
	procfs_cgroup_mount_find(root, &mount);
	assert_int_equal(mount.state, PROCFS_CGROUP_MOUNT_HYBRID);
	assert_string_equal(mount.path, expected);
	assert_string_equal(mount.root, "/");
	procfs_cgroup_mount_deinit(&mount);
	staged_link(root, "/proc/self/ns/cgroup", "cgroup:[4026531835]");
	procfs_cgroup_mount_find(root, &mount);
	assert_int_equal(mount.state, PROCFS_CGROUP_MOUNT_HYBRID);
	procfs_cgroup_mount_deinit(&mount);
	assert_int_equal(unlink(link), 0);
	staged_link(root, "/proc/self/ns/cgroup", "cgroup:[4026532201]");
	procfs_cgroup_mount_find(root, &mount);
	assert_int_equal(mount.state, PROCFS_CGROUP_MOUNT_NAMESPACE);
	procfs_cgroup_mount_deinit(&mount);
	staged_root_free(root);
}

static void on_this_machine_what_is_found_is_a_cgroup(void **state UNUSED)
{
	_cleanup_procfs_cgroup_mount_ struct procfs_cgroup_mount mount;
	_cleanup_free_ char *procs = NULL;

	procfs_cgroup_mount_find("", &mount);
	skip_unless(mount.path, "cgroup v2 is not mounted here: %s",
		    procfs_cgroup_mount_state_name(mount.state));
	procs = xasprintf("%s/cgroup.procs", mount.path);
	assert_int_equal(access(procs, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cgroup_mount_layout_is_recognised),
		cmocka_unit_test(of_several_cgroup2_mounts_the_usual_path_is_taken),
		cmocka_unit_test(a_mount_of_a_subtree_is_recognised),
		cmocka_unit_test(a_cgroup2_mount_hidden_by_another_is_ignored),
		cmocka_unit_test(blanks_in_paths_are_escaped_by_the_kernel),
		cmocka_unit_test(lines_that_make_no_sense_are_passed_over),
		cmocka_unit_test(a_cgroup_has_a_directory_only_inside_the_mounted_tree),
		cmocka_unit_test(a_staged_host_is_read_below_its_root),
		cmocka_unit_test(on_this_machine_what_is_found_is_a_cgroup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
