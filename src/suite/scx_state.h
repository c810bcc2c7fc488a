/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What /sys/kernel/sched_ext says about the loaded scheduler at one moment. */
#ifndef KTSTR_SUITE_SCX_STATE_H
#define KTSTR_SUITE_SCX_STATE_H

#include "base/macros.h"

struct suite_scx_state {
	/* "enabled": the scheduler is attached and every task is its own. Nothing else is. */
	char name[24];
	/* How often a scheduler was enabled since boot. False: the kernel does not count. */
	bool has_enable_seq;
	uint64_t enable_seq;
};

/* `sched_ext` is the directory. A file that cannot be read leaves "" and false. */
void suite_scx_state_read(const char *sched_ext, struct suite_scx_state *ret);
bool suite_scx_state_is_enabled(const struct suite_scx_state *state);

/* A file of the directory without its newline. NULL: it cannot be read. The caller owns it. */
char *suite_scx_state_read_file(const char *sched_ext, const char *name) MUST_CHECK;
/*
 * The name of the scheduler. Meaningful only while the state is "enabled": 6.18 prints "(efault)"
 * here while it attaches one. NULL: none. The caller owns it.
 */
char *suite_scx_state_read_ops(const char *sched_ext) MUST_CHECK;

#endif
