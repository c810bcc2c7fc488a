// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/frame/interrupts.h"

enum {
	COLS_WHEN_UNKNOWN = 80,
	ROWS_WHEN_UNKNOWN = 24,
};

struct session {
	struct cancel *cancel;
	struct keys keys;
	struct tty_screen screen;
	bool pty, unread;
};

static struct error *on_output(void *context, enum vm_stream stream, const void *bytes, size_t n)
{
	struct session *session = context;
	struct error *err;

	if (session->pty)
		tty_screen_follow(&session->screen, bytes, n);
	if (stream == VM_STDOUT)
		err = output_write(STDOUT_FILENO, "standard output", bytes, n, session->cancel);
	else
		err = output_write(STDERR_FILENO, "standard error", bytes, n, session->cancel);
	session->unread |= err && error_errno(err) == EPIPE;
	return err;
}

static size_t filter_input(void *context, char *bytes, size_t n)
{
	struct session *session = context;
	size_t kept = keys_filter(&session->keys, bytes, n);

	if (session->keys.end)
		cancel_request(session->cancel);
	return kept;
}

static int take_signal(void *context UNUSED)
{
	return cli_interrupts_take();
}

static bool size_of_terminal(uint16_t *cols, uint16_t *rows)
{
	return tty_size(STDIN_FILENO, cols, rows) || tty_size(STDOUT_FILENO, cols, rows);
}

static bool take_resize(void *context UNUSED, uint16_t *cols, uint16_t *rows)
{
	return cli_interrupts_take_resize() && size_of_terminal(cols, rows);
}

/* Whether we caused the error ourselves, and how; false: it is a failure. */
static bool was_wanted(const struct session *session, const struct error *err,
		       enum session_end *ret)
{
	if (session->unread)
		*ret = SESSION_UNREAD;
	else if (!error_is(err, &base_error_domain, BASE_CANCELLED))
		return false;
	else if (session->keys.end)
		*ret = SESSION_LEFT;
	else if (cli_interrupts_ended_by())
		*ret = SESSION_SIGNALLED;
	else
		*ret = SESSION_TIMED_OUT;
	return true;
}

static void leave_terminal(const struct session *session, const struct error *err)
{
	const char *undo = tty_screen_undo(&session->screen);

	/* A shell that ended by itself has cleaned up after itself. */
	if (err && isatty(STDOUT_FILENO)) {
		error_free(output_write(STDOUT_FILENO, "the terminal", undo, strlen(undo), NULL));
		output_say("\n");
	}
	tty_restore();
}

static struct vm_command command_of(const struct command_line *line, struct session *session,
				    uint32_t timeout_sec)
{
	return (struct vm_command){
		.argv = line->argv,
		.env = line->env,
		.stdin_fd = STDIN_FILENO,
		.filter_input = line->pty ? filter_input : NULL,
		.pty = line->pty,
		.cols = COLS_WHEN_UNKNOWN,
		.rows = ROWS_WHEN_UNKNOWN,
		.on_output = on_output,
		.context = session,
		.take_signal = line->pty ? NULL : take_signal,
		.take_resize = line->pty ? take_resize : NULL,
		.timeout_ns = timeout_sec * NS_PER_SEC,
	};
}

static struct error *judge(const struct session *session, struct error *err, enum session_end *ret)
{
	if (!err) {
		*ret = SESSION_EXITED;
		return NULL;
	}
	if (!was_wanted(session, err, ret))
		return err;
	error_free(err);
	return NULL;
}

struct error *session_run(struct vm *vm, const struct command_line *line, uint32_t timeout_sec,
			  struct cancel *cancel, enum session_end *ret, struct vm_end *ret_end)
{
	struct session session = { .cancel = cancel, .pty = line->pty };
	struct vm_command command = command_of(line, &session, timeout_sec);
	struct error *err;

	if (line->pty) {
		size_of_terminal(&command.cols, &command.rows);
		err = tty_enter_raw(STDIN_FILENO);
		if (err)
			return err;
	}
	/* A terminal would have to type all input before the command starts. */
	if (vm_facts(vm).clock == VM_CLOCK_VIRTUAL && isatty(STDIN_FILENO))
		command.stdin_fd = -1;
	cli_interrupts_forward(!line->pty && vm_facts(vm).clock == VM_CLOCK_REAL);
	err = vm_exec(vm, &command, cancel, ret_end);
	cli_interrupts_forward(false);
	if (line->pty)
		leave_terminal(&session, err);
	return judge(&session, err, ret);
}
