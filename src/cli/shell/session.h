/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command in a guest that answers, with our standard streams or our terminal. */
#ifndef KTSTR_CLI_SHELL_SESSION_H
#define KTSTR_CLI_SHELL_SESSION_H

#include "cli/shell/command_line.h"
#include "vm/exec.h"

enum session_end {
	SESSION_EXITED, /* *ret_end says how */
	SESSION_LEFT,	/* Ctrl-A X */
	SESSION_TIMED_OUT,
	SESSION_UNREAD,	   /* nobody reads our output any more */
	SESSION_SIGNALLED, /* interrupts_ended_by() */
};

/* An error is the guest's or ours. The terminal is what it was when this returns. */
struct error *session_run(struct vm *vm, const struct command_line *line, uint32_t timeout_sec,
			  struct cancel *cancel, enum session_end *ret,
			  struct vm_end *ret_end) MUST_CHECK;

#endif
