// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kernel.h"

#include "sample.h"
#include "unit.h"

static void only_usable_kernels_pass_for_sched_ext(void **state UNUSED)
{
	char id[] = "6.0.0", reason[] = "3 functions leak";
	struct kernel kernel = { .id = id, .scx = KERNEL_SCX_USABLE };
	struct error *err;

	assert_success(kernel_require_scx(&kernel));
	kernel.scx_reason = reason;
	for (int i = 0; i < KERNEL_N_SCX; i++) {
		kernel.scx = (enum kernel_scx)i;
		if (i == KERNEL_SCX_USABLE)
			continue;
		err = kernel_require_scx(&kernel);
		assert_non_null(err);
		assert_string_equal(error_tag(err), "kernel-no-sched-ext");
		assert_string_equal(error_message(err),
				    "kernel 6.0.0 cannot be used for sched_ext: 3 functions leak");
		error_free(err);
	}
}

static void freeing_nothing_does_not_crash(void **state UNUSED)
{
	kernel_free(NULL);
}

static char heard[2048];

static void hear(void *context, const char *line)
{
	assert_ptr_equal(context, heard);
	snprintf(heard, sizeof(heard), "%s", line);
}

static void kernel_say_formats_and_cuts_the_line(void **state UNUSED)
{
	struct kernel_watch watch = { .say = hear, .context = heard };

	kernel_say(&watch, "%d of %s", 3, "four");
	assert_string_equal(heard, "3 of four");
	kernel_say(&watch, "%2000d", 1);
	assert_int_equal(strlen(heard), 1023);
}

static void kernel_say_without_a_listener_is_ignored(void **state UNUSED)
{
	struct kernel_watch deaf = { 0 };

	strcpy(heard, "before");
	kernel_say(NULL, "x");
	kernel_say(&deaf, "x");
	assert_string_equal(heard, "before");
}

static struct kernel_version version(const char *text)
{
	struct kernel_version v;

	assert_true(kernel_version_parse(text, &v, NULL));
	return v;
}

static void version_numbers_are_parsed_and_the_rest_returned(void **state UNUSED)
{
	static const struct {
		const char *text;
		uint32_t major, minor, patch;
		bool has_patch;
		const char *rest;
	} rows[] = {
		{ "6.18", 6, 18, 0, false, "" },
		{ "6.18.15", 6, 18, 15, true, "" },
		{ "6.18.15+deb13-cloud-amd64", 6, 18, 15, true, "+deb13-cloud-amd64" },
		{ "7.3-rc1", 7, 3, 0, false, "-rc1" },
		{ "6.1.0-50-amd64", 6, 1, 0, true, "-50-amd64" },
		{ "6.18.x", 6, 18, 0, false, ".x" },
		{ "6.18.15.3", 6, 18, 15, true, ".3" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kernel_version v;
		const char *rest;

		assert_true(kernel_version_parse(rows[i].text, &v, &rest));
		assert_int_equal(v.major, rows[i].major);
		assert_int_equal(v.minor, rows[i].minor);
		assert_int_equal(v.patch, rows[i].patch);
		assert_int_equal(v.has_patch, rows[i].has_patch);
		assert_string_equal(rest, rows[i].rest);
	}
}

static void malformed_versions_are_refused(void **state UNUSED)
{
	static const char *const wrong[] = { "",    "6",    "6.",    ".18",	     "v6.18",
					     "six", "6-18", "-6.18", "6.99999999999" };
	struct kernel_version v;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(kernel_version_parse(wrong[i], &v, NULL));
}

static void order_is_by_number_not_by_letter(void **state UNUSED)
{
	static const char *const sorted[] = { "5.19.17", "6.9.1",   "6.18",
					      "6.18.9",	 "6.18.15", "7.0.1" };

	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(sorted); k++) {
			struct kernel_version a = version(sorted[i]), b = version(sorted[k]);
			int order = kernel_version_compare(&a, &b);

			assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
		}
	}
}

static void a_series_holds_its_versions_and_a_version_only_itself(void **state UNUSED)
{
	struct kernel_version series = version("6.18"), one = version("6.18.1"),
			      fifteen = version("6.18.15"), other = version("6.1.18");

	assert_true(kernel_version_matches(&series, &one));
	assert_true(kernel_version_matches(&series, &fifteen));
	assert_false(kernel_version_matches(&series, &other));
	assert_true(kernel_version_matches(&fifteen, &fifteen));
	assert_false(kernel_version_matches(&one, &fifteen));
}

