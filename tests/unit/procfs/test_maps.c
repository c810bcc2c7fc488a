// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/task.h"

#include <unistd.h>

#include "unit.h"

static struct error *parse(const char *text, struct procfs_maps *ret)
{
	return procfs_maps_parse(text, strlen(text), ret);
}

static void a_file_mapping_has_all_its_fields(void **state UNUSED)
{
	_cleanup_procfs_proc_maps_ struct procfs_maps maps = { 0 };
	const struct procfs_map *map;

	assert_success(parse("5583e6f7a000-5583e6f7b000 r-xp 00002000 fe:1f 12345 "
			     "                   /usr/bin/example\n",
			     &maps));
	assert_int_equal(maps.rows.n, 1);
	map = &maps.rows.at[0];
	assert_true(map->start == 0x5583e6f7a000 && map->end == 0x5583e6f7b000);
	assert_true(map->file_offset == 0x2000);
	assert_int_equal(map->dev_major, 0xfe);
	assert_int_equal(map->dev_minor, 0x1f);
	assert_true(map->inode == 12345);
	assert_true(map->readable && !map->writable && map->executable && !map->shared);
	assert_false(map->deleted);
	assert_string_equal(map->path, "/usr/bin/example");
}

static void anonymous_and_special_areas_keep_their_names(void **state UNUSED)
{
	_cleanup_procfs_proc_maps_ struct procfs_maps maps = { 0 };

	assert_success(parse("7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
			     "7f0000001000-7f0000002000 rw-s 00000000 00:00 0\n"
			     "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0      [stack]\n",
			     &maps));
	assert_int_equal(maps.rows.n, 3);
	assert_string_equal(maps.rows.at[0].path, "");
	assert_string_equal(maps.rows.at[1].path, "");
	assert_true(maps.rows.at[1].shared);
	assert_string_equal(maps.rows.at[2].path, "[stack]");
}

static void paths_keep_spaces_and_newlines(void **state UNUSED)
{
	_cleanup_procfs_proc_maps_ struct procfs_maps maps = { 0 };

	assert_success(parse("1000-2000 r-xp 0 00:01 7 /opt/my app/two\\012lines\n", &maps));
	assert_string_equal(maps.rows.at[0].path, "/opt/my app/two\nlines");
}

static void a_removed_file_is_marked_and_its_path_is_clean(void **state UNUSED)
{
	_cleanup_procfs_proc_maps_ struct procfs_maps maps = { 0 };

	assert_success(parse("1000-2000 r-xp 0 00:01 7 /lib/x.so (deleted)\n", &maps));
	assert_true(maps.rows.at[0].deleted);
	assert_string_equal(maps.rows.at[0].path, "/lib/x.so");
}

static void broken_lines_are_refused_with_their_number(void **state UNUSED)
{
	static const char *const broken[] = {
		"\n",
		"1000 r-xp 0 00:01 7 /x\n",
		"1000-2000\n",
		"1000-2000 rxp 0 00:01 7 /x\n",
		"1000-2000 r-xq 0 00:01 7 /x\n",
		"1000-2000 r-xp 0 0001 7 /x\n",
		"1000-2000 r-xp 0 00:01 x /x\n",
		"1000-2000 r-xp 0 00:01 7/x\n",
		"2000-1000 r-xp 0 00:01 7 /x\n",
		"11112222333344445-1 r-xp 0 00:01 7 /x\n",
		"1-11112222333344445 r-xp 0 00:01 7 /x\n",
		"1000-2000 r-xp 0 00:01 99999999999999999999 /x\n",
		"1000-2000 r-xp 0 100000000:01 7 /x\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct procfs_maps maps = { 0 };

		assert_error_tag(parse(broken[i], &maps), "parse");
		assert_null(maps.text);
	}
}

static void the_error_names_the_line(void **state UNUSED)
{
	struct procfs_maps maps = { 0 };
	_cleanup_error_ struct error *err = parse("1000-2000 r-xp 0 00:01 7 /x\nbroken\n", &maps);

	assert_non_null(err);
	assert_contains(error_message(err), "line 2");
}

static void a_nul_in_a_line_is_refused(void **state UNUSED)
{
	static const char text[] = "1000-2000 r-xp 0 00:01 7 /x\0y\n";
	struct procfs_maps maps = { 0 };

	assert_error_tag(procfs_maps_parse(text, sizeof(text) - 1, &maps), "parse");
}

static void the_last_line_needs_no_newline(void **state UNUSED)
{
	_cleanup_procfs_proc_maps_ struct procfs_maps maps = { 0 };

	assert_success(parse("1000-2000 r-xp 0 00:01 7 /x", &maps));
	assert_string_equal(maps.rows.at[0].path, "/x");
}

static void an_empty_maps_file_has_no_mappings(void **state UNUSED)
{
	_cleanup_procfs_proc_maps_ struct procfs_maps maps = { 0 };

	assert_success(parse("", &maps));
	assert_int_equal(maps.rows.n, 0);
}

/* The oracle is an address we know: this function is in an executable mapping of this file. */
static void our_own_map_shows_where_we_run(void **state UNUSED)
{
	_cleanup_procfs_proc_maps_ struct procfs_maps maps = { 0 };
	uint64_t here = (uint64_t)(uintptr_t)our_own_map_shows_where_we_run;
	char exe[4096] = "";

	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_success(procfs_maps_read("/proc", getpid(), &maps));
	for (size_t i = 0; i < maps.rows.n; i++) {
		const struct procfs_map *map = &maps.rows.at[i];

		if (here < map->start || here >= map->end)
			continue;
		assert_true(map->executable);
		assert_string_equal(map->path, exe);
		return;
	}
	fail_msg("the function's address is in no mapping");
}

static void a_missing_process_is_an_io_error(void **state UNUSED)
{
	struct procfs_maps maps = { 0 };

	assert_error_tag(procfs_maps_read("/proc", INT32_MAX, &maps), "io");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_mapping_has_all_its_fields),
		cmocka_unit_test(anonymous_and_special_areas_keep_their_names),
		cmocka_unit_test(paths_keep_spaces_and_newlines),
		cmocka_unit_test(a_removed_file_is_marked_and_its_path_is_clean),
		cmocka_unit_test(broken_lines_are_refused_with_their_number),
		cmocka_unit_test(the_error_names_the_line),
		cmocka_unit_test(a_nul_in_a_line_is_refused),
		cmocka_unit_test(the_last_line_needs_no_newline),
		cmocka_unit_test(an_empty_maps_file_has_no_mappings),
		cmocka_unit_test(our_own_map_shows_where_we_run),
		cmocka_unit_test(a_missing_process_is_an_io_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
