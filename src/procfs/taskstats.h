/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asking the kernel for delays and watermarks of threads, many with one system call. */
#ifndef KTSTR_PROCFS_TASKSTATS_H
#define KTSTR_PROCFS_TASKSTATS_H

#include "base/bytes.h"
#include "base/error.h"
#include "procfs/reading.h"

/*
 * The kernel's struct taskstats and the netlink messages that carry it; see
 * Documentation/accounting/taskstats.rst. The struct says its version, and fields moved between
 * versions: what a version does not have is not known.
 */

/* In the order in which the registry of metrics has them. */
#define PROCFS_TASKSTATS_DELAYS(X) \
	X(CPU)                     \
	X(BLKIO)                   \
	X(SWAPIN)                  \
	X(FREEPAGES)               \
	X(THRASHING)               \
	X(COMPACT)                 \
	X(WPCOPY)                  \
	X(IRQ)
#define PROCFS_TASKSTATS_DELAY_(id) PROCFS_TASKSTATS_##id,
enum procfs_taskstats_delay_id {
	PROCFS_TASKSTATS_DELAYS(PROCFS_TASKSTATS_DELAY_) PROCFS_N_TASKSTATS_DELAYS
};
#undef PROCFS_TASKSTATS_DELAY_

struct procfs_taskstats_delay {
	struct procfs_reading count, total_ns;
	struct procfs_reading max_ns, min_ns; /* since version 15; min_ns 0: there was no delay */
};

struct procfs_taskstats_values {
	uint16_t version;
	struct procfs_reading tgid; /* since version 12 */
	struct procfs_taskstats_delay delays[PROCFS_N_TASKSTATS_DELAYS];
	/* Of the whole process; KiB in the struct, so a value that does not fit is the largest. */
	struct procfs_reading hiwater_rss_bytes, hiwater_vm_bytes;
};

/* Bytes of the struct, as many as the kernel sent. */
void procfs_taskstats_values_parse(struct bytes in, struct procfs_taskstats_values *ret);

/* TASKSTATS_REPLY(id, what) */
#define PROCFS_TASKSTATS_REPLIES(X)                                             \
	X(VALUES, "an answer")                                                  \
	X(ERRNO, "the kernel refused")                                          \
	X(SHORT, "the message is shorter than its header says")                 \
	X(FOREIGN, "a message of another kind, or an answer that says nothing") \
	X(NO_PID, "there is no thread in the answer")                           \
	X(NO_STATS, "there are no values in the answer")
#define PROCFS_TASKSTATS_REPLY_(id, what) PROCFS_TASKSTATS_REPLY_##id,
enum procfs_taskstats_reply_kind {
	PROCFS_TASKSTATS_REPLIES(PROCFS_TASKSTATS_REPLY_) PROCFS_N_TASKSTATS_REPLIES
};
#undef PROCFS_TASKSTATS_REPLY_

struct procfs_taskstats_reply {
	enum procfs_taskstats_reply_kind kind;
	uint32_t seq;			       /* 0 when the message is too short for it */
	int errnum;			       /* with ERRNO */
	uint32_t tid;			       /* with VALUES and NO_STATS */
	struct procfs_taskstats_values values; /* with VALUES */
};

/* One datagram: the first message in it. */
void procfs_taskstats_reply_parse(struct bytes datagram, uint16_t family,
				  struct procfs_taskstats_reply *ret);

/* The answer to "what is TASKSTATS called": false when it is none; *ret_errnum 0 or why. */
bool procfs_taskstats_family_parse(struct bytes datagram, uint32_t seq, uint16_t *ret,
				   int *ret_errnum);

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
