// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "base/macros.h"

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static struct {
	volatile sig_atomic_t raw;
	int fd;
	struct termios saved, changed;
	struct sigaction crash_actions[ARRAY_SIZE(crashes)];
	struct sigaction stop_action;
} tty;

void tty_restore(void)
{
	int saved_errno = errno;

	if (!tty.raw)
		return;
	tty.raw = 0;
	/* Not FLUSH: what was typed ahead is for the shell that follows. */
	tcsetattr(tty.fd, TCSADRAIN, &tty.saved);
	errno = saved_errno;
}

bool tty_is_raw(void)
{
	return tty.raw;
}

/* Returning runs into the same fault again, now with the handler that was there before. */
static void on_crash(int number)
{
	tty_restore();
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		if (crashes[i] == number)
			sigaction(number, &tty.crash_actions[i], NULL);
	if (number == SIGABRT)
		raise(number);
}

/* Whoever sees us stopped gets a terminal that works; the guest gets it back later. */
static void on_stop(int number UNUSED)
{
	int saved_errno = errno;
	bool raw = tty.raw;

	tty_restore();
	raise(SIGSTOP);
	if (raw) {
		tcsetattr(tty.fd, TCSADRAIN, &tty.changed);
		tty.raw = 1;
		raise(SIGWINCH);
	}
	errno = saved_errno;
}

static void guard(void)
{
	static bool done;
	struct sigaction crash = { .sa_handler = on_crash };
	struct sigaction stop = { .sa_handler = on_stop };

	if (done)
		return;
	done = true;
	atexit(tty_restore);
	sigemptyset(&crash.sa_mask);
	sigemptyset(&stop.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &crash, &tty.crash_actions[i]);
	sigaction(SIGTSTP, &stop, NULL);
}

struct error *tty_enter_raw(int fd)
{
	if (tty.raw)
		return NULL;
	if (tcgetattr(fd, &tty.saved) < 0)
		return base_error(BASE_IO, errno, "cannot read the terminal's settings");
	guard();
	tty.fd = fd;
	tty.changed = tty.saved;
	cfmakeraw(&tty.changed);
	/* Before the change: a signal in between restores what was not changed yet. */
	tty.raw = 1;
	if (tcsetattr(fd, TCSADRAIN, &tty.changed) < 0) {
		tty.raw = 0;
		return base_error(BASE_IO, errno, "cannot change the terminal's settings");
	}
	return NULL;
}

bool tty_size(int fd, uint16_t *ret_cols, uint16_t *ret_rows)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0)
		return false;
	*ret_cols = size.ws_col;
	*ret_rows = size.ws_row;
	return true;
}

void tty_screen_follow(struct tty_screen *screen, const void *bytes, size_t n)
{
	static const char mark[] = "\033[?1049";
	const char *at = bytes;

	for (size_t i = 0; i < n; i++) {
		if (screen->matched == sizeof(mark) - 1) {
			screen->matched = 0;
			if (at[i] == 'h' || at[i] == 'l')
				screen->alternate = at[i] == 'h';
		}
		if (at[i] == mark[screen->matched])
			screen->matched++;
		else
			screen->matched = at[i] == mark[0];
	}
}

const char *tty_screen_undo(const struct tty_screen *screen)
{
	return screen->alternate ? "\033[?1049l\033[0m\033[?25h" : "\033[0m\033[?25h";
}
