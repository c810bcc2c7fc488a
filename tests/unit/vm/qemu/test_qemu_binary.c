// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program plays the part of QEMU as well: called with --version it prints one and
 * leaves a byte in $QEMU_CALLS, so that the tests see whether it was asked.
 */
#include "vm/qemu/qemu_binary.h"

#include <signal.h>
#include <sys/time.h>

#include "dirs.h"

static int play_qemu(void)
{
	const char *calls = getenv("QEMU_CALLS");
	int fd = calls ? open(calls, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;

	if (fd >= 0 && write(fd, "x", 1) == 1)
		close(fd);
	puts("QEMU emulator version 9.1.3 (played)");
	return 0;
}

static long calls(const struct dirs *f)
{
	_cleanup_free_ char *path = xasprintf("%s/calls", f->top);
	struct stat st;

	return stat(path, &st) == 0 ? (long)st.st_size : 0;
}

/* An ELF file that answers; the caller owns the path. */
static char *put_program(const struct dirs *f, const char *name)
{
	_cleanup_free_ char *count = xasprintf("%s/calls", f->top);
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	char *path = put_file(f, name, "", 0755);

	setenv("QEMU_CALLS", count, 1);
	assert_success(io_read_file("/proc/self/exe", 64 << 20, &bytes));
	assert_success(io_replace_file(path, bytes.at, bytes.n));
	return path;
}

static void the_variable_names_a_path_or_a_program(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_file(f, "my-qemu", "#!/bin/sh\n", 0755);
	_cleanup_free_ char *old = xstrdup(getenv("PATH"));
	_cleanup_free_ char *longer = xasprintf("/nowhere::%s:%s", f->top, old);
	_cleanup_free_ char *by_path = NULL, *by_name = NULL;

	setenv("KTSTR_QEMU", path, 1);
	assert_success(vm_qemu_binary_path(&by_path));
	assert_string_equal(by_path, path);
	setenv("KTSTR_QEMU", "my-qemu", 1);
	setenv("PATH", longer, 1);
	assert_success(vm_qemu_binary_path(&by_name));
	assert_string_equal(by_name, path);
	setenv("PATH", old, 1);
}

static void a_qemu_that_is_not_a_program_is_absent_by_name(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_file(f, "data", "", 0644);
	_cleanup_free_ char *old = xstrdup(getenv("PATH"));
	const char *const wrong[] = { path, f->top, "/nowhere/qemu", "no-such-qemu" };

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		_cleanup_error_ struct error *err = NULL;
		char *got = NULL;

		setenv("KTSTR_QEMU", wrong[i], 1);
		err = vm_qemu_binary_path(&got);
		assert_null(got);
		assert_true(error_is(err, &base_error_domain, BASE_ABSENT));
		assert_contains(error_message(err), wrong[i]);
		assert_contains(error_message(err), "KTSTR_QEMU");
	}
	unsetenv("KTSTR_QEMU");
	setenv("PATH", f->top, 1);
	{
		_cleanup_error_ struct error *err = NULL;
		char *got = NULL;

		err = vm_qemu_binary_path(&got);
		assert_true(error_is(err, &base_error_domain, BASE_ABSENT));
		assert_contains(error_message(err), "qemu-system-x86");
	}
	setenv("PATH", old, 1);
}

static void the_qemu_version_is_cached_until_the_program_changes(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_program(f, "qemu");
	struct timeval times[2] = { { .tv_sec = 1000 }, { .tv_sec = 2000 } };

	for (int i = 0; i < 3; i++) {
		_cleanup_vm_qemu_binary_ struct vm_qemu_binary *binary = NULL;

		assert_success(vm_qemu_binary_open(path, &binary));
		assert_string_equal(binary->path, path);
		assert_int_equal(binary->version.major, 9);
		assert_int_equal(binary->version.minor, 1);
		assert_int_equal(binary->version.micro, 3);
		assert_string_equal(binary->version.text, "9.1.3 (played)");
		assert_int_equal(binary->from_cache, i > 0);
		assert_int_equal(calls(f), 1);
	}
	assert_int_equal(utimes(path, times), 0);
	for (int i = 0; i < 2; i++) {
		_cleanup_vm_qemu_binary_ struct vm_qemu_binary *binary = NULL;

		assert_success(vm_qemu_binary_open(path, &binary));
		assert_int_equal(calls(f), 2);
	}
}

static void two_qemu_programs_have_separate_cache_entries(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *one = put_program(f, "one");
	_cleanup_free_ char *two = put_program(f, "two");
	_cleanup_vm_qemu_binary_ struct vm_qemu_binary *first = NULL, *second = NULL;

	assert_success(vm_qemu_binary_open(one, &first));
	assert_success(vm_qemu_binary_open(two, &second));
	assert_int_equal(calls(f), 2);
}

