// SPDX-License-Identifier: GPL-2.0-or-later
/* Guests themselves are started by the tests of the machine; here there is nothing to boot. */
#include "cli/doctor/doctor.h"

#include "machine.h"

static void without_a_kernel_each_step_says_so(void **state)
{
	struct error *(*const steps[])(enum vm_accel_wish, struct strbuf *) = {
		kvm_guests_boot,
		kvm_guests_topology,
		kvm_guests_clones,
	};
	struct machine *m = *state;

	setenv("KTSTR_CACHE_DIR", m->root, 1);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;

		assert_error_tag(steps[i](VM_ACCEL_WISH_TCG, &notes), "kernel-not-cached");
		assert_int_equal(notes.n, 0);
	}
	unsetenv("KTSTR_CACHE_DIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_MACHINE(without_a_kernel_each_step_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
