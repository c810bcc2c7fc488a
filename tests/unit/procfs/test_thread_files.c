// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/thread_files.h"

#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "unit.h"

/* Fields 4 to 21 count from 100, field 22 is as given. */
static void stat_line_with(struct strbuf *s, const char *name, const char *start_time)
{
	strbuf_appendf(s, "1234 (%s) S", name);
	for (int i = 4; i < 22; i++)
		strbuf_appendf(s, " %d", 96 + i);
	strbuf_appendf(s, " %s rest is ignored\n", start_time);
}

static struct error *stat_parse(const char *text, struct procfs_stat *ret)
{
	return procfs_stat_parse(text, strlen(text), ret);
}

static void name_may_hold_brackets_and_spaces(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct procfs_stat stat;

	stat_line_with(&s, "a)b (c))", "987654321");
	assert_success(stat_parse(strbuf_str(&s), &stat));
	assert_string_equal(stat.comm, "a)b (c))");
	assert_int_equal(stat.state, 'S');
	assert_true(stat.start_time_jiffies == 987654321);
}

static void name_may_hold_a_newline(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct procfs_stat stat;

	stat_line_with(&s, "two\nlines) R 1 2", "1");
	assert_success(stat_parse(strbuf_str(&s), &stat));
	assert_string_equal(stat.comm, "two\nlines) R 1 2");
	assert_int_equal(stat.state, 'S');
	assert_true(stat.start_time_jiffies == 1);
}

static void stat_fields_end_at_the_newline(void **state UNUSED)
{
	struct procfs_stat stat;

	assert_error_tag(
		stat_parse("1 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n19 20\n", &stat),
		"parse");
}

static void a_long_name_is_cut(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct procfs_stat stat;

	strbuf_append_repeated(&name, 'n', 100);
	stat_line_with(&s, strbuf_str(&name), "5");
	assert_success(stat_parse(strbuf_str(&s), &stat));
	assert_int_equal(strlen(stat.comm), PROCFS_COMM_MAX - 1);
	assert_true(stat.start_time_jiffies == 5);
}

static void broken_lines_are_refused(void **state UNUSED)
{
	static const char *const broken[] = {
		"",
		"1234 comm_without_brackets S 0 0 0 0",
		"1234 (comm",
		"1234 )comm( S",
		"1234 (comm)",
		"1234 (comm) S 1 2 3 4 5 6 7 8 9",
	};
	static const char *const no_numbers[] = { "not_a_number", "-1", "18446744073709551616" };
	struct procfs_stat stat;

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		assert_error_tag(stat_parse(broken[i], &stat), "parse");
	for (size_t i = 0; i < ARRAY_SIZE(no_numbers); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		stat_line_with(&s, "comm", no_numbers[i]);
		assert_error_tag(stat_parse(strbuf_str(&s), &stat), "parse");
	}
}

static struct error *nspid_parse(const char *text, struct procfs_nspid *ret)
{
	return procfs_nspid_parse(text, strlen(text), ret);
}

static void a_task_of_a_container_has_a_number_per_namespace(void **state UNUSED)
{
	struct procfs_nspid nspid;

	assert_success(
		nspid_parse("Name:\tx\nPid:\t4711\nNSpid:\t4711\t12\t1\nNSpgid:\t9\n", &nspid));
	assert_int_equal(nspid.n, 3);
	assert_int_equal(nspid.ids[0], 4711);
	assert_int_equal(nspid.ids[2], 1);
}

static void a_name_that_looks_like_the_line_is_not_the_line(void **state UNUSED)
{
	struct procfs_nspid nspid;

	assert_success(nspid_parse("Name:\tNSpid:\t1\nNSpidfoo:\t2\nNSpid:\t77\n", &nspid));
	assert_int_equal(nspid.n, 1);
	assert_int_equal(nspid.ids[0], 77);
}

static void no_line_is_absent(void **state UNUSED)
{
	struct procfs_nspid nspid;

	assert_error_tag(nspid_parse("", &nspid), "absent");
	assert_error_tag(nspid_parse("Name:\tx\nPid:\t4711\n", &nspid), "absent");
	assert_error_tag(nspid_parse("NSpid", &nspid), "absent");
}

static void a_broken_line_is_refused(void **state UNUSED)
{
	struct procfs_nspid nspid;
	char deep[512] = "NSpid:";

	assert_error_tag(nspid_parse("NSpid:\n", &nspid), "parse");
	assert_error_tag(nspid_parse("NSpid:\tx\n", &nspid), "parse");
	assert_error_tag(nspid_parse("NSpid:\t1\t-2\n", &nspid), "parse");
	assert_error_tag(nspid_parse("NSpid:\t99999999999\n", &nspid), "parse");
	for (int i = 0; i <= PROCFS_NSPID_MAX; i++)
		strcat(deep, "\t7");
	assert_error_tag(nspid_parse(deep, &nspid), "parse");
}

