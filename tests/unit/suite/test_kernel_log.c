// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <sys/socket.h>

#include "suite/dir.h"
#include "suite/scheduler.h"

static void a_record_has_a_head_and_properties(void **state UNUSED)
{
	static const char record[] = "6,339,5140900,-;NET: text; more\n SUBSYSTEM=pci\n";
	size_t n;
	const char *text = suite_kernel_log_text(record, strlen(record), &n);

	assert_int_equal(n, strlen("NET: text; more"));
	assert_memory_equal(text, "NET: text; more", n);
	suite_kernel_log_text("no record", 9, &n);
	assert_int_equal(n, 0);
	text = suite_kernel_log_text("6,1,2,-;cut", 11, &n);
	assert_int_equal(n, 3);
	assert_memory_equal(text, "cut", 3);
}

/* A message is one read(), as it is with the kernel's file. */
static void lines_about_sched_ext_are_kept(void **state UNUSED)
{
	static const char *const records[] = {
		"6,1,2,-;sched_ext: BPF scheduler \"a\" enabled\n",
		"6,2,2,-;random: crng init done\n",
		"6,3,2,-;sched_ext: BPF scheduler \"a\" disabled (x)\n KEY=1\n",
	};
	_cleanup_strbuf_ struct strbuf lines = STRBUF_INIT;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		assert_true(write(ends[1], records[i], strlen(records[i])) > 0);
	suite_kernel_log_read(ends[0], 1000, &lines);
	assert_string_equal(lines.at, "sched_ext: BPF scheduler \"a\" enabled\n"
				      "sched_ext: BPF scheduler \"a\" disabled (x)\n");
	/* Once full it stays full. */
	assert_true(write(ends[1], records[0], strlen(records[0])) > 0);
	suite_kernel_log_read(ends[0], lines.n + 10, &lines);
	assert_null(strstr(strstr(lines.at, "disabled"), "enabled"));
	close(ends[0]);
	close(ends[1]);
}

static void the_last_kernel_log_line_about_a_process_is_found(void **state UNUSED)
{
	static const char *const records[] = {
		"6,1,2,-;x[77]: segfault at 1 ip 2\n",
		"6,2,2,-;x[7]: segfault at 3 ip 4\n",
		"6,3,2,-;x[7]: segfault at 5 ip 6\n KEY=1\n",
		"6,4,2,-;Code: 00 [7]:\n",
	};
	_cleanup_free_ char *found = NULL;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		assert_true(write(ends[1], records[i], strlen(records[i])) > 0);
	found = suite_kernel_log_about(ends[0], 7);
	assert_string_equal(found, "x[7]: segfault at 5 ip 6");
	assert_null(suite_kernel_log_about(ends[0], 7));
	assert_null(suite_kernel_log_about(-1, 7));
	close(ends[0]);
	close(ends[1]);
}

static void a_log_that_may_not_be_read_is_empty(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf lines = STRBUF_INIT;

	assert_int_equal(suite_kernel_log_open("/does/not/exist"), -1);
	suite_kernel_log_read(-1, 1000, &lines);
	assert_int_equal(lines.n, 0);
}

static void reading_begins_at_the_end(void **state UNUSED)
{
	_cleanup_test_dir_ struct dir dir;
	_cleanup_strbuf_ struct strbuf lines = STRBUF_INIT, path = STRBUF_INIT;
	_cleanup_close_ int fd = -1;

	dir_init(&dir);
	dir_write(&dir, "kmsg", "6,1,2,-;sched_ext: old\n");
	strbuf_appendf(&path, "%s/kmsg", dir.path);
	fd = suite_kernel_log_open(path.at);
	assert_true(fd >= 0);
	suite_kernel_log_read(fd, 1000, &lines);
	assert_int_equal(lines.n, 0);
}

static void expect_reason(const char *lines, const char *expected)
{
	_cleanup_free_ char *reason = suite_kernel_log_reason(lines);

	if (!expected) {
		assert_null(reason);
		return;
	}
	assert_non_null(reason);
	assert_string_equal(reason, expected);
}

static void the_exit_reason_is_that_of_the_last_disable(void **state UNUSED)
{
	expect_reason("", NULL);
	expect_reason("sched_ext: BPF scheduler \"a\" enabled\n", NULL);
	expect_reason("sched_ext: BPF scheduler \"a\" disabled (unregistered from user space)\n",
		      "unregistered from user space");
	expect_reason("sched_ext: BPF scheduler \"a\" disabled (runnable task stall)\n"
		      "sched_ext: a: spin[288] failed to run for 5.056s\n"
		      "   bpf__sched_ext_ops_dispatch+0x4b/0xa8\n",
		      "runnable task stall: spin[288] failed to run for 5.056s");
	expect_reason("sched_ext: BPF scheduler \"a\" disabled (first)\n"
		      "sched_ext: a: one\n"
		      "sched_ext: BPF scheduler \"a\" enabled\n"
		      "sched_ext: BPF scheduler \"a\" disabled (second)\n",
		      "second");
	expect_reason("sched_ext: BPF scheduler \"a\" disabled (first)\n"
		      "sched_ext: BPF scheduler \"b: c\" enabled\n",
		      "first");
	expect_reason("sched_ext: BPF scheduler \"a\" disabled (cut", "cut");
	expect_reason("sched_ext: BPF scheduler \"a\" disabled (a (b))\n", "a (b)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_has_a_head_and_properties),
		cmocka_unit_test(lines_about_sched_ext_are_kept),
		cmocka_unit_test(the_last_kernel_log_line_about_a_process_is_found),
		cmocka_unit_test(a_log_that_may_not_be_read_is_empty),
		cmocka_unit_test(reading_begins_at_the_end),
		cmocka_unit_test(the_exit_reason_is_that_of_the_last_disable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
