// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/session.h"

#include <elf.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "samples.h"
#include "staged_root.h"

/* Far more than a script needs, however busy the machine. */
static const struct harness_listing_bounds roomy = { 60 * NS_PER_SEC, 1 << 20 };

/* A program of a few lines of shell that poses as a test binary. */
static char *make_script(const char *root, const char *lines)
{
	_cleanup_free_ char *text = xasprintf("#!/bin/sh\n%s\n", lines);
	char *path = staged_path(root, "/mytests");

	staged_file(root, "/mytests", text, strlen(text));
	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

static struct error *list_script(const char *lines, const struct harness_listing_bounds *bounds,
				 const struct cancel *cancel, struct exchange_declared_suite *ret)
{
	char *root = staged_root_new();
	_cleanup_free_ char *path = make_script(root, lines);
	struct error *err = harness_listing_read(path, bounds, cancel, ret, NULL);

	staged_root_free(root);
	return err;
}

static struct error *list_fails(const char *lines)
{
	struct exchange_declared_suite suite = { .tests = { .n = 77 } };
	struct error *err = list_script(lines, &roomy, NULL, &suite);

	assert_non_null(err);
	assert_int_equal(suite.tests.n, 77);
	return err;
}

static void the_listing_of_a_test_binary_is_read(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { 0 };

	assert_success(list_script("test \"$*\" = '--list --json' || exit 1\n"
				   "echo 'a note' >&2\n"
				   "echo '" SAMPLE_LISTING(SAMPLE_TEST("one")) "'",
				   &roomy, NULL, &suite));
	assert_int_equal(suite.tests.n, 1);
	assert_string_equal(suite.tests.at[0].name, "one");
	assert_string_equal(suite.name, "mytests");
	assert_int_equal(suite.path[0], '/');
}

static void listing_limits_default_to_usable_values(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { 0 };
	char *root = staged_root_new();
	_cleanup_free_ char *path = make_script(root,
						"echo '" SAMPLE_LISTING(SAMPLE_PLAIN("one")) "'");

	assert_success(harness_listing_read(path, NULL, NULL, &suite, NULL));
	staged_root_free(root);
}

static void the_listings_json_text_is_returned_on_request(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char *root = staged_root_new();
	_cleanup_free_ char *path = make_script(root,
						"echo '" SAMPLE_LISTING(SAMPLE_PLAIN("one")) "'");

	assert_success(harness_listing_read(path, NULL, NULL, &suite, &text));
	assert_string_equal(strbuf_str(&text), SAMPLE_LISTING(SAMPLE_PLAIN("one")) "\n");
	assert_int_equal(suite.tests.n, 1);
	staged_root_free(root);
}

static void a_symlinked_test_binary_has_its_targets_name(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { 0 };
	char *root = staged_root_new();
	_cleanup_free_ char *path = make_script(root, "echo '{\"ktstr_api\":1,\"tests\":[]}'");
	_cleanup_free_ char *link = staged_path(root, "/b/other");

	staged_link(root, "/b/other", "../mytests");
	assert_success(harness_listing_read(link, &roomy, NULL, &suite, NULL));
	assert_string_equal(suite.path, path);
	assert_string_equal(suite.name, "mytests");
	staged_root_free(root);
}

static void listing_has_no_stdin_and_no_guest_environment(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { 0 };

	setenv("KTSTR_REPORT_FD", "3", 1);
	setenv("OTHER_WORD", "kept", 1);
	assert_success(list_script("read line && exit 3\n"
				   "test -z \"$KTSTR_REPORT_FD\" || exit 4\n"
				   "test \"$OTHER_WORD\" = kept || exit 5\n"
				   "echo '{\"ktstr_api\":1,\"tests\":[]}'",
				   &roomy, NULL, &suite));
	unsetenv("KTSTR_REPORT_FD");
	unsetenv("OTHER_WORD");
}

static void mistakes_are_passed_on_line_by_line(void **state UNUSED)
{
	_cleanup_error_ struct error *err = list_fails(
		"echo 'a.c:3: one: impossible topology' >&2\n"
		"printf 'a.c:9: two: \\033[31mtoo many rows\\n' >&2\nexit 2");

	assert_true(error_is(err, &harness_error_domain, HARNESS_MISTAKES));
	assert_contains(error_message(err), "mytests declares tests wrongly:\n"
					    "a.c:3: one: impossible topology\n"
					    "a.c:9: two: ?[31mtoo many rows");
	/* The caller ends the last line. */
	assert_int_not_equal(error_message(err)[strlen(error_message(err)) - 1], '\n');
}

static void a_program_without_list_is_not_a_test_binary(void **state UNUSED)
{
	_cleanup_error_ struct error *usage = list_fails(
		"echo \"mytests: unrecognized option '--list'\" >&2\n"
		"echo 'Try something else.' >&2\nexit 2");
	_cleanup_error_ struct error *silent = list_fails("exit 127");
	_cleanup_error_ struct error *garbage = list_fails("echo hello");

	assert_true(error_is(usage, &harness_error_domain, HARNESS_NOT_TESTS));
	assert_contains(error_message(usage), "is not a ktstr test binary: it ended with 2");
	assert_contains(error_message(usage), "unrecognized option '--list'");
	assert_null(strstr(error_message(usage), "Try"));
	assert_true(error_is(silent, &harness_error_domain, HARNESS_NOT_TESTS));
	assert_contains(error_message(silent), "it ended with 127");
	assert_true(error_is(garbage, &harness_error_domain, HARNESS_NOT_TESTS));
	assert_contains(error_message(garbage),
			"is not a ktstr test binary: what it lists: not JSON");
}

static void a_crash_is_named_with_its_signal(void **state UNUSED)
{
	_cleanup_error_ struct error *err = list_fails(
		"echo '{\"ktstr_api\":1,\"tests\":[]}'\necho 'oh no' >&2\nkill -SEGV $$");

	assert_true(error_is(err, &harness_error_domain, HARNESS_LISTING));
	assert_contains(error_message(err), "was killed by signal 11 (Segmentation fault)");
	assert_contains(error_message(err), "oh no");
}

/* This very program with another number for its machine. */
static struct error *list_copy_of_ourselves(const char *root, unsigned char machine)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_free_ char *path = staged_path(root, "/copy");
	struct exchange_declared_suite suite;

	assert_success(io_read_file("/proc/self/exe", 64 << 20, &bytes));
	bytes.at[18] = (char)machine;
	staged_file(root, "/copy", bytes.at, bytes.n);
	assert_int_equal(chmod(path, 0755), 0);
	return harness_listing_read(path, NULL, NULL, &suite, NULL);
}

