// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/reading.h"

#include <fcntl.h>

#include "staged_root.h"

static struct procfs_reading reading(const char *text)
{
	return procfs_reading_parse(text, strlen(text));
}

static struct procfs_reading limit(const char *text)
{
	return procfs_limit_parse(text, strlen(text));
}

static void a_number_may_have_blanks_around_it_and_nothing_else(void **state UNUSED)
{
	static const char *const bad[] = { "",	   " ",
					   "\n",   "-1",
					   "+1",   "1 2",
					   "0x1",  "1.0",
					   "max",  "18446744073709551616",
					   "1\n2", "99999999999999999999" };

	assert_true(reading("7\n").known && reading(" 7\t\n").value == 7);
	assert_true(reading("0").known && reading("0").value == 0);
	assert_true(reading("18446744073709551615").value == UINT64_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_false(reading(bad[i]).known);
		assert_true(reading(bad[i]).value == 0);
	}
}

static void no_limit_is_neither_a_number_nor_unknown(void **state UNUSED)
{
	assert_true(limit("max\n").unlimited);
	assert_true(limit("4096\n").known && !limit("4096\n").unlimited);
	assert_true(limit("4096\n").value == 4096);
	assert_true(limit("0\n").known && !limit("0\n").unlimited);
	assert_false(limit("").known);
	assert_false(limit("maxi").known);
	assert_false(limit("-1").known);
}

static void only_lines_of_a_key_and_a_number_count(void **state UNUSED)
{
	static const char text[] = "anon 12\n"
				   "file 0\n"
				   "bad -1\n"
				   "worse 1 2\n"
				   "nothing\n"
				   " 5\n"
				   "tab\t7\n"
				   "\n"
				   "big 18446744073709551615\n"
				   "anon 13\n"
				   "last 4";
	_cleanup_intern_ struct intern names;
	struct procfs_named_readings got;
	uint32_t id;

	intern_init(&names);
	procfs_named_readings_parse(text, sizeof(text) - 1, &names, &got);
	assert_true(got.known);
	assert_int_equal(got.rows.n, 4);
	assert_string_equal(intern_text(&names, got.rows.at[0].name), "anon");
	/* The later line of a key wins, in the earlier one's place. */
	assert_true(got.rows.at[0].value == 13);
	assert_string_equal(intern_text(&names, got.rows.at[1].name), "file");
	assert_true(got.rows.at[1].value == 0);
	assert_true(got.rows.at[2].value == UINT64_MAX);
	assert_true(intern_find(&names, "last", &id));
	assert_true(procfs_named_readings_find(&got, id)->value == 4);
	assert_false(intern_find(&names, "worse", &id));
	assert_null(procfs_named_readings_find(&got, 0));
	procfs_named_readings_deinit(&got);
	procfs_named_readings_parse(text, 0, &names, &got);
	assert_true(got.known);
	assert_int_equal(got.rows.n, 0);
}

static void lines_past_the_limit_are_dropped(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_intern_ struct intern names;
	struct procfs_named_readings got;

	intern_init(&names);
	for (int i = 0; i < PROCFS_NAMED_READINGS + 3; i++)
		strbuf_appendf(&text, "k%d %d\n", i, i);
	procfs_named_readings_parse(text.at, text.n, &names, &got);
	assert_int_equal(got.rows.n, PROCFS_NAMED_READINGS);
	procfs_named_readings_deinit(&got);
}

static void files_that_are_not_there_are_unknown(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_close_ int dir = open(root, O_RDONLY | O_DIRECTORY);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *large = xcalloc(1, PROCFS_SMALL_FILE_BYTES + 1);
	_cleanup_intern_ struct intern names;
	struct procfs_named_readings got;

	intern_init(&names);
	staged_file(root, "/number", "42\n", 3);
	staged_file(root, "/limit", "max\n", 4);
	staged_file(root, "/text", "  0-3 \n", 7);
	staged_file(root, "/rows", "a 1\n", 4);
	staged_file(root, "/large", large, PROCFS_SMALL_FILE_BYTES + 1);
	assert_true(procfs_reading_read(dir, "number").value == 42);
	assert_string_equal(intern_text(&names, procfs_text_read(dir, "text", &names)), "0-3");
	procfs_named_readings_read(dir, "rows", &names, &got);
	assert_true(got.known && got.rows.n == 1);
	procfs_named_readings_deinit(&got);
	assert_false(procfs_reading_read(dir, "absent").known);
	assert_int_equal(procfs_text_read(dir, "absent", &names), 0);
	procfs_named_readings_read(dir, "absent", &names, &got);
	assert_false(got.known);
	assert_true(procfs_small_file_read(dir, "number", &text));
	assert_string_equal(strbuf_str(&text), "42\n");
	/* A second read does not add to the first. */
	assert_true(procfs_small_file_read(dir, "limit", &text));
	assert_string_equal(strbuf_str(&text), "max\n");
	assert_true(procfs_limit_parse(text.at, text.n).unlimited);
	assert_false(procfs_small_file_read(dir, "large", &text));
	staged_root_free(root);
}

