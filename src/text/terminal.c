// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool text_terminal_is(int fd)
{
	return isatty(fd) == 1;
}

size_t text_terminal_columns(int fd)
{
	struct winsize size;

	if (!text_terminal_is(fd) || ioctl(fd, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

bool text_terminal_has_colour(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (!text_terminal_is(fd) || (no_color && *no_color))
		return false;
	return term && *term && strcmp(term, "dumb") != 0;
}