static void our_own_line_ends_with_our_pid(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct procfs_nspid nspid;

	assert_success(io_read_file("/proc/self/status", PROCFS_STATUS_MAX_BYTES, &text));
	assert_success(procfs_nspid_parse(strbuf_str(&text), text.n, &nspid));
	assert_int_equal(nspid.ids[nspid.n - 1], getpid());
}

static void a_single_pid_is_read_by_its_name(void **state UNUSED)
{
	static const char text[] = "Tgid:\t12\nTracerPid:\t0\nPPid:\tx\nNgid:\t1 2\n";
	pid_t pid = -1;

	assert_success(procfs_status_pid_parse(text, strlen(text), "Tgid", &pid));
	assert_int_equal(pid, 12);
	assert_success(procfs_status_pid_parse(text, strlen(text), "TracerPid", &pid));
	assert_int_equal(pid, 0);
	assert_error_tag(procfs_status_pid_parse(text, strlen(text), "PPid", &pid), "parse");
	assert_error_tag(procfs_status_pid_parse(text, strlen(text), "Ngid", &pid), "parse");
	assert_error_tag(procfs_status_pid_parse(text, strlen(text), "Pid", &pid), "absent");
}

static struct error *schedstat_parse(const char *text, struct procfs_schedstat *ret)
{
	return procfs_schedstat_parse(text, strlen(text), ret);
}

static void three_numbers_are_read_in_the_order_of_the_kernel(void **state UNUSED)
{
	struct procfs_schedstat stat;

	assert_success(schedstat_parse("1122334455 18446744073709551615 7\n", &stat));
	assert_true(stat.run_time_ns == 1122334455);
	assert_true(stat.run_delay_ns == UINT64_MAX);
	assert_true(stat.timeslices == 7);
	assert_success(schedstat_parse("0 0 0\n", &stat));
	assert_true(stat.run_time_ns == 0 && stat.run_delay_ns == 0 && stat.timeslices == 0);
}

static void malformed_numbers_are_refused(void **state UNUSED)
{
	static const char *const broken[] = {
		"",	     "\n",	  "1",	      "1 2\n",
		"1 2 3", /* cut */
		"1 2 3 4\n", "1 2 3\n\n", " 1 2 3\n", "1  2 3\n",
		"-1 2 3\n",  "a 2 3\n",	  "1 2 x3\n", "18446744073709551616 2 3\n",
	};
	struct procfs_schedstat stat = { .timeslices = 9 };

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		assert_error_tag(schedstat_parse(broken[i], &stat), "parse");
	assert_true(stat.timeslices == 9);
}

static void path_of(const char *text, const char *expected)
{
	struct slice path = { "untouched", 9 };
	bool found = procfs_cgroup_parse((struct slice){ text, strlen(text) }, &path);

	assert_int_equal(found, expected != NULL);
	if (!expected)
		expected = "untouched";
	assert_int_equal(path.n, strlen(expected));
	assert_memory_equal(path.at, expected, path.n);
}

static void the_line_of_v2_is_found_among_those_of_v1(void **state UNUSED)
{
	path_of("0::/a\n", "/a");
	path_of("9:name=systemd:/\n4:memory:/x\n0::/a b/c.slice\n", "/a b/c.slice");
	path_of("0::/", "/");
	path_of("0::/../outside\n", "/../outside");
	path_of("0:: \n0::/second\n", "/second");
}

static void a_cgroup_file_without_a_v2_line_has_no_path(void **state UNUSED)
{
	path_of("", NULL);
	path_of("0::", NULL);
	path_of("0::\n", NULL);
	path_of("9:name=systemd:/x\n10::/y\n", NULL);
	path_of(" 0::/x\n", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_may_hold_brackets_and_spaces),
		cmocka_unit_test(name_may_hold_a_newline),
		cmocka_unit_test(stat_fields_end_at_the_newline),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(broken_lines_are_refused),
		cmocka_unit_test(a_task_of_a_container_has_a_number_per_namespace),
		cmocka_unit_test(a_name_that_looks_like_the_line_is_not_the_line),
		cmocka_unit_test(no_line_is_absent),
		cmocka_unit_test(a_broken_line_is_refused),
		cmocka_unit_test(our_own_line_ends_with_our_pid),
		cmocka_unit_test(a_single_pid_is_read_by_its_name),
		cmocka_unit_test(three_numbers_are_read_in_the_order_of_the_kernel),
		cmocka_unit_test(malformed_numbers_are_refused),
		cmocka_unit_test(the_line_of_v2_is_found_among_those_of_v1),
		cmocka_unit_test(a_cgroup_file_without_a_v2_line_has_no_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
