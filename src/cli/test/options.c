// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/test/options.h"

#include "cli/frame/command.h"

const struct cli_word_row test_formats[REPORT_N_FORMATS] = {
#define REPORT_FORMAT(id, word, help) { word, NULL, help },
#include "report/report_formats.def"
#undef REPORT_FORMAT
};

struct error *test_config_check(const struct test_config *config)
{
	if (config->verbose && config->quiet)
		return cli_error(CLI_USAGE, 0, "--verbose and --quiet exclude each other");
	return NULL;
}
