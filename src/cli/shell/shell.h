/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `ktstr shell` share. */
#ifndef KTSTR_CLI_SHELL_SHELL_H
#define KTSTR_CLI_SHELL_SHELL_H

#include "base/cancel.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/strbuf.h"
#include "cli/frame/option.h"
#include "vm/link/exec.h"

/* What `ktstr shell` is asked for, and what it ends with. */

struct shell_config {
	const char *kernel;
	const char *topology;
	const char *memory;
	struct cli_strings files;
	struct cli_strings modules;
	const char *exec;
	const char *trace; /* a file to write; NULL: none */
	int accel;
	int clock;		 /* enum vm_clock_wish */
	uint32_t timeout_sec;	 /* 0: none */
	uint32_t keep_guest_sec; /* 0: not at all */
	uint32_t mips;		 /* 0: the default */
	uint32_t seed;
	bool deterministic;
	bool verbose;
	const char *const *argv; /* behind "--"; NULL: nothing was */
	/* Rows and shell_check(), by --topology and --memory, fill in what they know of it. */
	struct vm_spec spec;
};

/* Besides the command's own status, and 128+N for signal N. As docker and podman have them. */
enum shell_exit {
	SHELL_TIMED_OUT = 124,
	SHELL_FAILED = 125,
	SHELL_NOT_EXECUTABLE = 126,
	SHELL_NOT_FOUND = 127,
	SHELL_SIGNAL = 128,
};

enum {
	SHELL_MEMORY_MIN_MIB = 128,
	SHELL_MEMORY_MAX_MIB = 16 << 20,
};

/* "512M", "2G", or a number of MiB. */
struct error *shell_parse_memory(const char *text, uint64_t *ret_bytes) MUST_CHECK;
/* For the row of the command: a config that rows alone cannot judge. */
struct error *shell_check(void *config) MUST_CHECK;

/* What is run in the guest: the vector, the environment, the prompt. */

enum {
	COMMAND_LINE_ARGV_LIMIT = 4,
	COMMAND_LINE_ENV_LIMIT = 3,
};

struct command_line {
	const char *own[COMMAND_LINE_ARGV_LIMIT];
	const char *const *argv; /* NULL-terminated; borrowed */
	bool pty;
	char *term, *prompt;
	const char *env[COMMAND_LINE_ENV_LIMIT]; /* NULL-terminated */
};

/*
 * Without a command it is a shell: in a terminal if standard input is one, else it reads
 * commands from there. `term` is the host's TERM and may be NULL.
 */
void command_line_init(struct command_line *line, const struct shell_config *config,
		       bool stdin_is_terminal, const char *term);
/* PS1 names the machine. */
void command_line_set_prompt(struct command_line *line, const char *version,
			     const struct topo *topology);
void command_line_deinit(struct command_line *line);
#define _cleanup_command_line_ __attribute__((cleanup(command_line_deinit)))

/* `-i FILE[:GUESTPATH]`: host files with everything they need, as one archive. */

/* More than limit_bytes, which the guest could not hold, is BASE_LIMIT. */
struct error *shell_pack_files(const struct cli_strings *specs, uint64_t limit_bytes,
			       struct strbuf *archive) MUST_CHECK;

/* Ctrl-A and what follows it are for us, as in QEMU and screen. All other keys are the guest's. */

enum { KEYS_ESCAPE = 0x01 };

struct keys {
	bool escaped; /* the last key was Ctrl-A */
	bool end;     /* Ctrl-A X */
};

/*
 * Leaves in place what the guest gets and returns how much. Bytes after Ctrl-A X are dropped;
 * so is Ctrl-A with any other key.
 */
size_t keys_filter(struct keys *keys, char *bytes, size_t n);

/* What the guest says goes to our standard output and error, byte by byte as it came. */

/*
 * Writes everything, waits for slow readers, and gives up when it is cancelled. A reader that went
 * away is BASE_IO with EPIPE.
 */
struct error *output_write(int fd, const char *label, const void *bytes, size_t n,
			   const struct cancel *cancel) MUST_CHECK;

/* Lines of our own on standard error, whole also while the terminal is raw. */
void output_say(const char *text);
/* "ktstr: " and one line of foreign text. */
void output_say_line(const char *line);

/* How a shell tells what became of a guest: in words for people, in a status for programs. */

/* The exit status that says how the command ended. */
int report_status(const struct vm_end *end);

/*
 * What happened, in one line; the console's last lines where they may explain it; which command
 * helps. `console` is foreign text and may be empty.
 */
void report_format_failure(const struct error *err, const char *console, struct strbuf *into);

/* Lines about a command that ended: it could not be started, or memory was short. May be nothing.
 */
void report_format_end(const struct vm_end *end, const char *program, struct strbuf *into);

/* A command in a guest that answers, with our standard streams or our terminal. */

enum session_end {
	SESSION_EXITED, /* *ret_end says how */
	SESSION_LEFT,	/* Ctrl-A X */
	SESSION_TIMED_OUT,
	SESSION_UNREAD,	   /* the reader of our output is gone */
	SESSION_SIGNALLED, /* cli_interrupts_ended_by() */
};

/* An error is the guest's or ours. The terminal is what it was when this returns. */
struct error *session_run(struct vm *vm, const struct command_line *line, uint32_t timeout_sec,
			  struct cancel *cancel, enum session_end *ret,
			  struct vm_end *ret_end) MUST_CHECK;

/* Where the milliseconds went, for -v. */

enum { TIMING_LIMIT = 12 };

struct timing {
	uint64_t begun_ns, last_ns;
	size_t n;
	struct {
		const char *what; /* static */
		uint64_t ns;
	} at[TIMING_LIMIT];
};

void timing_begin(struct timing *timing, uint64_t now_ns);
/* What lasted from the mark before this one to now. Past the limit marks are added to the last. */
void timing_mark(struct timing *timing, const char *what, uint64_t now_ns);
/* "kernel 0.3, restore 41.0; 41.3 ms in all". */
void timing_format(const struct timing *timing, struct strbuf *into);

/*
 * The terminal of the host while a guest has it. There is one per process, because
 * whatever ends us, a crash included, must give it back as it was.
 */

/* Every key goes to the guest. Until tty_restore(), which also runs at exit and in a crash. */
struct error *tty_enter_raw(int fd) MUST_CHECK;
/* Async-signal-safe; fine when nothing was changed. */
void tty_restore(void);

/* False when fd is not a terminal or has no size: the outputs are untouched. */
bool tty_size(int fd, uint16_t *ret_cols, uint16_t *ret_rows);

/*
 * Follows the output of a full-screen program, so that it can be undone when the program had no
 * chance: the text that shows the cursor and leaves the alternate screen.
 */
struct tty_screen {
	size_t matched; /* bytes of "ESC [ ? 1049 " seen */
	bool alternate;
};
void tty_screen_follow(struct tty_screen *screen, const void *bytes, size_t n);
const char *tty_screen_undo(const struct tty_screen *screen);

/* One guest, one command or one terminal; the value is the exit status. */
int shell_run(const struct shell_config *config);

#endif
