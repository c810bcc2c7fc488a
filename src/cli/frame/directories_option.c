// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include <errno.h>
#include <sys/stat.h>

struct error *cli_check_directories(const char *option, const struct cli_strings *values)
{
	for (size_t i = 0; i < values->n; i++) {
		struct stat st;

		if (stat(values->at[i], &st) != 0)
			return cli_error(CLI_USAGE, errno, "%s %s", option, values->at[i]);
		if (!S_ISDIR(st.st_mode))
			return cli_error(CLI_USAGE, 0, "%s %s: not a directory", option,
					 values->at[i]);
	}
	return NULL;
}
