// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/record.h"

#include "files.h"

#define PSI(members) "{\"captured_at_unix_ns\":1,\"threads\":[],\"psi\":{" members "}}"

static void some_and_full_pressure_may_be_missing_separately(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s, back = { 0 };
	_cleanup_free_ char *json = NULL;

	fill_snapshot(&s);
	/* What a kernel does: no full of the CPU before 5.13, only full of interrupts. */
	s.pressure.resources[PROCFS_PRESSURE_CPU].half[PROCFS_PRESSURE_FULL] =
		(struct procfs_pressure_half){ 0 };
	s.pressure.resources[PROCFS_PRESSURE_IRQ].half[PROCFS_PRESSURE_SOME] =
		(struct procfs_pressure_half){ 0 };
	s.pressure.resources[PROCFS_PRESSURE_IO] = (struct procfs_pressure_file){ 0 };
	json = snapshot_json(&s);
	assert_success(load_json(json, &back));
	assert_true(back.pressure.resources[PROCFS_PRESSURE_CPU].known);
	assert_true(back.pressure.resources[PROCFS_PRESSURE_CPU].half[PROCFS_PRESSURE_SOME].known);
	assert_false(back.pressure.resources[PROCFS_PRESSURE_CPU].half[PROCFS_PRESSURE_FULL].known);
	assert_false(back.pressure.resources[PROCFS_PRESSURE_IRQ].half[PROCFS_PRESSURE_SOME].known);
	assert_true(back.pressure.resources[PROCFS_PRESSURE_IRQ].half[PROCFS_PRESSURE_FULL].known);
	assert_false(back.pressure.resources[PROCFS_PRESSURE_IO].known);
	assert_true(back.pressure.resources[PROCFS_PRESSURE_MEMORY].known);
}

static void pressure_without_known_flags_counts_as_measured(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	assert_success(
		load_json(PSI("\"cpu\":{\"some\":{\"avg10\":150,\"avg60\":10099,\"avg300\":65535,"
			      "\"total_usec\":5},\"full\":{\"avg10\":0,\"avg60\":0,\"avg300\":0,"
			      "\"total_usec\":0}}"),
			  &s));
	assert_true(s.pressure.resources[PROCFS_PRESSURE_CPU].known);
	assert_int_equal(s.pressure.resources[PROCFS_PRESSURE_CPU].half[PROCFS_PRESSURE_SOME].avg60,
			 10099);
	assert_true(s.pressure.resources[PROCFS_PRESSURE_CPU].half[PROCFS_PRESSURE_FULL].known);
	assert_false(s.pressure.resources[PROCFS_PRESSURE_MEMORY].known);
}

static void members_of_a_wrong_type_are_refused_with_their_path(void **state UNUSED)
{
	assert_refused(PSI("\"cpu\":[]"), "psi.cpu: expected an object");
	assert_refused(PSI("\"cpu\":{\"some\":5}"), "psi.cpu.some: expected an object");
	assert_refused(PSI("\"cpu\":{\"some\":{\"avg10\":65536}}"),
		       "psi.cpu.some.avg10: 65536 is not a whole number from 0 to 65535");
	assert_refused(PSI("\"cpu\":{\"full\":{\"total_usec\":\"\"}}"),
		       "psi.cpu.full.total_usec: expected a number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(some_and_full_pressure_may_be_missing_separately),
		cmocka_unit_test(pressure_without_known_flags_counts_as_measured),
		cmocka_unit_test(members_of_a_wrong_type_are_refused_with_their_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
