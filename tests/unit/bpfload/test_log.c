// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpfload/log.h"

#include <bpf/libbpf.h>

#include "bpfload/limits.h"
#include "unit.h"

static void expect_tail(const char *text, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf tail = STRBUF_INIT;

	bpfload_log_tail(text, strlen(text), &tail);
	assert_string_equal(strbuf_str(&tail), wanted);
}

static void a_tail_is_the_last_lines_on_one_line(void **state)
{
	(void)state;
	expect_tail("", "");
	expect_tail("one", "one");
	expect_tail("one\ntwo\n", "one | two");
	expect_tail("1\n2\n3\n4\n5\n6\n7\n8\n", "3 | 4 | 5 | 6 | 7 | 8");
}

static void frames_and_counts_are_left_out(void **state)
{
	(void)state;
	expect_tail("libbpf: prog 'x': BPF program load failed: Permission denied\n"
		    "libbpf: prog 'x': -- BEGIN PROG LOAD LOG --\n"
		    "R1 invalid mem access 'scalar'\n"
		    "\n"
		    "processed 4 insns (limit 1000000)\n"
		    "-- END PROG LOAD LOG --\n",
		    "prog 'x': BPF program load failed: Permission denied | "
		    "R1 invalid mem access 'scalar'");
}

/* Opening nonsense makes libbpf speak. */
static void make_it_speak(void)
{
	assert_null(bpf_object__open_mem("nonsense", 8, NULL));
}

static void what_libbpf_says_is_kept_while_asked_for(void **state)
{
	_cleanup_strbuf_ struct strbuf log = STRBUF_INIT;
	size_t n;

	(void)state;
	bpfload_log_begin(&log);
	make_it_speak();
	bpfload_log_end();
	assert_contains(strbuf_str(&log), "libbpf: ");
	n = log.n;
	make_it_speak();
	assert_int_equal(log.n, n);
}

static void of_an_endless_log_the_end_is_kept(void **state)
{
	_cleanup_strbuf_ struct strbuf log = STRBUF_INIT;

	(void)state;
	strbuf_append_repeated(&log, 'x', 2 * BPFLOAD_LOG_BYTES);
	bpfload_log_begin(&log);
	make_it_speak();
	bpfload_log_end();
	assert_in_range(log.n, 1, BPFLOAD_LOG_BYTES);
	assert_int_equal(strlen(strbuf_str(&log)), log.n);
	assert_contains(strbuf_str(&log), "libbpf: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tail_is_the_last_lines_on_one_line),
		cmocka_unit_test(frames_and_counts_are_left_out),
		cmocka_unit_test(what_libbpf_says_is_kept_while_asked_for),
		cmocka_unit_test(of_an_endless_log_the_end_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
