// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/ready_marker.h"

#include "unit.h"

static void the_path_carries_the_pid(void **state UNUSED)
{
	char path[64];

	unsetenv(READY_MARKER_OVERRIDE_ENV);
	assert_true(ready_marker_path(4711, path, sizeof(path)));
	assert_string_equal(path, "/tmp/ktstr-worker-ready-4711");
}

static void a_filled_override_replaces_the_path(void **state UNUSED)
{
	char path[64];

	setenv("KTSTR_WORKER_READY_MARKER_OVERRIDE", "/run/here", 1);
	assert_true(ready_marker_path(4711, path, sizeof(path)));
	assert_string_equal(path, "/run/here");
	setenv("KTSTR_WORKER_READY_MARKER_OVERRIDE", "", 1);
	assert_true(ready_marker_path(4711, path, sizeof(path)));
	assert_string_equal(path, "/tmp/ktstr-worker-ready-4711");
}

static void a_path_that_does_not_fit_is_refused(void **state UNUSED)
{
	char path[64];
	/* The compiler must not see how small it is: it would warn of what is tried here. */
	volatile size_t room = 8;

	setenv("KTSTR_WORKER_READY_MARKER_OVERRIDE", "/1234567", 1);
	assert_false(ready_marker_path(1, path, room));
	setenv("KTSTR_WORKER_READY_MARKER_OVERRIDE", "/123456", 1);
	assert_true(ready_marker_path(1, path, room));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_path_carries_the_pid),
		cmocka_unit_test(a_filled_override_replaces_the_path),
		cmocka_unit_test(a_path_that_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
