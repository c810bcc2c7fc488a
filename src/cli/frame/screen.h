/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard error of a command that takes long: lines, and on a terminal one of progress. */
#ifndef KTSTR_CLI_FRAME_SCREEN_H
#define KTSTR_CLI_FRAME_SCREEN_H

#include "base/macros.h"

struct screen {
	bool quiet, verbose;
	bool terminal;	   /* progress is for people */
	bool open_line;	   /* the terminal's last line is progress */
	uint64_t began_ns; /* progress is shown a second later; 0: at once */
	uint64_t shown_ns;
};

void screen_init(struct screen *screen, bool quiet, bool verbose);
/* A line for everybody but the quiet. */
void screen_say(struct screen *screen, const char *line);
/* A line of progress in place of the last one, unless that was shown just now. */
void screen_show(struct screen *screen, const char *line);
/* Takes the progress away. */
void screen_clear(struct screen *screen);

#endif
