// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kernel.h"

#include "unit.h"

static void only_usable_kernels_pass_for_sched_ext(void **state UNUSED)
{
	char id[] = "6.0.0", reason[] = "3 functions leak";
	struct kernel kernel = { .id = id, .scx = KERNEL_SCX_USABLE };
	struct error *err;

	assert_success(kernel_require_scx(&kernel));
	kernel.scx_reason = reason;
	for (int i = 0; i < KERNEL_N_SCX; i++) {
		kernel.scx = (enum kernel_scx)i;
		if (i == KERNEL_SCX_USABLE)
			continue;
		err = kernel_require_scx(&kernel);
		assert_non_null(err);
		assert_string_equal(error_tag(err), "kernel-no-sched-ext");
		assert_string_equal(error_message(err),
				    "kernel 6.0.0 cannot be used for sched_ext: 3 functions leak");
		error_free(err);
	}
}

static void freeing_nothing_does_not_crash(void **state UNUSED)
{
	kernel_free(NULL);
}

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
		cmocka_unit_test(only_usable_kernels_pass_for_sched_ext),
		cmocka_unit_test(freeing_nothing_does_not_crash),
		cmocka_unit_test(lines_reach_whoever_listens),
		cmocka_unit_test(nobody_needs_to_listen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
