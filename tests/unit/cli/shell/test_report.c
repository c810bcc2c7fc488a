// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <signal.h>

#include "base/macros.h"
#include "kernel/kernel.h"
#include "unit.h"

static int status(enum wire_end how, uint32_t value)
{
	return report_status(&(struct vm_end){ .how = how, .value = value });
}

static void the_status_is_the_commands(void **state UNUSED)
{
	assert_int_equal(status(WIRE_END_EXITED, 0), 0);
	assert_int_equal(status(WIRE_END_EXITED, 7), 7);
	assert_int_equal(status(WIRE_END_EXITED, 255), 255);
	assert_int_equal(status(WIRE_END_SIGNALLED, SIGKILL), 137);
	assert_int_equal(status(WIRE_END_SIGNALLED, SIGINT), 130);
	assert_int_equal(status(WIRE_END_NOT_STARTED, ENOENT), 127);
	assert_int_equal(status(WIRE_END_NOT_STARTED, EACCES), 126);
	assert_int_equal(status(WIRE_END_NOT_STARTED, ENOEXEC), 126);
}

/* What is said about an error, which is freed. */
static const char *said(struct error *err, const char *console)
{
	static char text[8192];
	_cleanup_strbuf_ struct strbuf words = STRBUF_INIT;

	report_format_failure(err, console, &words);
	error_free(err);
	snprintf(text, sizeof(text), "%s", strbuf_str(&words));
	return text;
}

static void a_panic_shows_the_last_lines_of_the_console(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf console = STRBUF_INIT;
	const char *words;

	for (int i = 1; i <= 20; i++)
		strbuf_appendf(&console, "line %d\r\n", i);
	strbuf_append(&console, "\r\n");
	words = said(vm_error(VM_PANIC, 0, "running sh: Kernel panic"), strbuf_str(&console));
	assert_contains(words, "error: [guest-panic] running sh: Kernel panic\n"
			       "the guest's console, last lines:\n"
			       "  | line 6\n  | line 7\n");
	assert_contains(words, "  | line 20\n");
	assert_null(strstr(words, "line 5\n"));
	assert_null(strstr(words, "  | \n"));
}

static void a_console_cannot_write_to_our_terminal(void **state UNUSED)
{
	assert_contains(said(vm_error(VM_HANG, 0, "silent"), "\033[2Jgone"), "  | \\x1b[2Jgone\n");
}

static void an_empty_console_is_not_shown(void **state UNUSED)
{
	assert_string_equal(said(vm_error(VM_HANG, 0, "silent"), ""),
			    "error: [guest-hang] silent\n");
	assert_string_equal(said(vm_error(VM_HANG, 0, "silent"), "\r\n\n"),
			    "error: [guest-hang] silent\n");
}

static void a_hint_names_the_command_that_helps(void **state UNUSED)
{
	assert_string_equal(said(vm_error(VM_QEMU_MISSING, ENOENT, "KTSTR_QEMU"), "no guest"),
			    "error: [qemu-missing] KTSTR_QEMU: No such file or directory\n"
			    "hint: `ktstr doctor` shows what is missing\n");
	assert_string_equal(said(kernel_error(KERNEL_NOT_CACHED, 0, "none"), ""),
			    "error: none\nhint: run `ktstr kernel fetch`\n");
	/* Not twice. */
	assert_string_equal(
		said(kernel_error(KERNEL_NOT_CACHED, 0, "none: run 'ktstr kernel fetch'"), ""),
		"error: none: run 'ktstr kernel fetch'\n");
	assert_contains(said(vm_error(VM_OOM, 0, "full"), ""), "hint: -m gives");
	assert_contains(said(vm_error(VM_CLONE, 0, "strange"), ""), "hint: --cold");
}

static void other_errors_are_one_line(void **state UNUSED)
{
	assert_string_equal(said(base_error(BASE_IO, ENOSPC, "standard output"), "text"),
			    "error: standard output: No space left on device\n");
}

static void ends_that_an_exit_status_cannot_express_are_explained(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf words = STRBUF_INIT;
	struct vm_end end = { .how = WIRE_END_EXITED, .value = 3 };

	report_format_end(&end, "sh", &words);
	assert_int_equal(words.n, 0);
	end = (struct vm_end){ .how = WIRE_END_NOT_STARTED, .value = ENOENT };
	report_format_end(&end, "no\nsuch", &words);
	assert_string_equal(strbuf_str(&words), "ktstr: the guest could not start no\\nsuch: "
						"No such file or directory\n");
	strbuf_clear(&words);
	end = (struct vm_end){ .how = WIRE_END_EXITED, .oom = "Killed process 7 (x)" };
	report_format_end(&end, "sh", &words);
	assert_contains(strbuf_str(&words), "ran short of memory");
	assert_contains(strbuf_str(&words), "Killed process 7 (x)\n");
}

static void each_part_lasts_from_mark_to_mark(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct timing timing;

	timing_begin(&timing, 1000000);
	timing_mark(&timing, "kernel", 1300000);
	timing_mark(&timing, "QEMU", 42300000);
	timing_format(&timing, &s);
	assert_string_equal(strbuf_str(&s), "kernel 0.3, QEMU 41.0; 41.3 ms in all");
}

static void parts_past_the_limit_are_added_to_the_last(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct timing timing;

	timing_begin(&timing, 0);
	for (uint64_t i = 1; i <= TIMING_LIMIT + 3; i++)
		timing_mark(&timing, "part", i * 1000000);
	assert_int_equal(timing.n, TIMING_LIMIT);
	timing_format(&timing, &s);
	assert_contains(strbuf_str(&s), "part 4.0; 15.0 ms in all");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_status_is_the_commands),
		cmocka_unit_test(a_panic_shows_the_last_lines_of_the_console),
		cmocka_unit_test(a_console_cannot_write_to_our_terminal),
		cmocka_unit_test(an_empty_console_is_not_shown),
		cmocka_unit_test(a_hint_names_the_command_that_helps),
		cmocka_unit_test(other_errors_are_one_line),
		cmocka_unit_test(ends_that_an_exit_status_cannot_express_are_explained),
		cmocka_unit_test(each_part_lasts_from_mark_to_mark),
		cmocka_unit_test(parts_past_the_limit_are_added_to_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
