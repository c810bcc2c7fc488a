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

/*
 * The same, from boot to end, in a guest that hears nothing but what it was given: no terminal and
 * no signals. *ret_guest_ns is how long it lived by its own clock.
 */
struct error *session_run_deterministic(const struct vm_spec *spec,
					const struct shell_config *config,
					const struct command_line *line, struct cancel *cancel,
					enum session_end *ret, struct vm_end *ret_end,
					uint64_t *ret_guest_ns) MUST_CHECK;

/* An error is the guest's or ours. The terminal is what it was when this returns. */
struct error *session_run(struct vm *vm, const struct command_line *line, uint32_t timeout_sec,
			  struct cancel *cancel, enum session_end *ret,
			  struct vm_end *ret_end) MUST_CHECK;

#endif
