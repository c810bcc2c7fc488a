/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The duties of PID 1 before anything can be served. */
#ifndef KTSTR_AGENT_SETUP_H
#define KTSTR_AGENT_SETUP_H

#include "base/strbuf.h"

/* Makes a machine out of an initramfs. What goes wrong becomes a line of *log, and work goes on. */
void agent_setup_machine(struct strbuf *log);
/* Is this word, or word=…, an argument of the kernel? */
bool agent_setup_cmdline_has(const char *cmdline, const char *word);

#endif
