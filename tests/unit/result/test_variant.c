// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/run_record.h"

#include "unit.h"

static const char *const argv[] = { "scx_a", "-s", "5" };

static struct result_variant_traits plain(void)
{
	return (struct result_variant_traits){
		.suite = "mytests",
		.test = "fair",
		.topology = "1n2l2c1t",
		.scheduler_argv = { argv, 3 },
		.kernel_build_id = "0a0b",
		.memory_bytes = 1 << 29,
	};
}

static bool same(const struct result_variant_traits *a, const struct result_variant_traits *b)
{
	_cleanup_free_ char *x = result_variant_id(a), *y = result_variant_id(b);

	assert_int_equal(strlen(x), 16);
	assert_int_equal(strspn(x, "0123456789abcdef"), 16);
	return strcmp(x, y) == 0;
}

static void the_id_is_the_same_for_the_same_variant(void **state UNUSED)
{
	const char *const copy[] = { "scx_a", "-s", "5" };
	struct result_variant_traits a = plain(), b = plain();

	b.scheduler_argv.at = copy;
	assert_true(same(&a, &b));
}

/* FNV-1a over lengths and bytes, done by hand in Python. */
static void the_id_never_changes_between_versions(void **state UNUSED)
{
	struct result_variant_traits a = plain();
	_cleanup_free_ char *id = result_variant_id(&a);

	assert_string_equal(id, "487f799036bd279b");
}

static void everything_that_is_booted_counts(void **state UNUSED)
{
	static const char *const sysctls[] = { "kernel.x=1" };
	struct result_variant_traits a = plain(), changed[8];

	for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
		changed[i] = plain();
	changed[0].test = "fair2";
	changed[1].topology = "1n1l4c1t";
	changed[2].scheduler_argv.n = 2;
	changed[3].kernel_build_id = "0a0c";
	changed[4].sysctls = (struct result_texts){ sysctls, 1 };
	changed[5].kernel_args = (struct result_texts){ sysctls, 1 };
	changed[6].memory_bytes++;
	changed[7].suite = "others";
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++) {
		assert_false(same(&a, &changed[i]));
		for (size_t j = 0; j < i; j++)
			assert_false(same(&changed[j], &changed[i]));
	}
}

static void words_do_not_run_together(void **state UNUSED)
{
	static const char *const one[] = { "ab", "c" }, *const other[] = { "a", "bc" };
	static const char *const joined[] = { "ab c" }, *const empty[] = { "" };
	struct result_variant_traits v[5];

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		v[i] = plain();
	v[0].scheduler_argv = (struct result_texts){ one, 2 };
	v[1].scheduler_argv = (struct result_texts){ other, 2 };
	v[2].scheduler_argv = (struct result_texts){ joined, 1 };
	v[3].scheduler_argv = (struct result_texts){ empty, 1 };
	v[4].scheduler_argv = (struct result_texts){ NULL, 0 };
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		for (size_t j = 0; j < i; j++)
			assert_false(same(&v[i], &v[j]));
}

static void unknown_is_not_empty(void **state UNUSED)
{
	struct result_variant_traits a = plain(), b = plain();

	a.kernel_build_id = NULL;
	b.kernel_build_id = "";
	assert_false(same(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_id_is_the_same_for_the_same_variant),
		cmocka_unit_test(the_id_never_changes_between_versions),
		cmocka_unit_test(everything_that_is_booted_counts),
		cmocka_unit_test(words_do_not_run_together),
		cmocka_unit_test(unknown_is_not_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
