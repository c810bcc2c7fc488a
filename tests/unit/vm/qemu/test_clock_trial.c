// SPDX-License-Identifier: GPL-2.0-or-later
/* QEMU is played by scripts; vm/virtual_outside has the real one. */
#include "vm/clock.h"

#include "dirs.h"
#include "wire/mailbox.h"

/* One that takes the plugin ends with the status by which the plugin is known. */
static char *put_qemu(const struct dirs *f, const char *name, const char *script)
{
	_cleanup_free_ char *text = xasprintf("#!/bin/sh\necho x >>%s/calls\n%s\n", f->top, script);

	return put_file(f, name, text, 0755);
}

static void put_taker(const struct dirs *f, char **ret)
{
	_cleanup_free_ char *script = xasprintf("exit %d", WIRE_TRIAL_STATUS);

	*ret = put_qemu(f, "taker", script);
}

static long calls(const struct dirs *f)
{
	_cleanup_free_ char *path = xasprintf("%s/calls", f->top);
	struct stat st;

	return stat(path, &st) == 0 ? (long)st.st_size / 2 : 0;
}

static void a_qemu_that_takes_the_plugin_is_asked_once(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = NULL;

	put_taker(f, &path);
	assert_success(vm_clock_trial(path));
	assert_success(vm_clock_trial(path));
	assert_int_equal(calls(f), 1);
}

/* A refusal may have a reason that passes, and is not kept. */
static void a_refusal_is_told_in_the_words_of_qemu(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_qemu(
		f, "old", "echo warning: x >&2; echo 'qemu: -plugin: invalid option' >&2; exit 1");

	for (int i = 0; i < 2; i++) {
		_cleanup_error_ struct error *err = vm_clock_trial(path);

		assert_non_null(err);
		assert_string_equal(error_tag(err), "qemu-failed");
		assert_contains(error_message(err),
				"cannot give a guest a virtual clock: it ended with status 1: "
				"qemu: -plugin: invalid option; --clock real uses");
	}
	assert_int_equal(calls(f), 2);
}

/* QEMU 10.0 has the last word. */
static void a_function_that_is_missing_is_named(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_qemu(
		f, "other",
		"echo 'ktstr plugin: this QEMU does not export cpu_exit' >&2\n"
		"echo 'qemu: Could not load plugin /proc/self/fd/3: "
		"qemu_plugin_install returned error code -1' >&2\nexit 1");
	_cleanup_error_ struct error *err = vm_clock_trial(path);

	assert_non_null(err);
	assert_contains(error_message(err),
			"it ended with status 1: ktstr plugin: this QEMU does not export cpu_exit; "
			"--clock real uses");
}

static void a_qemu_that_ignores_the_plugin_is_refused(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_qemu(f, "ignores", "exit 0");
	_cleanup_error_ struct error *err = vm_clock_trial(path);

	assert_non_null(err);
	assert_contains(error_message(err), "it ended with status 0");
}

static void a_signal_is_told(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_qemu(f, "dies", "kill -ILL $$");
	_cleanup_error_ struct error *err = vm_clock_trial(path);

	assert_non_null(err);
	assert_contains(error_message(err), "it was ended by signal 4");
}

/* --clock auto is real there, and says why. */
static void auto_is_real_where_qemu_refuses(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *old = put_qemu(f, "old", "exit 1"), *taker = NULL;
	_cleanup_error_ struct error *why = NULL;
	struct error *none = NULL;

	put_taker(f, &taker);
	setenv("KTSTR_QEMU", old, 1);
	assert_int_equal(vm_clock_choose(VM_CLOCK_WISH_AUTO, VM_ACCEL_WISH_TCG, &why),
			 VM_CLOCK_REAL);
	assert_non_null(why);
	setenv("KTSTR_QEMU", taker, 1);
	assert_int_equal(vm_clock_choose(VM_CLOCK_WISH_AUTO, VM_ACCEL_WISH_TCG, &none),
			 VM_CLOCK_VIRTUAL);
	assert_null(none);
	unsetenv("KTSTR_QEMU");
}

#define IN_DIRS(test) cmocka_unit_test_setup_teardown(test, make_dirs, remove_dirs)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRS(a_qemu_that_takes_the_plugin_is_asked_once),
		IN_DIRS(a_refusal_is_told_in_the_words_of_qemu),
		IN_DIRS(a_function_that_is_missing_is_named),
		IN_DIRS(a_qemu_that_ignores_the_plugin_is_refused),
		IN_DIRS(a_signal_is_told),
		IN_DIRS(auto_is_real_where_qemu_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