static void a_binary_that_cannot_be_executed_is_reported(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_free_ char *path = make_script(root, "exit 0");
	_cleanup_free_ char *gone = staged_path(root, "/gone");
	struct exchange_declared_suite suite;
	_cleanup_error_ struct error *absent = harness_listing_read(gone, NULL, NULL, &suite, NULL);
	_cleanup_error_ struct error *dir = harness_listing_read(root, NULL, NULL, &suite, NULL);
	_cleanup_error_ struct error *plain = NULL, *text = NULL, *strange = NULL;

	assert_int_equal(chmod(path, 0644), 0);
	plain = harness_listing_read(path, NULL, NULL, &suite, NULL);
	/* A shell would run it. */
	staged_file(root, "/mytests", "exit 0\n", 7);
	assert_int_equal(chmod(path, 0755), 0);
	text = harness_listing_read(path, NULL, NULL, &suite, NULL);
	strange = list_copy_of_ourselves(root, EM_AARCH64);

	assert_true(error_is(absent, &harness_error_domain, HARNESS_NOT_TESTS));
	assert_contains(error_message(absent), "No such file");
	assert_true(error_is(dir, &harness_error_domain, HARNESS_NOT_TESTS));
	assert_contains(error_message(dir), "is not a file");
	assert_true(error_is(plain, &harness_error_domain, HARNESS_NOT_TESTS));
	assert_contains(error_message(plain), "cannot be executed");
	assert_true(error_is(strange, &harness_error_domain, HARNESS_NOT_TESTS));
	assert_contains(error_message(strange), "is a program for another architecture");
	assert_true(error_is(text, &harness_error_domain, HARNESS_NOT_TESTS));
	assert_contains(error_message(text), "ELF object");
	staged_root_free(root);
}

