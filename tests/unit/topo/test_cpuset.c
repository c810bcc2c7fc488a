// SPDX-License-Identifier: GPL-2.0-or-later
#include "topo/cpuset.h"

#include "unit.h"

static struct error *parse(const char *text, struct topo_cpuset *ret)
{
	return topo_cpuset_parse(text, strlen(text), ret);
}

static void assert_formats_as(const char *text, const char *formatted, unsigned int count)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct topo_cpuset set;

	assert_success(parse(text, &set));
	topo_cpuset_format(&set, &s);
	assert_string_equal(strbuf_str(&s), formatted);
	assert_int_equal(topo_cpuset_count(&set), count);
}

static void lists_are_sorted_and_compact(void **state UNUSED)
{
	assert_formats_as("", "", 0);
	assert_formats_as("\n", "", 0);
	assert_formats_as("0\n", "0", 1);
	assert_formats_as("7,5,0-3", "0-3,5,7", 6);
	assert_formats_as("0,1,2", "0-2", 3);
	assert_formats_as("3-3", "3", 1);
	assert_formats_as("62-65", "62-65", 4);
	assert_formats_as("8191", "8191", 1);
	assert_formats_as("0-8191", "0-8191", 8192);
	assert_formats_as("08", "8", 1);
}

static void every_broken_list_is_refused(void **state UNUSED)
{
	static const char *const broken[] = {
		",",	  "0,",		 ",0",	  "0,,1", "-",	 "-1",	"0-",	 "3-1",
		"0 ",	  " 0",		 "0-3,2", "1,1",  "a",	 "0x1", "0-1-2", "8192",
		"0-8192", "99999999999", "0\n\n", "0;1",  "0:1", "+1",
	};
	struct topo_cpuset set, before;

	memset(&before, 0x5a, sizeof(before));
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		set = before;
		assert_error_tag(parse(broken[i], &set), "cpu-list");
		assert_memory_equal(&set, &before, sizeof(set));
	}
	assert_error_tag(topo_cpuset_parse("0\0", 2, &set), "cpu-list");
}

static void an_error_says_what_is_wrong(void **state UNUSED)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "0-3,2", "CPU 2 is there twice" },
		{ "5-4", "the range 5-4 runs backwards" },
		{ "1;2", "a comma is missing at character 1" },
		{ "1,x", "no CPU number below 8192 at character 2" },
		{ "7-", "the range from 7 has no end" },
	};
	struct topo_cpuset set;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_error_ struct error *err = parse(cases[i].text, &set);

		assert_non_null(err);
		assert_contains(error_message(err), cases[i].words);
	}
}

static void bytes_behind_the_end_are_not_read(void **state UNUSED)
{
	struct topo_cpuset set;

	assert_success(topo_cpuset_parse("12", 1, &set));
	assert_int_equal(topo_cpuset_next(&set, 0), 1);
	assert_success(topo_cpuset_parse("1-23", 3, &set));
	assert_int_equal(topo_cpuset_count(&set), 2);
}

static void members_are_found_in_order(void **state UNUSED)
{
	static const unsigned int expected[] = { 0, 63, 64, 4000, 8191 };
	struct topo_cpuset set;
	size_t n = 0;

	assert_success(parse("0,63-64,4000,8191", &set));
	topo_cpuset_for_each (cpu, &set) {
		assert_true(n < ARRAY_SIZE(expected));
		assert_int_equal(cpu, expected[n++]);
	}
	assert_int_equal(n, ARRAY_SIZE(expected));
	assert_true(topo_cpuset_has(&set, 64));
	assert_false(topo_cpuset_has(&set, 65));
	assert_false(topo_cpuset_has(&set, 8192));
	assert_false(topo_cpuset_has(&set, UINT32_MAX));
}

static void cpu_numbers_past_the_limit_are_ignored(void **state UNUSED)
{
	struct topo_cpuset set = { 0 };

	topo_cpuset_add(&set, 8192);
	topo_cpuset_add(&set, UINT32_MAX);
	assert_int_equal(topo_cpuset_count(&set), 0);
	topo_cpuset_add_range(&set, 8190, UINT32_MAX);
	assert_int_equal(topo_cpuset_count(&set), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_sorted_and_compact),
		cmocka_unit_test(every_broken_list_is_refused),
		cmocka_unit_test(an_error_says_what_is_wrong),
		cmocka_unit_test(bytes_behind_the_end_are_not_read),
		cmocka_unit_test(members_are_found_in_order),
		cmocka_unit_test(cpu_numbers_past_the_limit_are_ignored),
	};

	return cmocka_run_group_tests_name("topo/cpuset", tests, NULL, NULL);
}
