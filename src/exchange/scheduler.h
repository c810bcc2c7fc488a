/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of the scheduler under test when the report is over. */
#ifndef KTSTR_EXCHANGE_SCHEDULER_H
#define KTSTR_EXCHANGE_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

struct exchange_scheduler {
	bool started, attached, ended;
	uint32_t pid;
	char *ops; /* root/ops once attached; NULL */
	uint64_t attach_ms;
	char *end;	     /* "exited 1", "signalled 9", "stopped" (by us); NULL */
	char *kernel_reason; /* what the kernel said about it; NULL */
	char *events;	     /* root/events as text; NULL */
	bool asked;	     /* it ran when it was asked to end */
	bool has_restarts;   /* false: the kernel does not count them */
	uint64_t restarts;   /* detached and attached again */
};

#endif
