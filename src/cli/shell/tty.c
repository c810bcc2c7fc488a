// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"
#include "base/macros.h"
#include "text/terminal.h"

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

/* While we are stopped the shell needs a cooked terminal; raw mode returns with SIGCONT. */
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

size_t keys_filter(struct keys *keys, char *bytes, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n && !keys->end; i++) {
		if (keys->escaped) {
			keys->escaped = false;
			if (bytes[i] == KEYS_ESCAPE)
				bytes[kept++] = KEYS_ESCAPE;
			/* Ctrl-X counts as X: Ctrl may still be held down. */
			keys->end = bytes[i] == 'x' || bytes[i] == 'X' || bytes[i] == ('x' & 0x1f);
		} else if (bytes[i] == KEYS_ESCAPE) {
			keys->escaped = true;
		} else {
			bytes[kept++] = bytes[i];
		}
	}
	return kept;
}

enum {
	/* A signal that came just before poll() is seen this much later. */
	SLICE_MS = 100,
	/* What a pipe takes at once when poll() says that it takes something. */
	PIECE = PIPE_BUF,
};

struct error *output_write(int fd, const char *label, const void *bytes, size_t n,
			   const struct cancel *cancel)
{
	const char *at = bytes;

	while (n) {
		struct pollfd p = { .fd = fd, .events = POLLOUT };
		struct error *err = cancel_error(cancel, "writing output");
		ssize_t done;

		if (err)
			return err;
		if (poll(&p, 1, SLICE_MS) <= 0)
			continue;
		done = write(fd, at, n < PIECE ? n : PIECE);
		if (done < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (done < 0)
			return base_error(BASE_IO, errno, "cannot write to %s", label);
		at += done;
		n -= (size_t)done;
	}
	return NULL;
}

void output_say(const char *text)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	for (; *text; text++) {
		if (*text == '\n' && tty.raw)
			strbuf_append_char(&out, '\r');
		strbuf_append_char(&out, *text);
	}
	/* Nobody is left to tell when standard error itself is gone. */
	error_free(io_write_all(STDERR_FILENO, "standard error", strbuf_str(&out), out.n));
}

void output_say_line(const char *line)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	strbuf_append(&out, "ktstr: ");
	text_escape(&out, line);
	strbuf_append_char(&out, '\n');
	output_say(strbuf_str(&out));
}
