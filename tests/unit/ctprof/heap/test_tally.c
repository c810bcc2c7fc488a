// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/heap/heap.h"

#include "unit.h"

static void a_success_counts_twice_for_a_process_and_once_for_a_thread(void **state UNUSED)
{
	struct ctprof_heap_tally t = { 0 };

	ctprof_heap_tally_attached(&t);
	ctprof_heap_tally_attached(&t);
	ctprof_heap_tally_read(&t);
	assert_true(t.tgids_walked == 2 && t.jemalloc_detected == 2 && t.probed_ok == 1);
	assert_true(t.failed == 0);
	assert_null(ctprof_heap_tally_dominant(&t));
	assert_false(ctprof_heap_tally_is_denied(&t));
}

static void two_attach_errors_are_not_failures_unless_permission_was_denied(void **state UNUSED)
{
	struct ctprof_heap_tally t = { 0 };

	assert_false(ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_JEMALLOC_NOT_FOUND, 0));
	assert_false(ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_READLINK_FAILURE, ENOENT));
	assert_false(ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_READLINK_FAILURE, 0));
	assert_true(t.failed == 0 && t.tgids_walked == 3 && t.jemalloc_detected == 0);
	assert_null(ctprof_heap_tally_dominant(&t));
	assert_true(ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_READLINK_FAILURE, EACCES));
	assert_true(ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_JEMALLOC_NOT_FOUND, EPERM));
	assert_true(ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_READLINK_FAILURE, EPERM));
	assert_true(t.failed == 3 && t.tgids_walked == 6);
	/* Only the three that failed have a say. */
	assert_string_equal(ctprof_heap_tally_dominant(&t), "readlink-failure");
	assert_true(ctprof_heap_tally_is_denied(&t));
}

static void every_other_tag_is_a_failure(void **state UNUSED)
{
	static const enum probe_attach_error_kind kinds[] = { PROBE_ATTACH_PID_MISSING,
							      PROBE_ATTACH_MAPS_READ_FAILURE,
							      PROBE_ATTACH_JEMALLOC_IN_DSO,
							      PROBE_ATTACH_ARCH_MISMATCH,
							      PROBE_ATTACH_DWARF_PARSE_FAILURE };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct ctprof_heap_tally t = { 0 };

		assert_true(ctprof_heap_tally_not_attached(&t, kinds[i], 0));
		assert_true(t.failed == 1 && t.tgids_walked == 1);
		assert_string_equal(ctprof_heap_tally_dominant(&t),
				    probe_attach_error_domain.kinds[kinds[i]].tag);
		assert_false(ctprof_heap_tally_is_denied(&t));
	}
}

static void a_panic_is_a_failure_with_its_own_tag(void **state UNUSED)
{
	struct ctprof_heap_tally t = { 0 };

	ctprof_heap_tally_panic(&t);
	assert_true(t.failed == 1 && t.tgids_walked == 1);
	assert_string_equal(ctprof_heap_tally_dominant(&t), "worker-panic");
}

static void the_most_frequent_tag_dominates_and_the_alphabet_breaks_ties(void **state UNUSED)
{
	struct ctprof_heap_tally t = { 0 };

	ctprof_heap_tally_not_read(&t, PROBE_THREAD_PTRACE_SEIZE, EPERM);
	ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_DWARF_PARSE_FAILURE, 0);
	assert_string_equal(ctprof_heap_tally_dominant(&t), "dwarf-parse-failure");
	ctprof_heap_tally_not_read(&t, PROBE_THREAD_PTRACE_SEIZE, EPERM);
	assert_string_equal(ctprof_heap_tally_dominant(&t), "ptrace-seize");
	ctprof_heap_tally_panic(&t);
	ctprof_heap_tally_panic(&t);
	assert_string_equal(ctprof_heap_tally_dominant(&t), "ptrace-seize");
	ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_ARCH_MISMATCH, 0);
	ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_ARCH_MISMATCH, 0);
	assert_string_equal(ctprof_heap_tally_dominant(&t), "arch-mismatch");
	ctprof_heap_tally_panic(&t);
	assert_string_equal(ctprof_heap_tally_dominant(&t), "worker-panic");
}

static void denied_reads_dominate_from_half_of_the_failures(void **state UNUSED)
{
	struct ctprof_heap_tally t = { 0 };

	ctprof_heap_tally_not_read(&t, PROBE_THREAD_PTRACE_SEIZE, ESRCH);
	ctprof_heap_tally_not_read(&t, PROBE_THREAD_WAITPID, 0);
	assert_true(ctprof_heap_tally_is_denied(&t));
	ctprof_heap_tally_not_read(&t, PROBE_THREAD_WAITPID, 0);
	assert_false(ctprof_heap_tally_is_denied(&t));
	ctprof_heap_tally_not_read(&t, PROBE_THREAD_PTRACE_INTERRUPT, 0);
	assert_true(ctprof_heap_tally_is_denied(&t));
}

static void permission_errors_count_as_denied_whatever_their_tag(void **state UNUSED)
{
	struct ctprof_heap_tally t = { 0 };

	ctprof_heap_tally_not_read(&t, PROBE_THREAD_PROCESS_VM_READV, EPERM);
	ctprof_heap_tally_not_read(&t, PROBE_THREAD_PROCESS_VM_READV, EFAULT);
	assert_true(ctprof_heap_tally_is_denied(&t));
	ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_MAPS_READ_FAILURE, EACCES);
	ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_MAPS_READ_FAILURE, ENOENT);
	assert_true(ctprof_heap_tally_is_denied(&t));
	ctprof_heap_tally_not_attached(&t, PROBE_ATTACH_MAPS_READ_FAILURE, ENOENT);
	assert_false(ctprof_heap_tally_is_denied(&t));
}

static void the_probe_summary_has_all_counts(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct ctprof_heap_tally t = { 0 };

	ctprof_snapshot_init(&s);
	ctprof_heap_tally_summarise(&t, &s);
	assert_true(s.probe.known && s.probe.failed == 0);
	assert_int_equal(s.probe.dominant_failure, 0);
	ctprof_heap_tally_attached(&t);
	ctprof_heap_tally_read(&t);
	ctprof_heap_tally_not_read(&t, PROBE_THREAD_PROCESS_VM_READV, EPERM);
	s.seen_processes = 5; /* four of them ended or were filtered out */
	ctprof_heap_tally_summarise(&t, &s);
	assert_true(s.probe.tgids_walked == 5 && s.probe.jemalloc_detected == 1);
	assert_true(s.probe.probed_ok == 1 && s.probe.failed == 1);
	assert_string_equal(intern_text(&s.strings, s.probe.dominant_failure), "process-vm-readv");
	assert_true(s.probe.privilege_dominant);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_success_counts_twice_for_a_process_and_once_for_a_thread),
		cmocka_unit_test(two_attach_errors_are_not_failures_unless_permission_was_denied),
		cmocka_unit_test(every_other_tag_is_a_failure),
		cmocka_unit_test(a_panic_is_a_failure_with_its_own_tag),
		cmocka_unit_test(the_most_frequent_tag_dominates_and_the_alphabet_breaks_ties),
		cmocka_unit_test(denied_reads_dominate_from_half_of_the_failures),
		cmocka_unit_test(permission_errors_count_as_denied_whatever_their_tag),
		cmocka_unit_test(the_probe_summary_has_all_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
