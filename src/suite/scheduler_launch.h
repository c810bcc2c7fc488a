/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program with its output on pipes: the scheduler under test. */
#ifndef KTSTR_SUITE_SCHEDULER_LAUNCH_H
#define KTSTR_SUITE_SCHEDULER_LAUNCH_H

#include <sys/types.h>

#include "base/error.h"

/*
 * argv[0] by its last part in the working folder, where the runner puts files, else as execvp() has
 * it. In a process group of its own; it dies with us. The pipes do not block.
 */
struct error *suite_scheduler_launch(const char *const *argv, pid_t *ret_pid, int *ret_pidfd,
				     int *ret_out, int *ret_err) MUST_CHECK;

#endif
