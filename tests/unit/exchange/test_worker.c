// SPDX-License-Identifier: GPL-2.0-or-later
#include "exchange/worker.h"

#include "unit.h"

static void ends_say_what_a_worker_can_be_judged_by(void **state UNUSED)
{
	static const struct {
		const char *end;
		bool never_started, killed, to_the_end;
	} cases[] = {
		{ "never-started", true, false, false }, { "finished", false, false, true },
		{ "killed", false, true, true },	 { "stuck", false, true, true },
		{ "exited 3", false, false, false },	 { "signalled 9", false, false, false },
		{ "lost", false, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct exchange_worker w = { .end = (char *)(uintptr_t)cases[i].end };

		assert_int_equal(exchange_worker_never_started(&w), cases[i].never_started);
		assert_int_equal(exchange_worker_was_killed(&w), cases[i].killed);
		assert_int_equal(exchange_worker_worked_to_the_end(&w), cases[i].to_the_end);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_say_what_a_worker_can_be_judged_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
