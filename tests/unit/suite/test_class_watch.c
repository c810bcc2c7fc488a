// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "base/alloc.h"
#include "suite/folder.h"
#include "suite/scenario.h"

/* As 6.18 prints it, cut short. */
static void write_sched(struct folder *folder, const char *enabled)
{
	_cleanup_free_ char *text = xasprintf("worker (41, #threads: 1)\n"
					      "-------------------------------------------\n"
					      "se.exec_start      :       1234.567890\n"
					      "policy             :                 0\n"
					      "prio               :               120\n"
					      "%s",
					      enabled);

	folder_write(folder, "41/sched", text);
}

#define EXT   "ext.enabled        :                 1\n"
#define OTHER "ext.enabled        :                 0\n"

static void cpu_time_belongs_to_the_class_at_both_ends(void **state UNUSED)
{
	struct suite_class_watch watch = { 0 };
	struct folder folder;

	folder_init(&folder);
	write_sched(&folder, EXT);
	suite_class_watch_sample(&watch, folder.path, 41, 100);
	suite_class_watch_sample(&watch, folder.path, 41, 400);
	write_sched(&folder, OTHER);
	suite_class_watch_sample(&watch, folder.path, 41, 1000);
	suite_class_watch_sample(&watch, folder.path, 41, 1050);
	assert_int_equal(watch.ext_samples, 2);
	assert_int_equal(watch.other_samples, 2);
	/* Of the 600 in between it is not known. */
	assert_int_equal(watch.ext_ns, 300);
	assert_int_equal(watch.other_ns, 50);
	folder_deinit(&folder);
}

static void what_cannot_be_read_is_not_known(void **state UNUSED)
{
	struct suite_class_watch watch = { 0 };
	struct folder folder;

	folder_init(&folder);
	suite_class_watch_sample(&watch, folder.path, 41, 100);
	write_sched(&folder, "");
	suite_class_watch_sample(&watch, folder.path, 41, 200);
	assert_int_equal(watch.ext_samples + watch.other_samples, 0);
	folder_deinit(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_time_belongs_to_the_class_at_both_ends),
		cmocka_unit_test(what_cannot_be_read_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
