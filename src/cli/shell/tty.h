/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal of the host while a guest has it. There is one per process, because
 * whatever ends us, a crash included, must give it back as it was.
 */
#ifndef KTSTR_CLI_SHELL_TTY_H
#define KTSTR_CLI_SHELL_TTY_H

#include "base/error.h"

/* Every key goes to the guest. Until tty_restore(), which also runs at exit and in a crash. */
struct error *tty_enter_raw(int fd) MUST_CHECK;
/* Async-signal-safe; fine when nothing was changed. */
void tty_restore(void);
bool tty_is_raw(void);

/* False when fd is no terminal or does not know: then they are untouched. */
bool tty_size(int fd, uint16_t *ret_cols, uint16_t *ret_rows);

/*
 * Follows the output of a full-screen program, so that it can be undone when the program had no
 * chance: the text that shows the cursor and leaves the alternate screen.
 */
struct tty_screen {
	size_t matched; /* bytes of "ESC [ ? 1049 " seen */
	bool alternate;
};
void tty_screen_follow(struct tty_screen *screen, const void *bytes, size_t n);
const char *tty_screen_undo(const struct tty_screen *screen);

#endif
