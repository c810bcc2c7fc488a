// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/cgroup.h"

#include <ctype.h>

#include "staged_root.h"

static struct procfs_pressure_file parse(const char *text)
{
	struct procfs_pressure_file file;

	procfs_pressure_file_parse(text, strlen(text), &file);
	return file;
}

static void both_lines_of_the_kernel_are_read(void **state UNUSED)
{
	struct procfs_pressure_file file = parse(
		"some avg10=1.53 avg60=0.87 avg300=12.00 total=18446744073709551615\n"
		"full avg10=0.00 avg60=0.01 avg300=100.99 total=7\n");

	assert_true(file.known && file.half[PROCFS_PRESSURE_SOME].known &&
		    file.half[PROCFS_PRESSURE_FULL].known);
	assert_int_equal(file.half[PROCFS_PRESSURE_SOME].avg10, 153);
	assert_int_equal(file.half[PROCFS_PRESSURE_SOME].avg60, 87);
	assert_int_equal(file.half[PROCFS_PRESSURE_SOME].avg300, 1200);
	assert_true(file.half[PROCFS_PRESSURE_SOME].total_usec == UINT64_MAX);
	assert_int_equal(file.half[PROCFS_PRESSURE_FULL].avg10, 0);
	assert_int_equal(file.half[PROCFS_PRESSURE_FULL].avg60, 1);
	/* The kernel's averaging can go a little beyond 100. */
	assert_int_equal(file.half[PROCFS_PRESSURE_FULL].avg300, 10099);
	assert_true(file.half[PROCFS_PRESSURE_FULL].total_usec == 7);
}