static void a_program_that_hangs_is_ended_with_its_children(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_free_ char *lines = xasprintf("sleep 100 & echo $! >%s/pid\nwait", root);
	_cleanup_free_ char *path = make_script(root, lines);
	_cleanup_free_ char *pid_path = staged_path(root, "/pid");
	_cleanup_strbuf_ struct strbuf pid = STRBUF_INIT, stat = STRBUF_INIT;
	_cleanup_free_ char *proc = NULL;
	struct exchange_declared_suite suite;
	_cleanup_error_ struct error *err = NULL, *gone = NULL;

	/* Until the child was started, however long that takes here. */
	for (uint64_t ms = 200; pid.n == 0; ms *= 2) {
		error_free(err);
		err = harness_listing_read(
			path, &(struct harness_listing_bounds){ ms * NS_PER_MS, 1 << 20 }, NULL,
			&suite, NULL);
		assert_true(error_is(err, &harness_error_domain, HARNESS_LISTING));
		assert_contains(error_message(err), "did not list its tests within ");
		if (access(pid_path, F_OK) == 0)
			assert_success(io_read_file(pid_path, 64, &pid));
	}
	proc = xasprintf("/proc/%d/stat", atoi(strbuf_str(&pid)));
	/* It may be gone, or wait for init to reap it. */
	for (int i = 0; i < 200; i++) {
		strbuf_clear(&stat);
		error_free(gone);
		gone = io_read_file(proc, 4096, &stat);
		if (gone || strstr(strbuf_str(&stat), ") Z "))
			break;
		usleep(50000);
	}
	assert_true(gone || strstr(strbuf_str(&stat), ") Z "));
	staged_root_free(root);
}

static void children_left_by_a_listing_are_not_waited_for(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { 0 };

	/* The sleeper holds both pipes. */
	assert_success(list_script("sleep 100 &\necho '{\"ktstr_api\":1,\"tests\":[]}'", &roomy,
				   NULL, &suite));
}

static void endless_output_is_cut_off(void **state UNUSED)
{
	_cleanup_error_ struct error *err = list_fails("yes");

	assert_true(error_is(err, &harness_error_domain, HARNESS_LISTING));
	assert_contains(error_message(err), "lists more than 1048576 bytes");
}

static void mistakes_past_the_limit_are_cut_and_it_still_ends(void **state UNUSED)
{
	_cleanup_error_ struct error *err = list_fails(
		"yes 'a.c:1: one: wrong' | head -c 3000000 >&2\nexit 2");

	assert_true(error_is(err, &harness_error_domain, HARNESS_MISTAKES));
	assert_true(strlen(error_message(err)) < 1100000);
	assert_string_equal(error_message(err) + strlen(error_message(err)) - 4, "\n…");
}

static void output_of_exactly_the_limit_is_read(void **state UNUSED)
{
	static const char text[] = "{\"ktstr_api\":1,\"tests\":[]}";
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { 0 };
	struct harness_listing_bounds bounds = { 60 * NS_PER_SEC, sizeof(text) - 1 };

	assert_success(
		list_script("printf '{\"ktstr_api\":1,\"tests\":[]}'", &bounds, NULL, &suite));
	bounds.output_bytes--;
	assert_error_tag(
		list_script("printf '{\"ktstr_api\":1,\"tests\":[]}'", &bounds, NULL, &suite),
		"test-listing");
}

static void cancelling_returns_a_cancelled_error(void **state UNUSED)
{
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 200 * NS_PER_MS };
	struct exchange_declared_suite suite;

	assert_error_tag(list_script("sleep 100", &roomy, &cancel, &suite), "cancelled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_listing_of_a_test_binary_is_read),
		cmocka_unit_test(listing_limits_default_to_usable_values),
		cmocka_unit_test(the_listings_json_text_is_returned_on_request),
		cmocka_unit_test(a_symlinked_test_binary_has_its_targets_name),
		cmocka_unit_test(listing_has_no_stdin_and_no_guest_environment),
		cmocka_unit_test(mistakes_are_passed_on_line_by_line),
		cmocka_unit_test(a_program_without_list_is_not_a_test_binary),
		cmocka_unit_test(a_crash_is_named_with_its_signal),
		cmocka_unit_test(a_binary_that_cannot_be_executed_is_reported),
		cmocka_unit_test(a_program_that_hangs_is_ended_with_its_children),
		cmocka_unit_test(children_left_by_a_listing_are_not_waited_for),
		cmocka_unit_test(endless_output_is_cut_off),
		cmocka_unit_test(mistakes_past_the_limit_are_cut_and_it_still_ends),
		cmocka_unit_test(output_of_exactly_the_limit_is_read),
		cmocka_unit_test(cancelling_returns_a_cancelled_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