static bool smaps_parse(const char *text, struct intern *names, struct procfs_named_readings *ret)
{
	return procfs_smaps_rollup_parse(text, strlen(text), names, ret);
}

static void smaps_rollup_keeps_kinds_without_addresses(void **state UNUSED)
{
	_cleanup_intern_ struct intern names;
	struct procfs_named_readings smaps = { 0 };

	intern_init(&names);
	assert_true(smaps_parse("55d0-7fff ---p 00000000 00:00 0    [rollup]\nRss:      12 kB\n"
				"Foo: bar\nPss_Dirty:  7 kB\nLocked: -1 kB\n",
				&names, &smaps));
	assert_true(smaps.known);
	assert_int_equal(smaps.rows.n, 2);
	assert_string_equal(intern_text(&names, smaps.rows.at[0].name), "Rss");
	assert_int_equal(smaps.rows.at[0].value, 12);
	assert_string_equal(intern_text(&names, smaps.rows.at[1].name), "Pss_Dirty");
	assert_int_equal(smaps.rows.at[1].value, 7);
	vec_deinit(&smaps.rows);
}

static void a_second_text_replaces_the_first(void **state UNUSED)
{
	_cleanup_intern_ struct intern names;
	struct procfs_named_readings smaps = { 0 };

	intern_init(&names);
	assert_true(smaps_parse("Rss: 1 kB\nPss: 2 kB\n", &names, &smaps));
	assert_true(smaps_parse("Rss: 3 kB\nRss: 4 kB\n", &names, &smaps));
	assert_int_equal(smaps.rows.n, 1);
	assert_int_equal(smaps.rows.at[0].value, 4);
	assert_false(smaps_parse("", &names, &smaps));
	assert_false(smaps.known);
	assert_int_equal(smaps.rows.n, 0);
	vec_deinit(&smaps.rows);
}

static void smaps_rollup_kinds_are_limited(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_intern_ struct intern names;
	struct procfs_named_readings smaps = { 0 };

	intern_init(&names);
	for (int i = 0; i < 2 * PROCFS_SMAPS_ROLLUP_ROWS; i++)
		strbuf_appendf(&s, "K%d: 1 kB\n", i);
	assert_true(smaps_parse(strbuf_str(&s), &names, &smaps));
	assert_int_equal(smaps.rows.n, PROCFS_SMAPS_ROLLUP_ROWS);
	vec_deinit(&smaps.rows);
}

static void readings_are_merged_by_name_at_any_index(void **state UNUSED)
{
	struct procfs_named_readings table = { 0 };

	procfs_named_readings_merge(&table, 7, 1, 0, add_saturating_u64);
	procfs_named_readings_merge(&table, 8, 2, 1, add_saturating_u64);
	procfs_named_readings_merge(&table, 9, 4, 2, add_saturating_u64);
	procfs_named_readings_merge(&table, 9, 10, 0, add_saturating_u64);
	procfs_named_readings_merge(&table, 7, 10, 2, procfs_larger_u64);
	procfs_named_readings_merge(&table, 8, 1, 99, procfs_larger_u64);
	assert_int_equal(table.rows.n, 3);
	assert_int_equal(procfs_named_readings_value(&table, 7), 10);
	assert_int_equal(procfs_named_readings_value(&table, 8), 2);
	assert_int_equal(procfs_named_readings_value(&table, 9), 14);
	assert_int_equal(procfs_named_readings_value(&table, 10), 0);
	vec_deinit(&table.rows);
}

static void sums_saturate(void **state UNUSED)
{
	struct procfs_named_readings table = { 0 };

	procfs_named_readings_merge(&table, 7, UINT64_MAX, 0, add_saturating_u64);
	procfs_named_readings_merge(&table, 7, 5, 0, add_saturating_u64);
	assert_true(procfs_named_readings_value(&table, 7) == UINT64_MAX);
	vec_deinit(&table.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_may_have_blanks_around_it_and_nothing_else),
		cmocka_unit_test(no_limit_is_neither_a_number_nor_unknown),
		cmocka_unit_test(only_lines_of_a_key_and_a_number_count),
		cmocka_unit_test(lines_past_the_limit_are_dropped),
		cmocka_unit_test(files_that_are_not_there_are_unknown),
		cmocka_unit_test(smaps_rollup_keeps_kinds_without_addresses),
		cmocka_unit_test(a_second_text_replaces_the_first),
		cmocka_unit_test(smaps_rollup_kinds_are_limited),
		cmocka_unit_test(readings_are_merged_by_name_at_any_index),
		cmocka_unit_test(sums_saturate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
