// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/scheduler.h"

static void assert_words(char *have, const char *want)
{
	if (want)
		assert_string_equal(have, want);
	else
		assert_null(have);
	free(have);
}

static char *end_words(const char *kernel, const char *printed)
{
	struct suite_stream out, err;
	char *words;

	suite_stream_init(&out, -1, 1000, 1000);
	suite_stream_init(&err, -1, 1000, 1000);
	suite_stream_take(&err, printed, strlen(printed));
	words = suite_scheduler_words_of_end(kernel, &out, &err);
	suite_stream_deinit(&out);
	suite_stream_deinit(&err);
	return words;
}

static void the_schedulers_own_message_is_added_unless_the_kernel_has_one(void **state UNUSED)
{
	assert_words(end_words("unregistered from the main kernel", "cpu 3 going offline\n"),
		     "; the kernel says: unregistered from the main kernel; it says: cpu 3 going "
		     "offline");
	assert_words(end_words("runtime error: x", "runtime error: x\n"),
		     "; the kernel says: runtime error: x");
	assert_words(end_words(NULL, "last\n"), "; it says: last");
	assert_words(end_words(NULL, ""), "");
}

/* The first lines have the cause, the last one what the program made of it. */
static void a_failed_load_is_quoted_from_its_cause(void **state UNUSED)
{
	assert_words(
		suite_scheduler_words_of_load(
			"libbpf: map 'a': failed to create: Operation not permitted(-1)\n"
			"starting\n"
			"libbpf: failed to load object 'x'\n"
			"libbpf: failed to load BPF skeleton 'x': -1\n"
			"libbpf: failed to load BPF skeleton 'x': -1\n"
			"scx_x: error: cannot load\n"),
		"libbpf: map 'a': failed to create: Operation not permitted(-1); libbpf: failed "
		"to load object 'x'; …; scx_x: error: cannot load");
	assert_words(suite_scheduler_words_of_load("one error\nfailed two\n"),
		     "one error; failed two");
	assert_words(suite_scheduler_words_of_load("a\nb\n\n"), "b");
	assert_words(suite_scheduler_words_of_load("\n"), NULL);
}

/* Lines of a real refusal by 6.18. */
static void the_verifiers_last_line_is_its_refusal(void **state UNUSED)
{
	static const char log[] =
		"libbpf: prog 'fifo_init': BPF program load failed: Permission denied\n"
		"libbpf: prog 'fifo_init': -- BEGIN PROG LOAD LOG --\n"
		"0: R1=ctx() R10=fp0\n"
		"; return state.exit_dump[state.kept]; @ fifo.bpf.c:79\n"
		"3: (71) r0 = *(u8 *)(r2 +1176)\n"
		"R2 unbounded memory access, make sure to bounds check any such access\n"
		"processed 4 insns (limit 1000000) max_states_per_insn 0 total_states 0\n"
		"-- END PROG LOAD LOG --\n"
		"libbpf: prog 'fifo_init': failed to load: -13\n";

	assert_words(
		suite_scheduler_words_of_verifier(log),
		"program 'fifo_init': R2 unbounded memory access, make sure to bounds check any "
		"such access");
	assert_words(suite_scheduler_words_of_verifier("-- BEGIN PROG LOAD LOG --"), "a program");
	assert_words(suite_scheduler_words_of_verifier("libbpf: failed to load object\n"), NULL);
	assert_words(suite_scheduler_words_of_verifier(""), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_schedulers_own_message_is_added_unless_the_kernel_has_one),
		cmocka_unit_test(a_failed_load_is_quoted_from_its_cause),
		cmocka_unit_test(the_verifiers_last_line_is_its_refusal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
