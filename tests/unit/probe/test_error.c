// SPDX-License-Identifier: GPL-2.0-or-later
/* The tags are wire words: other programs compare them byte by byte. */
#include "probe/error.h"

#include "unit.h"

static void assert_tags(const struct error_domain *domain, const char *const *tags, size_t n)
{
	assert_int_equal(domain->n_kinds, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(domain->kinds[i].tag, tags[i]);
		assert_true(strlen(domain->kinds[i].meaning) > 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(tags[k], tags[i]);
	}
}

static void attach_tags_are_the_wire_words(void **state UNUSED)
{
	static const char *const tags[] = {
		[ATTACH_PID_MISSING] = "pid-missing",
		[ATTACH_READLINK_FAILURE] = "readlink-failure",
		[ATTACH_MAPS_READ_FAILURE] = "maps-read-failure",
		[ATTACH_JEMALLOC_NOT_FOUND] = "jemalloc-not-found",
		[ATTACH_JEMALLOC_IN_DSO] = "jemalloc-in-dso",
		[ATTACH_ARCH_MISMATCH] = "arch-mismatch",
		[ATTACH_DWARF_PARSE_FAILURE] = "dwarf-parse-failure",
		[ATTACH_EXE_IDENTITY_CHANGED] = "exe-identity-changed",
	};

	assert_tags(&attach_error_domain, tags, ARRAY_SIZE(tags));
}

static void thread_tags_are_the_wire_words(void **state UNUSED)
{
	static const char *const tags[] = {
		[THREAD_PTRACE_SEIZE] = "ptrace-seize",
		[THREAD_PTRACE_INTERRUPT] = "ptrace-interrupt",
		[THREAD_WAITPID] = "waitpid",
		[THREAD_GET_REGSET] = "get-regset",
		[THREAD_PROCESS_VM_READV] = "process-vm-readv",
		[THREAD_TLS_ARITHMETIC] = "tls-arithmetic",
		[THREAD_POINTER] = "thread-pointer",
	};

	assert_tags(&thread_error_domain, tags, ARRAY_SIZE(tags));
}

static void an_error_keeps_kind_and_errno(void **state UNUSED)
{
	_cleanup_error_ struct error *err = thread_error(THREAD_PTRACE_SEIZE, EPERM, "thread %d",
							 42);

	assert_true(error_is(err, &thread_error_domain, THREAD_PTRACE_SEIZE));
	assert_false(error_is(err, &attach_error_domain, THREAD_PTRACE_SEIZE));
	assert_int_equal(error_errno(err), EPERM);
	assert_string_equal(error_message(err), "thread 42: Operation not permitted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attach_tags_are_the_wire_words),
		cmocka_unit_test(thread_tags_are_the_wire_words),
		cmocka_unit_test(an_error_keeps_kind_and_errno),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