static void names_that_leave_the_directory_are_not_safe(void **state UNUSED)
{
	static const char *const wrong[] = { "", ".", "..", ".new-x", "a/b", "a b", "a\n", "\x1b" };

	assert_true(kernel_name_is_safe("6.18.15+deb13-cloud-amd64"));
	assert_true(kernel_name_is_safe("6.1~rc1_x"));
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(kernel_name_is_safe(wrong[i]));
}

static void check_sample(const struct sample *sample, struct kernel_check *ret)
{
	_cleanup_strbuf_ struct strbuf btf = STRBUF_INIT;

	sample_btf(sample, &btf);
	assert_success(kernel_check_btf(build_bytes(&btf), "test", ret));
}

static void prototypes_without_leaks_make_a_usable_kernel(void **state UNUSED)
{
	_cleanup_kernel_check_ struct kernel_check check = { 0 };

	/* An `aux` of a function that is no scx function, or of an implementation, is right. */
	check_sample(&(struct sample){ 0 }, &check);
	assert_int_equal(check.verdict, KERNEL_SCX_USABLE);
	assert_null(check.reason);
	assert_int_equal(check.functions, 3);
	assert_int_equal(check.leaky, 0);
}

static void one_leaked_argument_makes_a_kernel_broken(void **state UNUSED)
{
	_cleanup_kernel_check_ struct kernel_check one = { 0 }, two = { 0 };

	check_sample(&(struct sample){ .leaky = 1 }, &one);
	assert_int_equal(one.verdict, KERNEL_SCX_BROKEN);
	assert_contains(one.reason, "1 of 3 scx functions leak an 'aux' argument");
	assert_contains(one.reason, ": scx_bpf_one");
	assert_null(strstr(one.reason, "scx_bpf_two"));
	check_sample(&(struct sample){ .leaky = 2 }, &two);
	assert_contains(two.reason, "2 of 3");
	assert_contains(two.reason, "scx_bpf_one, scx_bpf_two");
	assert_null(strstr(two.reason, "impl"));
}

static void a_kernel_without_sched_ext_is_absent_not_broken(void **state UNUSED)
{
	_cleanup_kernel_check_ struct kernel_check check = { 0 };

	check_sample(&(struct sample){ .no_scx = true }, &check);
	assert_int_equal(check.verdict, KERNEL_SCX_ABSENT);
	assert_contains(check.reason, "sched_ext_ops");
}

static void no_btf_is_unknown_and_bad_btf_an_error(void **state UNUSED)
{
	_cleanup_kernel_check_ struct kernel_check check = { 0 };

	assert_success(kernel_check_btf((struct bytes){ 0 }, "test", &check));
	assert_int_equal(check.verdict, KERNEL_SCX_UNKNOWN);
	assert_contains(check.reason, "no BTF");
	assert_error_tag(
		kernel_check_btf((struct bytes){ (const uint8_t *)"nonsense", 8 }, "test", &check),
		"not-btf");
}

static void every_scx_verdict_has_a_unique_name(void **state UNUSED)
{
	for (int i = 0; i < KERNEL_N_SCX; i++) {
		const char *word = kernel_scx_name((enum kernel_scx)i);

		assert_ptr_equal(word, kernel_scx_words[i]);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(word, kernel_scx_words[j]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_usable_kernels_pass_for_sched_ext),
		cmocka_unit_test(freeing_nothing_does_not_crash),
		cmocka_unit_test(kernel_say_formats_and_cuts_the_line),
		cmocka_unit_test(kernel_say_without_a_listener_is_ignored),
		cmocka_unit_test(version_numbers_are_parsed_and_the_rest_returned),
		cmocka_unit_test(malformed_versions_are_refused),
		cmocka_unit_test(order_is_by_number_not_by_letter),
		cmocka_unit_test(a_series_holds_its_versions_and_a_version_only_itself),
		cmocka_unit_test(names_that_leave_the_directory_are_not_safe),
		cmocka_unit_test(prototypes_without_leaks_make_a_usable_kernel),
		cmocka_unit_test(one_leaked_argument_makes_a_kernel_broken),
		cmocka_unit_test(a_kernel_without_sched_ext_is_absent_not_broken),
		cmocka_unit_test(no_btf_is_unknown_and_bad_btf_an_error),
		cmocka_unit_test(every_scx_verdict_has_a_unique_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