static void a_line_that_is_not_there_is_unknown_and_not_zero(void **state UNUSED)
{
	/* irq.pressure has only full; cpu had only some before Linux 5.13. */
	struct procfs_pressure_file file = parse(
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");

	assert_true(file.half[PROCFS_PRESSURE_FULL].known);
	assert_false(file.half[PROCFS_PRESSURE_SOME].known);
	file = parse("");
	assert_true(file.known);
	assert_false(file.half[PROCFS_PRESSURE_SOME].known ||
		     file.half[PROCFS_PRESSURE_FULL].known);
}

static uint16_t hundredths(const char *percent)
{
	_cleanup_free_ char *line = xasprintf("some avg10=%s\n", percent);

	return parse(line).half[PROCFS_PRESSURE_SOME].avg10;
}

static void percent_becomes_hundredths(void **state UNUSED)
{
	static const struct {
		const char *text;
		unsigned int value;
	} rows[] = {
		{ "1.5", 150 },	     { "1.501", 150 },	  { "100.00", 10000 },
		{ "x", 0 },	     { "", 0 },		  { ".5", 0 },
		{ "1.x", 0 },	     { "1x", 0 },	  { "-1.00", 0 },
		{ "0.09", 9 },	     { "3", 300 },	  { "3.", 300 },
		{ "655.34", 65534 }, { "655.35", 65535 }, { "655.36", 65535 },
		{ "656.00", 65535 }, { "1e3", 0 },	  { "99999999999999999999999.1", 65535 },
		{ "1.5.0", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(hundredths(rows[i].text), rows[i].value);
}

static void unknown_words_of_a_pressure_file_are_skipped(void **state UNUSED)
{
	struct procfs_pressure_file file = parse(
		"somewhat avg10=9.00\n"
		"most avg10=9.00\n"
		"some news avg10=1.00 avg900=4.00 avg60 =3 total=x\n"
		"\n"
		"  full\tavg10=2.00  total=5");

	assert_true(file.half[PROCFS_PRESSURE_SOME].known && file.half[PROCFS_PRESSURE_FULL].known);
	assert_int_equal(file.half[PROCFS_PRESSURE_SOME].avg10, 100);
	assert_int_equal(file.half[PROCFS_PRESSURE_SOME].avg60, 0);
	assert_true(file.half[PROCFS_PRESSURE_SOME].total_usec == 0);
	assert_int_equal(file.half[PROCFS_PRESSURE_FULL].avg10, 200);
	assert_true(file.half[PROCFS_PRESSURE_FULL].total_usec == 5);
}

static void each_pressure_file_is_known_separately(void **state UNUSED)
{
	static const char some[] = "some avg10=1.00 avg60=2.00 avg300=3.00 total=4\n";
	char *root = staged_root_new();
	_cleanup_free_ char *host = xasprintf("%s/proc/pressure", root);
	_cleanup_free_ char *group = xasprintf("%s/group", root);
	_cleanup_free_ char *nowhere = xasprintf("%s/nowhere", root);
	struct procfs_pressure p;

	staged_file(root, "/proc/pressure/cpu", some, sizeof(some) - 1);
	staged_file(root, "/proc/pressure/memory", "", 0);
	staged_file(root, "/group/io.pressure", some, sizeof(some) - 1);
	staged_file(root, "/group/io", some, 0);
	procfs_pressure_read(host, "", &p);
	assert_true(p.resources[PROCFS_PRESSURE_CPU].known &&
		    p.resources[PROCFS_PRESSURE_MEMORY].known);
	assert_true(p.resources[PROCFS_PRESSURE_CPU].half[PROCFS_PRESSURE_SOME].total_usec == 4);
	assert_false(p.resources[PROCFS_PRESSURE_MEMORY].half[PROCFS_PRESSURE_SOME].known);
	assert_false(p.resources[PROCFS_PRESSURE_IO].known ||
		     p.resources[PROCFS_PRESSURE_IRQ].known);
	procfs_pressure_read(group, ".pressure", &p);
	assert_false(p.resources[PROCFS_PRESSURE_CPU].known);
	assert_int_equal(p.resources[PROCFS_PRESSURE_IO].half[PROCFS_PRESSURE_SOME].avg300, 300);
	procfs_pressure_read(nowhere, "", &p);
	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES; i++)
		assert_false(p.resources[i].known);
	staged_root_free(root);
}

static void pressure_of_this_machine_matches_its_file(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = io_read_file("/proc/pressure/memory", 4096, &text);
	bool absent = err != NULL;
	unsigned long long before = 0, after = 0;
	struct procfs_pressure p;

	error_free(err);
	skip_unless(!absent, "this kernel has no pressure accounting");
	assert_int_equal(sscanf(strstr(text.at, "total="), "total=%llu", &before), 1);
	procfs_pressure_read("/proc/pressure", "", &p);
	strbuf_clear(&text);
	assert_success(io_read_file("/proc/pressure/memory", 4096, &text));
	assert_int_equal(sscanf(strstr(text.at, "total="), "total=%llu", &after), 1);
	assert_true(p.resources[PROCFS_PRESSURE_MEMORY].half[PROCFS_PRESSURE_SOME].total_usec >=
		    before);
	assert_true(p.resources[PROCFS_PRESSURE_MEMORY].half[PROCFS_PRESSURE_SOME].total_usec <=
		    after);
}

#define DIR_ "/sys/kernel/sched_ext/"

static void put(const char *root, const char *path, const char *text)
{
	staged_file(root, path, text, strlen(text));
}

static void a_loaded_scheduler_has_a_name_and_events(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_intern_ struct intern names;
	struct procfs_sched_ext scx;

	intern_init(&names);
	put(root, DIR_ "state", "enabled\n");
	put(root, DIR_ "switch_all", "1\n");
	put(root, DIR_ "nr_rejected", "3\n");
	put(root, DIR_ "hotplug_seq", "12\n");
	put(root, DIR_ "enable_seq", "18446744073709551615\n");
	put(root, DIR_ "root/ops", "simple_1.0\n");
	put(root, DIR_ "root/events",
	    "SCX_EV_SELECT_CPU_FALLBACK 5\nSCX_EV_DISPATCH_KEEP_LAST 0\n");
	procfs_sched_ext_read(root, &names, &scx);
	assert_true(scx.known);
	assert_string_equal(intern_text(&names, scx.state), "enabled");
	assert_string_equal(intern_text(&names, scx.ops), "simple_1.0");
	assert_true(scx.switch_all.value == 1 && scx.nr_rejected.value == 3);
	assert_true(scx.hotplug_seq.value == 12 && scx.enable_seq.value == UINT64_MAX);
	assert_true(scx.events.known && scx.events.rows.n == 2);
	assert_string_equal(intern_text(&names, scx.events.rows.at[0].name),
			    "SCX_EV_SELECT_CPU_FALLBACK");
	assert_true(scx.events.rows.at[0].value == 5);
	assert_true(scx.events.rows.at[1].value == 0);
	procfs_sched_ext_deinit(&scx);
	staged_root_free(root);
}

static void without_a_scheduler_there_is_only_the_state(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_intern_ struct intern names;
	struct procfs_sched_ext scx;

	intern_init(&names);
	put(root, DIR_ "state", " disabled \n");
	put(root, DIR_ "switch_all", "0\n");
	put(root, DIR_ "nr_rejected", "many\n");
	procfs_sched_ext_read(root, &names, &scx);
	assert_true(scx.known);
	assert_string_equal(intern_text(&names, scx.state), "disabled");
	assert_true(scx.switch_all.known && scx.switch_all.value == 0);
	assert_false(scx.nr_rejected.known || scx.hotplug_seq.known || scx.enable_seq.known);
	assert_int_equal(scx.ops, 0);
	assert_false(scx.events.known);
	procfs_sched_ext_deinit(&scx);
	staged_root_free(root);
}

static void missing_sched_ext_differs_from_disabled(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_intern_ struct intern names;
	struct procfs_sched_ext scx;

	intern_init(&names);
	procfs_sched_ext_read(root, &names, &scx);
	assert_false(scx.known);
	assert_int_equal(scx.state, 0);
	procfs_sched_ext_deinit(&scx);
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_lines_of_the_kernel_are_read),
		cmocka_unit_test(a_line_that_is_not_there_is_unknown_and_not_zero),
		cmocka_unit_test(percent_becomes_hundredths),
		cmocka_unit_test(unknown_words_of_a_pressure_file_are_skipped),
		cmocka_unit_test(each_pressure_file_is_known_separately),
		cmocka_unit_test(pressure_of_this_machine_matches_its_file),
		cmocka_unit_test(a_loaded_scheduler_has_a_name_and_events),
		cmocka_unit_test(without_a_scheduler_there_is_only_the_state),
		cmocka_unit_test(missing_sched_ext_differs_from_disabled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
