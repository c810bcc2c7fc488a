/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user can do about a refusal of the system. */
#ifndef KTSTR_CLI_JEMALLOC_PROBE_HINT_H
#define KTSTR_CLI_JEMALLOC_PROBE_HINT_H

#include <sys/types.h>

#include "base/strbuf.h"

/* Who may read this process, by the rule this system follows, or who is at it already. */
void hint_permission(const char *proc_root, pid_t pid, struct strbuf *into);
/* Why the executable of a live process cannot be looked at; empty when nothing is known. */
void hint_exe(const char *proc_root, pid_t pid, int errnum, struct strbuf *into);

#endif
