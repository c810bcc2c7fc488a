/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a capture shows on standard error while it works. */
#ifndef KTSTR_CLI_CTPROF_SCREEN_H
#define KTSTR_CLI_CTPROF_SCREEN_H

#include "ctprof/capture.h"

struct screen {
	bool quiet, verbose;
	bool terminal;	   /* progress is for people */
	bool open_line;	   /* the terminal's last line is progress */
	uint64_t began_ns; /* of the snapshot that is being taken */
	uint64_t shown_ns;
};

void screen_init(struct screen *screen, bool quiet, bool verbose);
/* A snapshot begins: progress is shown when it takes longer than a second. */
void screen_begin(struct screen *screen);
/* Takes the progress away. */
void screen_clear(struct screen *screen);
/* A line for everybody but the quiet. */
void screen_say(struct screen *screen, const char *line);
/* The line of progress, without escape sequences; for tests. */
void screen_format_progress(const struct capture_progress *progress, struct strbuf *into);

/* Callbacks of a capture; the argument is the screen. */
void screen_progress(const struct capture_progress *progress, void *screen);
void screen_note(const char *line, void *screen);

#endif
