/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The scheduler under test: started, waited for, watched, stopped. It says everything about it in
 * the report: how far it came, what it printed, what the kernel said, and the parts of the verdict
 * that are about it.
 */
#ifndef KTSTR_SUITE_SCHEDULER_H
#define KTSTR_SUITE_SCHEDULER_H

#include <poll.h>
#include <sys/types.h>

#include "suite/report_writer.h"
#include "suite/stream.h"

/* Where the kernel tells; other folders for tests of this. */
struct scheduler_system {
	const char *sched_ext, *kmsg, *tracing;
};
extern const struct scheduler_system scheduler_running_system;

struct scheduler {
	const struct scheduler_system *system;
	const char *name;
	double slowness;
	pid_t pid; /* 0: never started */
	int pidfd;
	bool ended; /* reaped */
	int status; /* as waitpid() has it, once ended */
	bool attached;
	char *ops;
	uint64_t started_ns;
	struct stream out, err;
	int kmsg_fd;
	bool dumps;
	struct strbuf kernel_lines;
};

/* What `scheduler_poll` fills. */
enum { SCHEDULER_FDS = 3 };

void scheduler_init(struct scheduler *s, const struct scheduler_system *system, double slowness);
/* Kills what still runs. */
void scheduler_deinit(struct scheduler *s);

/*
 * argv[0] is a file of the working folder, or found in PATH. BASE_IO: it cannot be executed;
 * BASE_ABSENT: this kernel has no sched_ext; EBUSY: another scheduler is there already.
 */
struct error *scheduler_start(struct scheduler *s, const char *const *argv, const char *name,
			      struct report_writer *report) MUST_CHECK;
/* Waits until the kernel uses it. False: it failed, and the report says how. */
bool scheduler_wait_attached(struct scheduler *s, uint64_t limit_ms, struct report_writer *report);

void scheduler_poll(const struct scheduler *s, struct pollfd fds[SCHEDULER_FDS]);
/* After poll(): reads what it prints, and reaps it when it has ended. Does not wait. */
void scheduler_pump(struct scheduler *s);
/* Attached and running. */
bool scheduler_is_alive(const struct scheduler *s);
/* A part that says how it ended: it should not have. Waits a little for its last words. */
void scheduler_report_loss(struct scheduler *s, struct report_writer *report);

/* Stops it if it runs; reports its end, what it printed and what the kernel said. */
void scheduler_finish(struct scheduler *s, struct report_writer *report);

#endif
