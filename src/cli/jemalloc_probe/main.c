// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

int main(int argc, char *argv[])
{
	return command_main(&program_jemalloc_probe, argc, argv);
}
