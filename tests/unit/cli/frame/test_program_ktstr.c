// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include "unit.h"

static void every_command_says_what_it_is_and_can_run(void **state UNUSED)
{
	assert_true(cli_program_ktstr.n_subcommands > 0);
	for (size_t i = 0; i < cli_program_ktstr.n_subcommands; i++) {
		const struct cli_command *command = cli_program_ktstr.subcommands[i];

		assert_non_null(command->summary);
		assert_true(command->run || command->show || command->n_subcommands);
		/* Two commands of one name: the second could never be called. */
		assert_ptr_equal(cli_find(&cli_program_ktstr, command->name), command);
	}
}

static void help_and_version_are_commands_too(void **state UNUSED)
{
	assert_non_null(cli_find(&cli_program_ktstr, "help"));
	assert_non_null(cli_find(&cli_program_ktstr, "version"));
	assert_null(cli_find(&cli_program_ktstr, "nothing"));
}

static void check_rows(const struct cli_command *command)
{
	for (size_t i = 0; i < command->n_options; i++)
		assert_non_null(command->options[i].name);
	for (size_t i = 0; i < command->n_positionals; i++)
		assert_null(command->positionals[i].name);
	for (size_t i = 0; i < command->n_subcommands; i++)
		check_rows(command->subcommands[i]);
}

static void arguments_stand_behind_all_options(void **state UNUSED)
{
	check_rows(&cli_program_ktstr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command_says_what_it_is_and_can_run),
		cmocka_unit_test(help_and_version_are_commands_too),
		cmocka_unit_test(arguments_stand_behind_all_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
