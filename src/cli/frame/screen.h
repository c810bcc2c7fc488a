/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard error of a command that takes long: lines, and on a terminal one of progress. */
#ifndef KTSTR_CLI_FRAME_SCREEN_H
#define KTSTR_CLI_FRAME_SCREEN_H

#include "base/macros.h"

struct cli_screen {
	bool quiet, verbose;
	bool terminal;	   /* progress is for people */
	bool open_line;	   /* the terminal's last line is progress */
	uint64_t began_ns; /* progress is shown a second later; 0: at once */
	uint64_t shown_ns;
};

void cli_screen_init(struct cli_screen *screen, bool quiet, bool verbose);
/* A line for everybody but the quiet. */
void cli_screen_say(struct cli_screen *screen, const char *line);
/* A line of progress in place of the last one, unless that was shown just now. */
void cli_screen_show(struct cli_screen *screen, const char *line);
/* Takes the progress away. */
void cli_screen_clear(struct cli_screen *screen);

#endif
