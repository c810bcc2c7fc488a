/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals of the host. While a command runs the first SIGINT is for it; every other one, and
 * SIGTERM, SIGHUP and SIGQUIT at any time, ask us to end. Nothing dies in a handler: the guest is
 * ended and the terminal restored on the usual way out.
 */
#ifndef KTSTR_CLI_FRAME_INTERRUPTS_H
#define KTSTR_CLI_FRAME_INTERRUPTS_H

#include "base/cancel.h"

/* Sets a handler and lets the signal through; `flags` are those of sigaction(2). */
struct error *cli_handle_signal(int number, void (*handler)(int), int flags) MUST_CHECK;

/* `cancel` must live as long as the process. Signals that our parent ignores stay ignored. */
struct error *cli_interrupts_install(struct cancel *cancel) MUST_CHECK;
/* From now on (or no more) the first SIGINT is for the guest. */
void cli_interrupts_forward(bool forward);
/* A signal to pass on; 0: none. */
int cli_interrupts_take(void);
/* The terminal may have another size. True at most once for each change. */
bool cli_interrupts_take_resize(void);
/* The signal that asked us to end; 0: none did. */
int cli_interrupts_ended_by(void);

#endif
