/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asking the kernel for delays and watermarks of threads, many with one system call. */
#ifndef KTSTR_PROCFS_TASKSTATS_H
#define KTSTR_PROCFS_TASKSTATS_H

#include "base/error.h"
#include "procfs/taskstats_decode.h"

enum {
	PROCFS_TASKSTATS_BATCH = 64,
	/* The kernel answers before the question's send() returns; this is for what never comes. */
	PROCFS_TASKSTATS_TIMEOUT_MS = 1000,
};

struct procfs_taskstats_client {
	int fd; /* -1 when closed */
	uint16_t family;
	uint32_t last_seq;
	size_t at_once; /* fewer after answers were lost for want of room */
	int timeout_ms;
	struct procfs_taskstats_buffers *buffers;
};

struct procfs_taskstats_answer {
	bool ok;
	int errnum; /* when not ok; EBADMSG for an answer that makes no sense, ETIMEDOUT for none */
	struct procfs_taskstats_values values;
};

/* BASE_ABSENT when the kernel has no taskstats, BASE_IO with errno for other refusals. */
struct error *procfs_taskstats_open(struct procfs_taskstats_client *ret) MUST_CHECK;
/* Over any socket that answers like generic netlink; takes it over. */
struct error *procfs_taskstats_open_fd(int fd, struct procfs_taskstats_client *ret) MUST_CHECK;
void procfs_taskstats_close(struct procfs_taskstats_client *client);
#define _cleanup_procfs_taskstats_ _cleanup_(procfs_taskstats_close)

/* Any number of threads; answers[i] belongs to tids[i]. */
void procfs_taskstats_ask(struct procfs_taskstats_client *client, const uint32_t *tids, size_t n,
			  struct procfs_taskstats_answer *answers);

#endif
