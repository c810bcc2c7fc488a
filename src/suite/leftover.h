/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes of a test that are still there when they should not be. */
#ifndef KTSTR_SUITE_LEFTOVER_H
#define KTSTR_SUITE_LEFTOVER_H

#include "suite/cgroup.h"
#include "suite/report_writer.h"

/*
 * All that live in the subtree (-1: there is none) and all children of ours, to which the
 * system gives those whose parents are gone. Ended children are reaped on the way.
 */
void suite_leftover_find(int subtree_fd, struct suite_cgroup_pids *ret);
/* Waits until there are none; false when limit_ms are over before. */
bool suite_leftover_wait(int subtree_fd, uint64_t limit_ms);
/* SIGKILL to all of them, again until they are gone or limit_ms are over. */
bool suite_leftover_kill(int subtree_fd, uint64_t limit_ms);
/* A part that names them, if there are any; `what` says how they came to be there. */
void suite_leftover_report(int subtree_fd, const char *what, struct suite_report_writer *report);

#endif
