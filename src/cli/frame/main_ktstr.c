// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

int main(int argc, char *argv[])
{
	return cli_main(&cli_program_ktstr, argc, argv);
}
