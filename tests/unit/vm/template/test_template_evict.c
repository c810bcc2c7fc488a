// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/template/template.h"

#include <sys/file.h>
#include <time.h>

#include "templates.h"

enum { KIB = 1 << 10 };

static void the_limit_is_read_from_the_environment(void **state UNUSED)
{
	static const char *const odd[] = {
		"",
		"x",
		"5x",
		"-1",
		"-18446744073709551615",
		" 5",
		"+5",
		"1e3",
		"99999999999999999999",
		"17592186044416",
	};

	unsetenv("KTSTR_TEMPLATE_LIMIT_MB");
	assert_int_equal(vm_template_limit_bytes(), UINT64_C(8) << 30);
	setenv("KTSTR_TEMPLATE_LIMIT_MB", "100", 1);
	assert_int_equal(vm_template_limit_bytes(), 100 << 20);
	setenv("KTSTR_TEMPLATE_LIMIT_MB", "0", 1);
	assert_int_equal(vm_template_limit_bytes(), 0);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		setenv("KTSTR_TEMPLATE_LIMIT_MB", odd[i], 1);
		if (vm_template_limit_bytes() != UINT64_C(8) << 30)
			fail_msg("\"%s\" is a limit", odd[i]);
	}
	unsetenv("KTSTR_TEMPLATE_LIMIT_MB");
}

static void usage_is_what_the_disk_holds(void **state UNUSED)
{
	_cleanup_free_ char *ram = NULL;

	put_template("a", 256 * KIB);
	put_template("b", 256 * KIB);
	/* A hole is not on the disk. */
	ram = template_path("a", "/ram.0");
	assert_int_equal(truncate(ram, 1 << 30), 0);
	assert_success(vm_template_evict(600 * KIB, NULL));
	assert_true(template_has("a", "") && template_has("b", ""));
	assert_success(vm_template_evict(512 * KIB, NULL));
	assert_int_equal(template_has("a", "") + template_has("b", ""), 1);
}

static void the_longest_unused_goes_first(void **state UNUSED)
{
	put_template("a", 256 * KIB);
	put_template("b", 256 * KIB);
	put_template("c", 256 * KIB);
	make_older("a", 100);
	make_older("b", 300);
	make_older("c", 200);
	assert_success(vm_template_evict(1 << 20, NULL));
	assert_int_equal(count_entries(), 6);
	assert_success(vm_template_evict(700 * KIB, NULL));
	assert_false(template_has("b", "") || template_has("b", ".lock"));
	assert_success(vm_template_evict(400 * KIB, NULL));
	assert_false(template_has("c", ""));
	assert_true(template_has("a", ""));
	assert_success(vm_template_evict(0, NULL));
	assert_int_equal(count_entries(), 0);
}

static void a_used_template_is_not_evicted_first(void **state UNUSED)
{
	put_template("a", 256 * KIB);
	put_template("b", 256 * KIB);
	make_older("a", 300);
	make_older("b", 100);
	assert_true(can_open("a"));
	assert_success(vm_template_evict(400 * KIB, NULL));
	assert_true(template_has("a", ""));
	assert_false(template_has("b", ""));
}

static void templates_in_use_or_to_keep_are_not_evicted(void **state UNUSED)
{
	_cleanup_vm_template_ struct vm_template *used = NULL;
	_cleanup_free_ char *kept = vm_template_name("kept");

	put_template("used", 256 * KIB);
	put_template("kept", 256 * KIB);
	put_template("free", 256 * KIB);
	make_older("used", 300);
	make_older("kept", 300);
	assert_success(vm_template_open("used", &used));
	make_older("used", 300);
	assert_success(vm_template_evict(0, kept));
	assert_true(template_has("used", "/ram.0"));
	assert_true(template_has("kept", "/ram.0"));
	assert_false(template_has("free", ""));
	vm_template_free(take_ptr(used));
	assert_success(vm_template_evict(0, kept));
	assert_false(template_has("used", ""));
}

static void a_new_template_makes_room_for_itself(void **state UNUSED)
{
	setenv("KTSTR_TEMPLATE_LIMIT_MB", "1", 1);
	put_template("a", 400 * KIB);
	put_template("b", 400 * KIB);
	make_older("a", 100);
	assert_int_equal(count_entries(), 4);
	put_template("c", 400 * KIB);
	assert_false(template_has("a", ""));
	assert_true(template_has("b", "") && template_has("c", ""));
	/* Larger than the limit it stays alone. */
	put_template("d", 2000 * KIB);
	assert_int_equal(count_entries(), 2);
	assert_true(can_open("d"));
	unsetenv("KTSTR_TEMPLATE_LIMIT_MB");
}