/* Everything in the cache directory is replaced by `text`. */
static void spoil_cache(const struct dirs *f, const char *text)
{
	_cleanup_free_ char *directory = xasprintf("%s/qemu", f->cache);
	_cleanup_dir_ DIR *dir = opendir(directory);
	struct dirent *entry;
	int spoiled = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		_cleanup_free_ char *path = xasprintf("%s/%s", directory, entry->d_name);

		if (entry->d_name[0] == '.')
			continue;
		assert_success(io_replace_file(path, text, strlen(text)));
		spoiled++;
	}
	assert_int_equal(spoiled, 1);
}

static void a_malformed_version_cache_is_ignored(void **state)
{
	static const char *const texts[] = { "",	 "{",
					     "[]",	 "{\"format\":1}",
					     "\xff\xff", "{\"format\":1,\"text\":\"1.0.0\"}" };
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_program(f, "qemu");
	_cleanup_vm_qemu_binary_ struct vm_qemu_binary *first = NULL;

	assert_success(vm_qemu_binary_open(path, &first));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_vm_qemu_binary_ struct vm_qemu_binary *binary = NULL;

		spoil_cache(f, texts[i]);
		assert_success(vm_qemu_binary_open(path, &binary));
		assert_int_equal(binary->version.major, 9);
		assert_int_equal(calls(f), (long)i + 2);
	}
}

static void a_version_cache_that_cannot_be_written_is_ignored(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_program(f, "qemu");
	_cleanup_free_ char *in_the_way = put_file(f, "cache", "", 0600);
	_cleanup_vm_qemu_binary_ struct vm_qemu_binary *binary = NULL;

	assert_success(vm_qemu_binary_open(path, &binary));
	assert_int_equal(binary->version.major, 9);
	assert_false(binary->from_cache);
}

/* What a script runs may change without the script. */
static void the_version_of_a_script_is_not_cached(void **state)
{
	struct dirs *f = *state;

	for (int i = 1; i < 4; i++) {
		_cleanup_free_ char *text = xasprintf(
			"#!/bin/sh\necho noise >&2\necho QEMU emulator version 8.%d.0\n", i);
		_cleanup_free_ char *path = put_file(f, "script", text, 0755);
		struct timeval times[2] = { { .tv_sec = 1000 }, { .tv_sec = 2000 } };
		_cleanup_vm_qemu_binary_ struct vm_qemu_binary *binary = NULL;

		assert_int_equal(utimes(path, times), 0);
		setenv("KTSTR_QEMU", path, 1);
		assert_success(vm_qemu_binary_find(&binary));
		assert_int_equal(binary->version.minor, i);
	}
}

static void a_program_that_fails_is_quoted(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_file(
		f, "broken", "#!/bin/sh\necho cannot find libfoo.so >&2\nexit 127\n", 0755);
	_cleanup_error_ struct error *err = NULL;
	struct vm_qemu_binary *binary = NULL;

	err = vm_qemu_binary_open(path, &binary);
	assert_null(binary);
	assert_non_null(err);
	assert_contains(error_message(err), path);
	assert_contains(error_message(err), "cannot find libfoo.so");
}

static void output_without_end_is_cut(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_file(f, "yes", "#!/bin/sh\nexec yes\n", 0755);
	struct vm_qemu_binary *binary = NULL;

	assert_error_tag(vm_qemu_binary_open(path, &binary), "limit");
	assert_null(binary);
}

/* Something that stays behind with the output open is not waited for. */
static void a_background_child_of_qemu_is_not_waited_for(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_file(
		f, "daemon",
		"#!/bin/sh\nsleep 60 &\necho $! >$0.pid\necho QEMU emulator version 8.2.0\n", 0755);
	_cleanup_free_ char *pid_path = xasprintf("%s.pid", path);
	_cleanup_strbuf_ struct strbuf pid = STRBUF_INIT;
	_cleanup_vm_qemu_binary_ struct vm_qemu_binary *binary = NULL;

	assert_success(vm_qemu_binary_open(path, &binary));
	assert_int_equal(binary->version.major, 8);
	assert_success(io_read_file(pid_path, 32, &pid));
	assert_true(atoi(pid.at) > 1);
	/* Still there: nobody waited for its end. */
	assert_int_equal(kill(atoi(pid.at), SIGKILL), 0);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
#define IN_DIRS(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)
		IN_DIRS(the_variable_names_a_path_or_a_program),
		IN_DIRS(a_qemu_that_is_not_a_program_is_absent_by_name),
		IN_DIRS(the_qemu_version_is_cached_until_the_program_changes),
		IN_DIRS(two_qemu_programs_have_separate_cache_entries),
		IN_DIRS(a_malformed_version_cache_is_ignored),
		IN_DIRS(a_version_cache_that_cannot_be_written_is_ignored),
		IN_DIRS(the_version_of_a_script_is_not_cached),
		IN_DIRS(a_program_that_fails_is_quoted),
		IN_DIRS(output_without_end_is_cut),
		IN_DIRS(a_background_child_of_qemu_is_not_waited_for),
	};

	if (argc > 1 && strcmp(argv[1], "--version") == 0)
		return play_qemu();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
