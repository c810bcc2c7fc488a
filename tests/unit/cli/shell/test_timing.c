// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include "base/macros.h"
#include "unit.h"

static void each_part_lasts_from_mark_to_mark(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct timing timing;

	timing_begin(&timing, 1000000);
	timing_mark(&timing, "kernel", 1300000);
	timing_mark(&timing, "QEMU", 42300000);
	timing_format(&timing, &s);
	assert_string_equal(strbuf_str(&s), "kernel 0.3, QEMU 41.0; 41.3 ms in all");
}

static void too_many_parts_lose_no_time(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct timing timing;

	timing_begin(&timing, 0);
	for (uint64_t i = 1; i <= TIMING_LIMIT + 3; i++)
		timing_mark(&timing, "part", i * 1000000);
	assert_int_equal(timing.n, TIMING_LIMIT);
	timing_format(&timing, &s);
	assert_contains(strbuf_str(&s), "part 4.0; 15.0 ms in all");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_lasts_from_mark_to_mark),
		cmocka_unit_test(too_many_parts_lose_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
