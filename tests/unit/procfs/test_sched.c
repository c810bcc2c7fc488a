// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/sched.h"

#include "base/strbuf.h"
#include "unit.h"

#define RULE "-------------------------------------------------------------------\n"

static bool parse(const char *text, struct proc_sched *ret)
{
	return proc_sched_parse(text, strlen(text), ret);
}

static enum dotted_time dotted(const char *text, uint64_t *ret)
{
	return dotted_time_parse((struct slice){ text, strlen(text) }, ret);
}

static void times_are_milliseconds_and_nanoseconds(void **state UNUSED)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "12.345678", 12345678 },
		{ "5000.25", UINT64_C(5000250000) },
		{ "7.999", 7999000 },
		{ "0.000001", 1 },
		{ "7.", 7000000 },
		{ "15", 15 },
		{ " 3.5 ", 3500000 },
		{ "1.23456789", 1234567 },
		{ "18446744073709.551615", UINT64_MAX },
	};
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(dotted(good[i].text, &ns), DOTTED_TIME_OK);
		assert_true(ns == good[i].ns);
	}
}

static void times_below_zero_are_told_apart_from_nonsense(void **state UNUSED)
{
	static const char *const negative[] = { "-5.000000", "0.-000500", "-7", " -1.5", "-x" };
	static const char *const bad[] = { "abc",
					   "",
					   ".",
					   ".5",
					   "1.x",
					   "1 2",
					   "1.5-",
					   "+1.0",
					   "18446744073709.551616",
					   "18446744073709551616" };
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(negative); i++)
		assert_int_equal(dotted(negative[i], &ns), DOTTED_TIME_NEGATIVE);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(dotted(bad[i], &ns), DOTTED_TIME_BAD);
}

/* Every key in three ways of writing it, with a value that names its place. */
static void every_key_is_found_behind_its_last_dot(void **state UNUSED)
{
	static const char *const prefixes[] = { "", "se.", "se.statistics." };
	static const struct {
		const char *key, *form;
		unsigned int field;
	} keys[] = {
#define ROW(id, key_, form_) { key_, #form_, PROC_SCHED_##id },
		PROC_SCHED_FIELDS(ROW)
#undef ROW
	};

	for (size_t p = 0; p < ARRAY_SIZE(prefixes); p++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
		struct proc_sched sched;

		strbuf_append(&s, "x (1, #threads: 1)\n" RULE);
		for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++)
			strbuf_appendf(&s, "%s%-40s :  %u%s\n", prefixes[p], keys[i].key, i + 1,
				       strcmp(keys[i].form, "TIME") == 0 ? ".000007" : "");
		strbuf_append(&s, "ext.enabled : 1\n");
		assert_true(parse(strbuf_str(&s), &sched));
		for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++) {
			uint64_t wanted = i + 1;

			if (strcmp(keys[i].form, "TIME") == 0)
				wanted = wanted * 1000000 + 7;
			assert_true(proc_fields_know(&sched.fields, keys[i].field));
			assert_true(sched.fields.at[keys[i].field] == wanted);
		}
		assert_true(proc_fields_know(&sched.fields, PROC_SCHED_EXT_ENABLED));
		assert_int_equal(sched.negative_times, 0);
	}
}

static void keys_that_only_end_alike_are_others(void **state UNUSED)
{
	struct proc_sched sched;

	assert_false(parse("my_wait_max : 1.0\nwait_maximum : 2.0\nsleep_count : 3\n"
			   "nr_wakeups_idle : 4\nenabled : 5\nno colon\n",
			   &sched));
	assert_int_equal(sched.fields.known, 0);
}

static void the_switch_of_sched_ext_is_a_flag(void **state UNUSED)
{
	struct proc_sched sched;

	assert_true(parse("ext.enabled : 0\n", &sched));
	assert_int_equal(sched.fields.at[PROC_SCHED_EXT_ENABLED], 0);
	assert_true(parse("ext.enabled : 5\n", &sched));
	assert_int_equal(sched.fields.at[PROC_SCHED_EXT_ENABLED], 1);
	assert_false(parse("ext.enabled : yes\nse.ext.enabled : 1\n", &sched));
}

static void negative_times_are_counted_and_not_known(void **state UNUSED)
{
	struct proc_sched sched;

	assert_true(parse("wait_sum : -5.000000\nwait_max : 0.-000500\nblock_max : abc\n"
			  "exec_max : 1.000000\n",
			  &sched));
	assert_int_equal(sched.negative_times, 2);
	assert_int_equal(sched.fields.known, 1 << PROC_SCHED_EXEC_MAX_NS);
}

static void a_thread_cannot_write_lines_by_its_name(void **state UNUSED)
{
	struct proc_sched sched;

	assert_true(
		parse("\nwait_max : 9\n (7, #threads: 1)\n" RULE "nr_migrations : 3\n", &sched));
	assert_int_equal(sched.fields.known, 1 << PROC_SCHED_NR_MIGRATIONS);
	/* As long a rule as a name can hold is none. */
	assert_true(parse("---------------\nwait_max : 1.0\n" RULE "nr_migrations : 3\n", &sched));
	assert_int_equal(sched.fields.known, 1 << PROC_SCHED_NR_MIGRATIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_milliseconds_and_nanoseconds),
		cmocka_unit_test(times_below_zero_are_told_apart_from_nonsense),
		cmocka_unit_test(every_key_is_found_behind_its_last_dot),
		cmocka_unit_test(keys_that_only_end_alike_are_others),
		cmocka_unit_test(the_switch_of_sched_ext_is_a_flag),
		cmocka_unit_test(negative_times_are_counted_and_not_known),
		cmocka_unit_test(a_thread_cannot_write_lines_by_its_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
