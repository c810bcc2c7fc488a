// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/state.h"

#include "jemalloc_target.h"
#include "staged_proc.h"

static struct error *attach(const struct target *target, const char *object, struct probe **ret)
{
	struct probe_options options = { .object = object };

	return probe_attach(target->pid, &options, ret);
}

static void assert_used_is_read(const char *preload, const char *used, const char *unused)
{
	const struct probe_other *others;
	struct probe *probe = NULL;
	struct target target = target_with_library(preload);

	target_ask(&target, "on 0 alloc 5000");
	assert_success(attach(&target, NULL, &probe));
	assert_string_equal(probe_facts(probe).object_path, used);
	assert_string_equal(probe_facts(probe).offsets_source, used);
	others = probe_facts(probe).others;
	assert_int_equal(probe_facts(probe).n_others, 1);
	assert_string_equal(others[0].path, unused);
	assert_int_equal(others[0].use, PROBE_USE_NONE);
	assert_null(others[0].unread);
	probe_free(probe);
	/* Asked for by its path, the other is read. */
	probe = NULL;
	assert_success(attach(&target, unused, &probe));
	assert_string_equal(probe_facts(probe).object_path, unused);
	others = probe_facts(probe).others;
	assert_int_equal(others[0].use, PROBE_USE_SOME);
	probe_free(probe);
	target_end(&target);
}

/* Nobody asks the prefixed one. Whichever is found first must not matter: both orders. */
static void the_jemalloc_in_use_is_read_and_the_other_named(void **state UNUSED)
{
	const char *found = jemalloc_library("prefixed/lib/libjemalloc.so.2");
	_cleanup_free_ char *unused = NULL, *used = NULL, *first = NULL, *last = NULL;

	skip_unless(found, "needs the jemalloc that set-up builds");
	unused = xstrdup(found);
	used = xstrdup(jemalloc_library("default/lib/libjemalloc.so.2"));
	first = xasprintf("%s:%s", unused, used);
	last = xasprintf("%s:%s", used, unused);
	assert_used_is_read(first, used, unused);
	assert_used_is_read(last, used, unused);
}

static void an_object_name_that_matches_nothing_is_reported(void **state UNUSED)
{
	const char *library = jemalloc_library("default/lib/libjemalloc.so.2");
	_cleanup_error_ struct error *err = NULL;
	struct probe *probe = NULL;
	struct target target;

	skip_unless(library, "needs the jemalloc that set-up builds");
	target = target_with_library(library);
	err = attach(&target, "libother.so", &probe);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "jemalloc-not-found");
	assert_contains(error_message(err), "libother.so");
	assert_contains(error_message(err), library);
	target_end(&target);
}

/* Short for people; which files were tried is another matter. */
static void what_was_tried_goes_to_the_details(void **state UNUSED)
{
	const char *library = jemalloc_library("debian/usr/lib/*/libjemalloc.so.2");
	_cleanup_strbuf_ struct strbuf details = STRBUF_INIT;
	struct probe_options options = { .details = &details };
	struct probe *probe = NULL;
	struct target target;

	skip_unless(library, "needs the library that set-up unpacks");
	target = target_with_library(library);
	target_ask(&target, "on 0 alloc 5000");
	assert_success(probe_attach(target.pid, &options, &probe));
	assert_contains(strbuf_str(&details), library);
	assert_contains(probe_facts(probe).offsets_source, "layout table");
	assert_contains(probe_facts(probe).offsets_source, "Debian");
	probe_free(probe);
	target_end(&target);
}

/* Not the same as a program without jemalloc: nobody could look into the file. */
static void an_unreadable_deleted_library_leaves_jemalloc_unknown(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();
	struct probe_options options = { .proc_root = staged.root };
	_cleanup_free_ char *maps = xasprintf(
		"5583e6f7a000-5583e6f7b000 r-xp 00000000 fe:00 1 %s\n"
		"7f0000000000-7f0000001000 r-xp 00000000 fe:00 2 /usr/lib/libgone.so.2 (deleted)\n",
		target_path("KTSTR_TARGET"));
	_cleanup_error_ struct error *err = NULL;
	struct probe *probe = NULL;

	staged_link(&staged, "exe", target_path("KTSTR_TARGET"));
	staged_link(&staged, "root", "/");
	staged_text(&staged, "maps", maps);
	err = probe_attach(STAGED_PID, &options, &probe);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "dwarf-parse-failure");
	assert_contains(error_message(err), "/usr/lib/libgone.so.2 was removed or replaced");
	staged_proc_remove(&staged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_jemalloc_in_use_is_read_and_the_other_named),
		cmocka_unit_test(an_object_name_that_matches_nothing_is_reported),
		cmocka_unit_test(what_was_tried_goes_to_the_details),
		cmocka_unit_test(an_unreadable_deleted_library_leaves_jemalloc_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
