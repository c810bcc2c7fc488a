// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/template/template.h"

#include <time.h>

#include "templates.h"

static void a_name_is_sixteen_digits_and_belongs_to_its_key(void **state UNUSED)
{
	_cleanup_free_ char *a = vm_template_name("a"), *again = vm_template_name("a");
	_cleanup_free_ char *b = vm_template_name("b"), *none = vm_template_name("");

	assert_int_equal(strlen(a), 16);
	assert_int_equal(strspn(a, "0123456789abcdef"), 16);
	assert_int_equal(strlen(none), 16);
	assert_string_equal(a, again);
	assert_string_not_equal(a, b);
}

static void looking_for_a_missing_template_creates_nothing(void **state)
{
	struct dirs *f = *state;
	struct vm_template *found = (struct vm_template *)f;

	assert_success(vm_template_open("a key", &found));
	assert_null(found);
	assert_false(exists(f->cache));
}

static void a_finished_template_can_be_opened(void **state)
{
	struct dirs *f = *state;
	_cleanup_vm_template_ struct vm_template *found = NULL;
	_cleanup_free_ char *dir = template_path("a key", "");

	put_template("a key", TEMPLATE_RAM_BYTES);
	assert_success(vm_template_open("a key", &found));
	assert_non_null(found);
	assert_string_equal(found->dir, dir);
	assert_memory_equal(found->dir, f->cache, strlen(f->cache));
	assert_int_equal(found->n_ram, 1);
	assert_true(exists(found->state_path) && exists(found->ram_paths[0]));
	assert_memory_equal(&found->proof, &test_proof, sizeof(test_proof));
	assert_true(found->bytes >= TEMPLATE_RAM_BYTES);
	assert_true(found->lock_fd >= 0);
	assert_false(can_open("another key"));
}

static void opening_a_template_updates_its_time(void **state UNUSED)
{
	_cleanup_free_ char *json = template_path("k", "/template.json");
	struct stat before, after;

	put_template("k", TEMPLATE_RAM_BYTES);
	make_older("k", 1000);
	assert_int_equal(stat(json, &before), 0);
	assert_true(can_open("k"));
	assert_int_equal(stat(json, &after), 0);
	assert_true(after.st_mtim.tv_sec >= before.st_mtim.tv_sec + 900);
}

static void two_users_can_open_one_template(void **state UNUSED)
{
	_cleanup_vm_template_ struct vm_template *one = NULL, *two = NULL;

	put_template("k", TEMPLATE_RAM_BYTES);
	assert_success(vm_template_open("k", &one));
	assert_success(vm_template_open("k", &two));
	assert_true(one && two);
}

/* Each kind of damage: never used, and made anew. */
static void damage(int kind)
{
	_cleanup_free_ char *json = template_path("k", "/template.json");
	_cleanup_free_ char *ram = template_path("k", "/ram.0");
	_cleanup_free_ char *device = template_path("k", "/state");
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char *at;

	switch (kind) {
	case 0:
		assert_int_equal(truncate(ram, TEMPLATE_RAM_BYTES - 1), 0);
		break;
	case 1:
		assert_int_equal(truncate(ram, TEMPLATE_RAM_BYTES + 1), 0);
		break;
	case 2:
		assert_int_equal(unlink(ram), 0);
		break;
	case 3:
		assert_int_equal(unlink(device), 0);
		break;
	case 4:
		assert_int_equal(truncate(device, 0), 0);
		break;
	case 5:
		assert_int_equal(unlink(json), 0);
		break;
	case 6:
		assert_int_equal(truncate(json, 0), 0);
		break;
	case 7:
		assert_int_equal(truncate(json, 100), 0);
		break;
	case 8:
		assert_success(io_replace_file(json, "\0garbage\xff", 9));
		break;
	case 9:
		/* Whole, but of another machine. */
		assert_success(io_read_file(json, 1 << 20, &text));
		at = strstr(text.at, "\"key\": \"k");
		assert_non_null(at);
		at[8] = 'x';
		assert_success(io_replace_file(json, text.at, text.n));
		break;
	case 10:
		/* A directory where a file should be. */
		assert_int_equal(unlink(json), 0);
		assert_int_equal(mkdir(json, 0700), 0);
		break;
	}
}

static void a_damaged_template_is_replaced_and_never_used(void **state UNUSED)
{
	for (int kind = 0; kind <= 10; kind++) {
		put_template("k", TEMPLATE_RAM_BYTES);
		assert_true(can_open("k"));
		damage(kind);
		if (can_open("k"))
			fail_msg("damage %d went unnoticed", kind);
		put_template("k", TEMPLATE_RAM_BYTES);
		if (!can_open("k"))
			fail_msg("damage %d was not repaired", kind);
		assert_int_equal(count_entries(), 2);
	}
}

/* The maker is at work: the caller will wait for it in vm_template_draft_begin(). */
static void unfinished_template_cannot_be_opened(void **state UNUSED)
{
	_cleanup_vm_template_draft_ struct vm_template_draft draft = { .lock_fd = -1 };
	struct cancel cancel = { 0 };

	assert_success(vm_template_draft_begin("k", &cancel, &draft));
	assert_false(can_open("k"));
	assert_success(fill_draft(&draft, TEMPLATE_RAM_BYTES));
	assert_false(can_open("k"));
}

static void a_cache_that_cannot_be_read_is_an_error(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *lock = template_path("k", ".lock");
	_cleanup_free_ char *top = xasprintf("%s/templates", f->cache);
	struct vm_template *found;

	/* A link in place of the lock leads nowhere good. */
	assert_success(paths_make(top, 0700));
	assert_int_equal(symlink("/etc/passwd", lock), 0);
	assert_error_tag(vm_template_open("k", &found), "io");
	vm_template_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_DIRS(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)
		cmocka_unit_test(a_name_is_sixteen_digits_and_belongs_to_its_key),
		IN_DIRS(looking_for_a_missing_template_creates_nothing),
		IN_DIRS(a_finished_template_can_be_opened),
		IN_DIRS(opening_a_template_updates_its_time),
		IN_DIRS(two_users_can_open_one_template),
		IN_DIRS(a_damaged_template_is_replaced_and_never_used),
		IN_DIRS(unfinished_template_cannot_be_opened),
		IN_DIRS(a_cache_that_cannot_be_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
