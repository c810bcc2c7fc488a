// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/qemu/accel.h"

#include <time.h>

#include "dirs.h"

/* The note `some` as another would have left it. */
static void put_note(const struct dirs *f, const char *boot_id, uint64_t key, long long at)
{
	_cleanup_free_ char *text = xasprintf(
		"{\"boot_id\":\"%s\",\"at_sec\":%lld,\"key\":%llu,\"answer\":true,\"reason\":\"r\"}",
		boot_id, at, (unsigned long long)key);
	_cleanup_free_ char *path = xasprintf("%s/some.json", f->run);

	assert_success(paths_make(f->run, 0700));
	assert_success(io_replace_file(path, text, strlen(text)));
}

static bool recalls(uint64_t key)
{
	_cleanup_free_ char *reason = NULL;
	bool answer = false;

	if (!vm_boot_note_recall("some", key, 100, &answer, &reason)) {
		assert_null(reason);
		return false;
	}
	assert_true(answer);
	return true;
}

/* The file, apart from the boot and the time, which are of this moment. */
static void assert_note(const struct dirs *f, const char *name, const char *middle, const char *end)
{
	_cleanup_free_ char *path = xasprintf("%s/%s.json", f->run, name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(io_read_file(path, 4096, &text));
	assert_memory_equal(text.at, "{\n  \"boot_id\": \"", 16);
	assert_contains(text.at, middle);
	assert_true(text.n > strlen(end));
	assert_string_equal(text.at + text.n - strlen(end), end);
}

static void a_boot_note_is_recalled_until_it_is_forgotten(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *reason = NULL, *other = NULL;
	bool answer = true;

	assert_false(vm_boot_note_recall("some", 7, 100, &answer, &reason));
	vm_boot_note_keep("some", UINT64_MAX, false, "because \"of\" it");
	assert_note(f, "some", "\",\n  \"at_sec\": ",
		    ",\n  \"key\": 18446744073709551615,\n  \"answer\": false,\n"
		    "  \"reason\": \"because \\\"of\\\" it\"\n}\n");
	assert_true(vm_boot_note_recall("some", UINT64_MAX, 100, &answer, &reason));
	assert_false(answer);
	assert_string_equal(reason, "because \"of\" it");
	assert_false(vm_boot_note_recall("other", UINT64_MAX, 100, &answer, &other));
	vm_boot_note_forget("some");
	assert_false(vm_boot_note_recall("some", UINT64_MAX, 100, &answer, &other));
	assert_null(other);
}

static void another_boot_key_or_time_does_not_count(void **state)
{
	struct dirs *f = *state;
	_cleanup_strbuf_ struct strbuf id = STRBUF_INIT;
	long long now = (long long)time(NULL);

	assert_success(io_read_file("/proc/sys/kernel/random/boot_id", 256, &id));
	id.at[strcspn(id.at, "\n")] = 0;
	put_note(f, id.at, 7, now);
	assert_true(recalls(7));
	assert_false(recalls(8));
	put_note(f, "another", 7, now);
	assert_false(recalls(7));
	put_note(f, id.at, 7, now - 200);
	assert_false(recalls(7));
	put_note(f, id.at, 7, now + 1000);
	assert_false(recalls(7));
}

static void a_malformed_boot_note_is_ignored(void **state)
{
	static const char *const texts[] = { "", "[]", "{", "{\"key\":7}", "\xff" };
	struct dirs *f = *state;
	_cleanup_free_ char *path = xasprintf("%s/some.json", f->run);

	assert_success(paths_make(f->run, 0700));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_success(io_replace_file(path, texts[i], strlen(texts[i])));
		assert_false(recalls(7));
	}
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(recalls(7));
}

/* A directory that cannot be made is not worth an error. */
static void a_note_that_cannot_be_written_is_none(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *in_the_way = put_file(f, "run", "", 0600);

	vm_boot_note_keep("some", 7, true, "r");
	assert_false(recalls(7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_DIRS(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)
		IN_DIRS(a_boot_note_is_recalled_until_it_is_forgotten),
		IN_DIRS(another_boot_key_or_time_does_not_count),
		IN_DIRS(a_malformed_boot_note_is_ignored),
		IN_DIRS(a_note_that_cannot_be_written_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
