// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/watch.h"

#include "unit.h"

static char heard[2048];

static void hear(void *context, const char *line)
{
	assert_ptr_equal(context, heard);
	snprintf(heard, sizeof(heard), "%s", line);
}

static void lines_reach_whoever_listens(void **state UNUSED)
{
	struct kernel_watch watch = { .say = hear, .context = heard };

	kernel_say(&watch, "%d of %s", 3, "four");
	assert_string_equal(heard, "3 of four");
	kernel_say(&watch, "%2000d", 1);
	assert_int_equal(strlen(heard), 1023);
}

static void nobody_needs_to_listen(void **state UNUSED)
{
	struct kernel_watch deaf = { 0 };

	strcpy(heard, "before");
	kernel_say(NULL, "x");
	kernel_say(&deaf, "x");
	assert_string_equal(heard, "before");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_reach_whoever_listens),
		cmocka_unit_test(nobody_needs_to_listen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
