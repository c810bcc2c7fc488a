/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the guest's kernel said on its console, read for signs of death. */
#ifndef KTSTR_VM_LINK_CONSOLE_H
#define KTSTR_VM_LINK_CONSOLE_H

#include "base/error.h"
#include "base/strbuf.h"

enum vm_console_sign {
	VM_CONSOLE_QUIET,     /* nothing that explains anything */
	VM_CONSOLE_AGENT,     /* the agent gave up */
	VM_CONSOLE_OOM,	      /* the kernel killed a process for lack of memory */
	VM_CONSOLE_STALL,     /* a CPU does not get on: soft lockup, RCU stall, hung task */
	VM_CONSOLE_OOPS,      /* a kernel fault that was not (yet) a panic */
	VM_CONSOLE_OOM_PANIC, /* a panic for lack of memory */
	VM_CONSOLE_PANIC,
};

/* The gravest sign and the line that shows it, cleaned of control characters; appends nothing for
 * VM_CONSOLE_QUIET. Of equally grave ones the first, which is the cause of the others. */
enum vm_console_sign vm_console_read_signs(const char *text, size_t n, struct strbuf *line);

/*
 * The processes that the kernel killed for lack of memory, in its order, by their numbers in the
 * guest. At most `most`; returns how many.
 */
size_t vm_console_read_oom_pids(const char *text, size_t n, uint32_t *ret, size_t most);

/* The last part of a log, whole lines, at most `limit_bytes`. A file that is absent is empty. */
struct error *vm_console_read_tail(const char *path, size_t limit_bytes,
				   struct strbuf *into) MUST_CHECK;

/* What was written from byte `from` on, at most `limit_bytes`. */
struct error *vm_console_read_from(const char *path, uint64_t from, size_t limit_bytes,
				   struct strbuf *into) MUST_CHECK;
/*
 * A guest that never stops talking must not fill the disk: when the log has grown large, all but
 * its last part is given back. What is left stays where it was; before it there are zeros.
 */
void vm_console_trim(int fd);
/* Bytes so far; 0 when it cannot be told. */
uint64_t vm_console_size(const char *path);

#endif
