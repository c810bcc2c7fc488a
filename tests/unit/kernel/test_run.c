// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/apt.h"

#include "base/clock.h"
#include "unit.h"

static struct error *run(const char *script, const struct kernel_watch *watch, struct strbuf *out)
{
	const char *const argv[] = { "bash", "-c", script, NULL };

	return kernel_run(&(struct kernel_run){ .argv = argv, .what = "x", .total_bytes = 1000000 },
			  watch, out);
}

static void output_is_kept_and_complaints_are_not(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT, large = STRBUF_INIT;

	assert_success(run("echo one; echo no >&2; echo two", NULL, &out));
	assert_string_equal(strbuf_str(&out), "one\ntwo\n");
	assert_success(run("echo ignored", NULL, NULL));
	/* More than a pipe holds. */
	assert_success(run("seq 1 100000", NULL, &large));
	assert_int_equal(large.n, 588895);
}

static void assert_complains(const char *script, const char *says)
{
	struct error *err = run(script, NULL, NULL);

	assert_non_null(err);
	assert_string_equal(error_tag(err), "kernel-apt");
	assert_contains(error_message(err), says);
	error_free(err);
}

static void a_failure_carries_the_reason(void **state UNUSED)
{
	assert_complains("echo 'W: small' >&2; echo 'E: large' >&2; echo after >&2; exit 100",
			 "exited with status 100: large");
	assert_complains("echo first >&2; echo last >&2; exit 2", "last");
	assert_complains("exit 3", "no reason given");
	assert_complains("kill -9 $$", "signal 9");
}

struct seen {
	uint64_t done[8];
	size_t n;
};

static void see(void *context, const char *what, uint64_t done, uint64_t total)
{
	struct seen *seen = context;

	assert_string_equal(what, "x");
	assert_int_equal(total, 1000000);
	if (seen->n < ARRAY_SIZE(seen->done))
		seen->done[seen->n++] = done;
}

static void status_lines_become_progress(void **state UNUSED)
{
	struct seen seen = { 0 };
	struct kernel_watch watch = { .progress = see, .context = &seen };

	assert_success(run("printf 'dlstatus:1:12.3456:a\\nnoise\\ndlstat' >&3; sleep 0.1;"
			   "printf 'us:1:100.0:b\\n' >&3",
			   &watch, NULL));
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.done[0], 123400);
	assert_int_equal(seen.done[1], 1000000);
}

static void percentages_are_read_in_any_locale(void **state UNUSED)
{
	static const char *const wrong[] = {
		"",	      "pmstatus:x:1.0:y", "dlstatus:",
		"dlstatus:1", "dlstatus:1:x",	  "dlstatus:1:99999:x"
	};
	uint32_t value;

	assert_true(kernel_run_parse_status("dlstatus:1:7,5:x", &value));
	assert_int_equal(value, 750);
	assert_true(kernel_run_parse_status("dlstatus:3:0.0265:x", &value));
	assert_int_equal(value, 2);
	assert_true(kernel_run_parse_status("dlstatus:3:100:x", &value));
	assert_int_equal(value, 10000);
	assert_true(kernel_run_parse_status("dlstatus:3:999:x", &value));
	assert_int_equal(value, 10000);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(kernel_run_parse_status(wrong[i], &value));
}

static void cancelling_ends_the_child_and_its_helpers(void **state UNUSED)
{
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 200 * NS_PER_MS };
	struct kernel_watch watch = { .cancel = &cancel };

	assert_error_tag(run("sleep 1000 & sleep 1000", &watch, NULL), "cancelled");
}

static void a_helper_that_stays_does_not_hold_us(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	assert_success(run("echo done; sleep 5 & exit 0", NULL, &out));
	assert_string_equal(strbuf_str(&out), "done\n");
}

static void a_program_that_is_not_there_is_an_error(void **state UNUSED)
{
	const char *const argv[] = { "ktstr-no-such-program", NULL };

	assert_error_tag(kernel_run(&(struct kernel_run){ .argv = argv }, NULL, NULL), "io");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_is_kept_and_complaints_are_not),
		cmocka_unit_test(a_failure_carries_the_reason),
		cmocka_unit_test(status_lines_become_progress),
		cmocka_unit_test(percentages_are_read_in_any_locale),
		cmocka_unit_test(cancelling_ends_the_child_and_its_helpers),
		cmocka_unit_test(a_helper_that_stays_does_not_hold_us),
		cmocka_unit_test(a_program_that_is_not_there_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
