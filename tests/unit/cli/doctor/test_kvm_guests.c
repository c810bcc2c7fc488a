// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/kvm_guests.h"

#include "unit.h"

static void a_build_without_guests_says_so(void **state UNUSED)
{
	struct error *(*const steps[])(struct strbuf *) = { kvm_guests_boot, kvm_guests_topology,
							    kvm_guests_clones };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;
		_cleanup_error_ struct error *err = steps[i](&notes);

		assert_non_null(err);
		assert_contains(error_message(err), "starts no guests");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_build_without_guests_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
