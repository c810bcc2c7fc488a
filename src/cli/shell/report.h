/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a shell tells what became of a guest: in words for people, in a status for programs. */
#ifndef KTSTR_CLI_SHELL_REPORT_H
#define KTSTR_CLI_SHELL_REPORT_H

#include "base/error.h"
#include "base/strbuf.h"
#include "vm/exec.h"

/* The exit status that says how the command ended. */
int report_status(const struct vm_end *end);

/*
 * What happened, in one line; the console's last lines where they may explain it; which command
 * helps. `console` is foreign text and may be empty.
 */
void report_format_failure(const struct error *err, const char *console, struct strbuf *into);

/* Lines about a command that ended: it could not be started, or memory was short. May be nothing.
 */
void report_format_end(const struct vm_end *end, const char *program, struct strbuf *into);

#endif
