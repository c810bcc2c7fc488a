/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel says about sched_ext while a test runs. */
#ifndef KTSTR_SUITE_KERNEL_LOG_H
#define KTSTR_SUITE_KERNEL_LOG_H

#include "base/strbuf.h"

/* The log from now on; -1 when it may not be read. */
int suite_kernel_log_open(const char *path);
/* The lines since then, or since the last call, that speak of sched_ext. Does not wait. */
void suite_kernel_log_read(int fd, size_t limit_bytes, struct strbuf *into);

/*
 * What the kernel says about a process, "name[pid]: segfault at 8 ip …": the last such text from
 * here on. NULL: nothing, or the log may not be read. The caller owns it.
 */
char *suite_kernel_log_about(int fd, long pid);

/* The text of one record of /dev/kmsg, without its head and its properties; n is 0: no record. */
const char *suite_kernel_log_text(const char *record, size_t n, size_t *ret_n);
/*
 * Why the last scheduler of the lines was ended: 'runtime error: some text' of
 *	sched_ext: BPF scheduler "fifo" disabled (runtime error)
 *	sched_ext: fifo: some text
 * NULL when they do not tell. The caller owns it.
 */
char *suite_kernel_log_reason(const char *lines);
/*
 * The same of the last scheduler that was ended for an error, whatever ended afterwards. NULL:
 * there was none. The caller owns it.
 */
char *suite_kernel_log_error(const char *lines);
/*
 * Whether a reason as above is an error of the scheduler. "unregistered from user space", "from
 * BPF" and "from the main kernel" (a CPU came or went) are not.
 */
bool suite_kernel_log_is_error(const char *reason);

#endif
