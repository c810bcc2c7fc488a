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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_usable_kernels_pass_for_sched_ext),
		cmocka_unit_test(freeing_nothing_does_not_crash),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
