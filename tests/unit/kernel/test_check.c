// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/check.h"

#include "sample.h"

static void check_sample(const struct sample *sample, struct kernel_check *ret)
{
	_cleanup_strbuf_ struct strbuf btf = STRBUF_INIT;

	sample_btf(sample, &btf);
	assert_success(kernel_check_btf(build_bytes(&btf), "test", ret));
}

static void clean_prototypes_are_usable(void **state UNUSED)
{
	_cleanup_kernel_check_ struct kernel_check check = { 0 };

	/* An `aux` of a function that is no scx function, or of an implementation, is right. */
	check_sample(&(struct sample){ 0 }, &check);
	assert_int_equal(check.verdict, KERNEL_SCX_USABLE);
	assert_null(check.reason);
	assert_int_equal(check.functions, 3);
	assert_int_equal(check.leaky, 0);
}

static void one_leaked_argument_breaks_it(void **state UNUSED)
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

static void no_sched_ext_is_told_from_broken(void **state UNUSED)
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

static void every_verdict_has_a_word_of_its_own(void **state UNUSED)
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
		cmocka_unit_test(clean_prototypes_are_usable),
		cmocka_unit_test(one_leaked_argument_breaks_it),
		cmocka_unit_test(no_sched_ext_is_told_from_broken),
		cmocka_unit_test(no_btf_is_unknown_and_bad_btf_an_error),
		cmocka_unit_test(every_verdict_has_a_word_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
