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

/* Where the kernel reports; other directories for tests of this. */
struct suite_scheduler_system {
	const char *sched_ext, *kmsg, *tracing, *proc;
};
extern const struct suite_scheduler_system suite_scheduler_running_system;

struct suite_scheduler {
	const struct suite_scheduler_system *system;
	const char *name;
	double slowness;
	/* Set by whoever starts it: its end is judged, and it may detach and attach again. */
	bool is_judged, may_restart;
	pid_t pid; /* 0: never started */
	int pidfd;
	bool ended; /* reaped */
	int status; /* as waitpid() has it, once ended */
	bool attached;
	bool lost; /* suite_scheduler_report_loss() was called */
	char *ops;
	/* enable_seq before it was started and since it was attached last. */
	bool has_enable_seq;
	uint64_t enable_seq;
	uint64_t restarts;
	uint64_t away_since_ns; /* 0: attached when it was looked at last */
	uint64_t started_ns;
	struct suite_stream out, err;
	int kmsg_fd;
	bool dumps;
	struct strbuf kernel_lines;
};

/* What `suite_scheduler_poll` fills. */
enum { SUITE_SCHEDULER_FDS = 3 };

/* How long an attach may take, by the guest's clock. */
struct suite_scheduler_patience {
	uint64_t idle_ms;  /* without CPU time of its program, output, or a word of the kernel */
	uint64_t total_ms; /* in all */
};

void suite_scheduler_init(struct suite_scheduler *s, const struct suite_scheduler_system *system,
			  double slowness);
/* Kills what still runs. */
void suite_scheduler_deinit(struct suite_scheduler *s);

/*
 * argv[0] is a file of the working directory, or found in PATH. BASE_IO: it cannot be executed;
 * BASE_ABSENT: this kernel has no sched_ext; EBUSY: another scheduler is there already.
 */
struct error *suite_scheduler_start(struct suite_scheduler *s, const char *const *argv,
				    const char *name,
				    struct suite_report_writer *report) MUST_CHECK;
/*
 * Waits until the kernel's state is "enabled" for a scheduler that was enabled after the start.
 * False: it failed, and the report says how.
 */
bool suite_scheduler_wait_attached(struct suite_scheduler *s,
				   const struct suite_scheduler_patience *patience,
				   struct suite_report_writer *report);

void suite_scheduler_poll(const struct suite_scheduler *s, struct pollfd fds[SUITE_SCHEDULER_FDS]);
/* After poll(): reads what it prints, and reaps it when it has ended. Does not wait. */
void suite_scheduler_pump(struct suite_scheduler *s);
/*
 * Attached and running, without a break since it was attached. One that may restart: attached, or
 * away for no longer than that may take; its restarts are counted.
 */
bool suite_scheduler_is_alive(struct suite_scheduler *s);
/* A part that says how it ended: it should not have. Waits a little for its last words. */
void suite_scheduler_report_loss(struct suite_scheduler *s, struct suite_report_writer *report);

/*
 * Stops it if it runs; reports its end, what it printed and what the kernel said. With is_judged
 * also parts: the kernel had ended it before it was stopped, or it did not end cleanly.
 */
void suite_scheduler_finish(struct suite_scheduler *s, struct suite_report_writer *report);

/* "ended with exit code 1", "was ended by signal 11 (SIGSEGV)". Only once it has ended. */
char *suite_scheduler_end_words(const struct suite_scheduler *s) MUST_CHECK;
/* Why the kernel ended it, as suite_kernel_log_reason() has it; an error goes before any other. */
char *suite_scheduler_kernel_reason(struct suite_scheduler *s) MUST_CHECK;

#endif
