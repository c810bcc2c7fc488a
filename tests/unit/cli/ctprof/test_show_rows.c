// SPDX-License-Identifier: GPL-2.0-or-later
#include "made_profile.h"

static void assert_rows(struct made *m, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	made_show(m);
	show_format_rows(&m->profile, &(struct table_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text), expected);
	made_end(m);
}

static void fill(struct made *m)
{
	struct cgroup_stats *stats;

	made_begin(m);
	m->options.rules.axis = GROUP_AXIS_CGROUP;
	stats = add_cgroup(&m->snapshot, "/s/db.scope");
	stats->cpu_usage_usec = (struct reading){ true, false, 1500 };
	add_named(&m->snapshot, &stats->memory_stat, "anon", 4096);
	add_named(&m->snapshot, &stats->memory_stat, "file", 0);
	stats = add_cgroup(&m->snapshot, "/s/web@1.service");
	add_named(&m->snapshot, &stats->memory_stat, "anon", 1024);
	m->snapshot.pressure.resources[PRESSURE_CPU] = (struct pressure_file){
		true, .half[PRESSURE_SOME] = { true, 0, 250, 0, 9 }
	};
}

static void sections_follow_each_other_and_leave_nothing_out_but_zeros(void **state UNUSED)
{
	struct made m;

	fill(&m);
	assert_rows(&m, "\n## Cgroup statistics\n"
			"CGROUP       cpu_usage_usec\n"
			"/s/db.scope         1.500ms\n"
			"\n## memory.stat\n"
			"  NAME     VALUE\n"
			"/s/db.scope\n"
			"  anon  4.000KiB\n"
			"/s/web@{I}.service\n"
			"  anon  1.000KiB\n"
			"\n## Host pressure\n"
			"NAME                 VALUE\n"
			"cpu.some.avg60       2.50%\n"
			"cpu.some.total_usec    9µs\n");
}

static void everything_includes_what_is_0_or_absent(void **state UNUSED)
{
	struct made m;

	fill(&m);
	m.options.everything = true;
	assert_success(spec_parse_sections("memory-stat,memory-events", &m.options.sections));
	assert_rows(&m, "\n## memory.stat\n"
			"  NAME     VALUE\n"
			"/s/db.scope\n"
			"  anon  4.000KiB\n"
			"  file        0B\n"
			"/s/web@{I}.service\n"
			"  anon  1.000KiB\n");
}

static void every_row_of_a_short_section_when_asked_for(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	fill(&m);
	m.options.everything = true;
	assert_success(spec_parse_sections("cgroup-limits", &m.options.sections));
	made_show(&m);
	show_format_rows(&m.profile, &(struct table_look){ 0 }, &text);
	assert_contains(strbuf_str(&text), "\n/s/db.scope\n  cpu.max                    -\n");
	/* What stands in one cell for people is not told twice. */
	assert_null(strstr(strbuf_str(&text), "quota_us"));
	made_end(&m);
}

static void nothing_to_say_is_silence(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	assert_rows(&m, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_follow_each_other_and_leave_nothing_out_but_zeros),
		cmocka_unit_test(everything_includes_what_is_0_or_absent),
		cmocka_unit_test(every_row_of_a_short_section_when_asked_for),
		cmocka_unit_test(nothing_to_say_is_silence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
