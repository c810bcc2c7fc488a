// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/status.h"

#include <unistd.h>

#include "base/io.h"
#include "unit.h"

static struct error *parse(const char *text, struct proc_nspid *ret)
{
	return proc_nspid_parse(text, strlen(text), ret);
}

static void a_task_of_a_container_has_a_number_per_namespace(void **state UNUSED)
{
	struct proc_nspid nspid;

	assert_success(parse("Name:\tx\nPid:\t4711\nNSpid:\t4711\t12\t1\nNSpgid:\t9\n", &nspid));
	assert_int_equal(nspid.n, 3);
	assert_int_equal(nspid.ids[0], 4711);
	assert_int_equal(nspid.ids[2], 1);
}

static void a_name_that_looks_like_the_line_is_not_the_line(void **state UNUSED)
{
	struct proc_nspid nspid;

	assert_success(parse("Name:\tNSpid:\t1\nNSpidfoo:\t2\nNSpid:\t77\n", &nspid));
	assert_int_equal(nspid.n, 1);
	assert_int_equal(nspid.ids[0], 77);
}

static void no_line_is_absent(void **state UNUSED)
{
	struct proc_nspid nspid;

	assert_error_tag(parse("", &nspid), "absent");
	assert_error_tag(parse("Name:\tx\nPid:\t4711\n", &nspid), "absent");
	assert_error_tag(parse("NSpid", &nspid), "absent");
}

static void a_broken_line_is_refused(void **state UNUSED)
{
	struct proc_nspid nspid;
	char deep[512] = "NSpid:";

	assert_error_tag(parse("NSpid:\n", &nspid), "parse");
	assert_error_tag(parse("NSpid:\tx\n", &nspid), "parse");
	assert_error_tag(parse("NSpid:\t1\t-2\n", &nspid), "parse");
	assert_error_tag(parse("NSpid:\t99999999999\n", &nspid), "parse");
	for (int i = 0; i <= PROC_NSPID_MAX; i++)
		strcat(deep, "\t7");
	assert_error_tag(parse(deep, &nspid), "parse");
}

static void our_own_line_ends_with_our_pid(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct proc_nspid nspid;

	assert_success(io_read_file("/proc/self/status", PROC_STATUS_MAX_BYTES, &text));
	assert_success(proc_nspid_parse(strbuf_str(&text), text.n, &nspid));
	assert_int_equal(nspid.ids[nspid.n - 1], getpid());
}

static void a_single_pid_is_read_by_its_name(void **state UNUSED)
{
	static const char text[] = "Tgid:\t12\nTracerPid:\t0\nPPid:\tx\nNgid:\t1 2\n";
	pid_t pid = -1;

	assert_success(proc_status_pid_parse(text, strlen(text), "Tgid", &pid));
	assert_int_equal(pid, 12);
	assert_success(proc_status_pid_parse(text, strlen(text), "TracerPid", &pid));
	assert_int_equal(pid, 0);
	assert_error_tag(proc_status_pid_parse(text, strlen(text), "PPid", &pid), "parse");
	assert_error_tag(proc_status_pid_parse(text, strlen(text), "Ngid", &pid), "parse");
	assert_error_tag(proc_status_pid_parse(text, strlen(text), "Pid", &pid), "absent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_of_a_container_has_a_number_per_namespace),
		cmocka_unit_test(a_name_that_looks_like_the_line_is_not_the_line),
		cmocka_unit_test(no_line_is_absent),
		cmocka_unit_test(a_broken_line_is_refused),
		cmocka_unit_test(our_own_line_ends_with_our_pid),
		cmocka_unit_test(a_single_pid_is_read_by_its_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
