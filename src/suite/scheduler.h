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

/* What a program prints without end, kept within bounds: how it began, and how it ended. */

struct suite_stream {
	int fd; /* does not block; -1: closed */
	size_t head_limit, tail_limit;
	struct strbuf head, tail; /* the tail may hold up to twice its limit */
	uint64_t bytes;
};

/* Takes the descriptor. */
void suite_stream_init(struct suite_stream *stream, int fd, size_t head_limit, size_t tail_limit);
void suite_stream_deinit(struct suite_stream *stream);
/* Takes what there is to read; does not wait. The descriptor is closed at its end. */
void suite_stream_pump(struct suite_stream *stream);
void suite_stream_take(struct suite_stream *stream, const char *bytes, size_t n);
/* All of it, or with a line in the middle that says how much is missing. */
void suite_stream_text(const struct suite_stream *stream, struct strbuf *into);
/*
 * The last line that speaks of a failure, for usage and hints often follow it; when none does, the
 * last one that is not blank. At most its first limit_bytes. NULL: none. The caller owns it.
 */
char *suite_stream_last_words(const struct suite_stream *stream, size_t limit_bytes);
bool suite_stream_line_speaks_of_failure(const char *line, size_t n);

/* What the kernel says about sched_ext while a test runs. */

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

/*
 * The dump of CPUs and tasks that the kernel makes when it ends a scheduler (tracepoint
 * sched_ext_dump, since 6.12). It is there whether the scheduler's program prints it or not.
 */

/* `tracing` is where tracefs is mounted. From now on dumps are kept; false: there will be none. */
bool suite_scx_dump_enable(const char *tracing);
void suite_scx_dump_disable(const char *tracing);
/* What there is of a dump. Does not wait. */
void suite_scx_dump_read(const char *tracing, size_t limit_bytes, struct strbuf *into);

/* The dump's own lines out of the text of a trace. */
void suite_scx_dump_lines(const char *trace, struct strbuf *into);

/* What /sys/kernel/sched_ext says about the loaded scheduler at one moment. */

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

/* A program with its output on pipes: the scheduler under test. */

/*
 * argv[0] by its last part in the working directory, where the runner puts files, else as execvp()
 * has it. In a process group of its own; it dies with us. The pipes do not block.
 */
struct error *suite_scheduler_launch(const char *const *argv, pid_t *ret_pid, int *ret_pidfd,
				     int *ret_out, int *ret_err) MUST_CHECK;

/* Why a scheduler failed, in few words: found in what it printed and in what the kernel said. */

/*
 * "; the kernel says: …" and "; it says: …" as far as there is something to say. The scheduler's
 * own words are left out when the kernel names an error: they repeat it. `kernel` may be NULL. The
 * caller owns it.
 */
char *suite_scheduler_words_of_end(const char *kernel, const struct suite_stream *out,
				   const struct suite_stream *err) MUST_CHECK;

/*
 * Why a program that loads a scheduler gave up: the lines of its output that speak of a failure,
 * the first ones and the last, "; " between them. The cause is printed first, its consequences
 * after it. NULL: it printed nothing. The caller owns it.
 */
char *suite_scheduler_words_of_load(const char *output) MUST_CHECK;

/*
 * The refusal in the log of the kernel's verifier as libbpf prints it, "program 'fifo_init': R1
 * invalid mem access 'scalar'": the last line before the verifier's statistics. NULL: there is no
 * such log. The caller owns it.
 */
char *suite_scheduler_words_of_verifier(const char *output) MUST_CHECK;

/* The scheduler itself. */

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