static char *put_in_cache(const struct dirs *f, const char *name)
{
	_cleanup_free_ char *below = xasprintf("cache/templates/%s", name);

	return put_file(f, below, "x", 0600);
}

static void leftovers_of_killed_template_makers_are_removed(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *top = xasprintf("%s/templates", f->cache);
	_cleanup_free_ char *draft = xasprintf("%s/0123456789abcdef.new", top);
	_cleanup_free_ char *half = xasprintf("%s/1123456789abcdef", top);

	assert_success(paths_make(draft, 0700));
	assert_success(paths_make(half, 0700));
	free(put_in_cache(f, "0123456789abcdef.new/ram.0"));
	free(put_in_cache(f, "0123456789abcdef.lock"));
	/* Removed by half: the description goes first. */
	free(put_in_cache(f, "1123456789abcdef/ram.0"));
	free(put_in_cache(f, "2123456789abcdef.lock"));
	put_template("whole", 4 * KIB);
	assert_int_equal(count_entries(), 2);
	assert_true(can_open("whole"));
}

static void locked_drafts_and_foreign_files_are_kept(void **state)
{
	struct dirs *f = *state;
	_cleanup_vm_template_draft_ struct vm_template_draft draft = { .lock_fd = -1 };
	_cleanup_free_ char *top = xasprintf("%s/templates", f->cache);
	struct cancel cancel = { 0 };

	assert_success(paths_make(top, 0700));
	free(put_in_cache(f, "README"));
	free(put_in_cache(f, "0123456789abcdeg.lock"));
	free(put_in_cache(f, "0123456789abcdef.lock2"));
	free(put_in_cache(f, "0123456789abcdef0.lock"));
	assert_success(vm_template_draft_begin("k", &cancel, &draft));
	assert_success(fill_draft(&draft, 4 * KIB));
	assert_success(vm_template_evict(0, NULL));
	assert_true(template_has("k", ".new/ram.0") && template_has("k", ".lock"));
	assert_int_equal(count_entries(), 6);
}

/* A user holds it while a second maker's draft lies beside it: neither is touched. */
static void a_leftover_draft_is_kept_while_its_template_is_in_use(void **state)
{
	struct dirs *f = *state;
	_cleanup_vm_template_ struct vm_template *used = NULL;
	_cleanup_free_ char *draft = template_path("k", ".new");

	put_template("k", 4 * KIB);
	assert_success(vm_template_open("k", &used));
	assert_int_equal(mkdir(draft, 0700), 0);
	assert_success(vm_template_evict(1 << 30, NULL));
	assert_true(exists(draft));
	vm_template_free(take_ptr(used));
	assert_success(vm_template_evict(1 << 30, NULL));
	assert_false(exists(draft));
	assert_true(can_open("k"));
	assert_non_null(f);
}

static void sweeping_does_not_follow_symlinks(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *top = xasprintf("%s/templates", f->cache);
	_cleanup_free_ char *link = xasprintf("%s/0123456789abcdef.new", top);
	_cleanup_free_ char *precious = xasprintf("%s/precious", f->top), *file = NULL;

	assert_success(paths_make(top, 0700));
	assert_success(paths_make(precious, 0700));
	file = put_file(f, "precious/file", "x", 0600);
	assert_int_equal(symlink(precious, link), 0);
	assert_success(vm_template_evict(0, NULL));
	assert_true(exists(file));
	assert_false(exists(link));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_DIRS(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)
		cmocka_unit_test(the_limit_is_read_from_the_environment),
		IN_DIRS(usage_is_what_the_disk_holds),
		IN_DIRS(the_longest_unused_goes_first),
		IN_DIRS(a_used_template_is_not_evicted_first),
		IN_DIRS(templates_in_use_or_to_keep_are_not_evicted),
		IN_DIRS(a_new_template_makes_room_for_itself),
		IN_DIRS(leftovers_of_killed_template_makers_are_removed),
		IN_DIRS(locked_drafts_and_foreign_files_are_kept),
		IN_DIRS(a_leftover_draft_is_kept_while_its_template_is_in_use),
		IN_DIRS(sweeping_does_not_follow_symlinks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
