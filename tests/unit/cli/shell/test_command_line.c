// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include "unit.h"

static void a_string_is_for_sh(void **state UNUSED)
{
	const struct shell_config config = { .exec = "echo 'a b'" };
	_cleanup_command_line_ struct command_line line;

	command_line_init(&line, &config, true, "xterm");
	assert_string_equal(line.argv[0], "sh");
	assert_string_equal(line.argv[1], "-c");
	assert_string_equal(line.argv[2], "echo 'a b'");
	assert_null(line.argv[3]);
	assert_false(line.pty);
	assert_null(line.env[0]);
}

static void a_vector_is_passed_as_it_is(void **state UNUSED)
{
	const char *const argv[] = { "printf", "%s", "a b", "", NULL };
	const struct shell_config config = { .argv = argv };
	_cleanup_command_line_ struct command_line line;

	command_line_init(&line, &config, true, "xterm");
	assert_ptr_equal(line.argv, argv);
	assert_false(line.pty);
}

static void without_a_command_a_terminal_gets_a_terminal(void **state UNUSED)
{
	const struct topo t = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 };
	const struct shell_config config = { 0 };
	_cleanup_command_line_ struct command_line line;

	command_line_init(&line, &config, true, "xterm-256color");
	command_line_set_prompt(&line, "6.1.2", &t);
	assert_true(line.pty);
	assert_string_equal(line.argv[0], "sh");
	assert_null(line.argv[1]);
	assert_string_equal(line.env[0], "TERM=xterm-256color");
	assert_string_equal(line.env[1], "PS1=ktstr 6.1.2 1n2l2c1t:\\w\\$ ");
	assert_null(line.env[2]);
}

static void what_is_not_known_is_not_passed(void **state UNUSED)
{
	const struct shell_config config = { 0 };
	_cleanup_command_line_ struct command_line line;

	command_line_init(&line, &config, true, "");
	assert_null(line.env[0]);
	command_line_deinit(&line);
	command_line_init(&line, &config, true, NULL);
	assert_null(line.env[0]);
}

static void commands_from_a_pipe_have_neither_terminal_nor_prompt(void **state UNUSED)
{
	const struct topo t = { .nodes = 1, .llcs = 1, .cores = 1, .threads = 1 };
	const struct shell_config config = { 0 };
	_cleanup_command_line_ struct command_line line;

	command_line_init(&line, &config, false, "xterm");
	command_line_set_prompt(&line, "6.1.2", &t);
	assert_false(line.pty);
	assert_string_equal(line.argv[0], "sh");
	assert_null(line.argv[1]);
	assert_null(line.env[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_is_for_sh),
		cmocka_unit_test(a_vector_is_passed_as_it_is),
		cmocka_unit_test(without_a_command_a_terminal_gets_a_terminal),
		cmocka_unit_test(what_is_not_known_is_not_passed),
		cmocka_unit_test(commands_from_a_pipe_have_neither_terminal_nor_prompt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
