// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include "unit.h"

/* Wire words: scripts look for them. Written out here, not derived. */
static const char *const words[] = {
	"pid-missing",
	"readlink-failure",
	"maps-read-failure",
	"jemalloc-not-found",
	"jemalloc-in-dso",
	"arch-mismatch",
	"dwarf-parse-failure",
	"exe-identity-changed",
	"self-probe-rejected",
	"tid-enumeration-failure",
	"other",
};

static void the_vocabulary_is_exactly_this(void **state UNUSED)
{
#define TAG_(id, tag, meaning) tag,
	static const char *const all[] = { FATAL_ALL(TAG_) };

	assert_int_equal(ARRAY_SIZE(all), ARRAY_SIZE(words));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_string_equal(all[i], words[i]);
}

static void attach_errors_keep_their_tag(void **state UNUSED)
{
	for (int kind = 0; kind < PROBE_ATTACH_N_ERROR_KINDS; kind++) {
		_cleanup_error_ struct error *err = probe_attach_error(
			(enum probe_attach_error_kind)kind, 0, "x");

		assert_string_equal(fatal_tag(err), words[kind]);
	}
}

static void own_kinds_keep_their_tag_under_context(void **state UNUSED)
{
	_cleanup_error_ struct error *err = error_wrap(
		probe_attach_error(PROBE_ATTACH_EXE_IDENTITY_CHANGED, 0, "x"), "context");

	assert_string_equal(fatal_tag(err), "exe-identity-changed");
}

static void everything_else_is_other(void **state UNUSED)
{
	_cleanup_error_ struct error *io = base_error(BASE_IO, EIO, "x");
	_cleanup_error_ struct error *thread = probe_thread_error(PROBE_THREAD_WAITPID, 0, "x");

	assert_string_equal(fatal_tag(io), "other");
	assert_string_equal(fatal_tag(thread), "other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vocabulary_is_exactly_this),
		cmocka_unit_test(attach_errors_keep_their_tag),
		cmocka_unit_test(own_kinds_keep_their_tag_under_context),
		cmocka_unit_test(everything_else_is_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
