/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs in the guest: arguments in, output and exit status out; and files. */
#ifndef KTSTR_VM_LINK_EXEC_H
#define KTSTR_VM_LINK_EXEC_H

#include "vm/vm.h"

enum vm_stream { VM_STDOUT, VM_STDERR, VM_REPORT };

/* Takes output as it comes. An error ends the command's watch and comes back from vm_exec(). */
typedef struct error *(*vm_output_fn)(void *context, enum vm_stream stream, const void *bytes,
				      size_t n);

struct vm_command {
	const char *const *argv;
	const char *const *env; /* added to the agent's defaults; NULL: none */
	const char *cwd;	/* NULL: /root */
	const char *cgroup;	/* below the cgroup2 mount, made if absent; NULL: the root */
	int stdin_fd;		/* read until its end; -1: nothing to read */
	/*
	 * Sees what was read before it is sent, and may shorten it in place. With it input is read
	 * also while the guest takes none, up to a limit: a key that ends everything must work
	 * in a guest that hangs. May be NULL.
	 */
	size_t (*filter_input)(void *context, char *bytes, size_t n);
	bool pty;
	bool report; /* a pipe for WIRE_REPORT_FD; what comes there is VM_REPORT */
	uint16_t cols, rows;
	vm_output_fn on_output;
	void *context;
	/* Asked now and then; a pending signal is passed on, 0: none. May be NULL. */
	int (*take_signal)(void *context);
	/* Called now and then while the command runs. May be NULL. */
	void (*tick)(void *context);
	/* True when the terminal has changed its size. May be NULL. */
	bool (*take_resize)(void *context, uint16_t *cols, uint16_t *rows);
	uint64_t patience_ns; /* with a silent agent, at least; 0: the usual */
	uint64_t timeout_ns;  /* 0: none. Past it the command is killed and that is BASE_CANCELLED.
				 With a  virtual clock it is the guest's time. */
};

enum { VM_LIMIT_OOM_PIDS = 32 };

struct vm_end {
	enum wire_end how;
	uint32_t value; /* status, signal, or errno */
	uint64_t utime_us, stime_us, maxrss_kb;
	/* The guest's kernel killed something for lack of memory meanwhile: its line. "": no. */
	char oom[256];
	/* The processes that it killed, the first ones of them. */
	uint32_t oom_pids[VM_LIMIT_OOM_PIDS];
	size_t n_oom_pids;
};

struct error *vm_exec(struct vm *vm, const struct vm_command *command, const struct cancel *cancel,
		      struct vm_end *ret) MUST_CHECK;

/* Unpacks an archive below a directory of the guest. */
struct error *vm_put_bytes(struct vm *vm, const char *root, const void *archive, size_t n,
			   const struct cancel *cancel, uint64_t *ret_files) MUST_CHECK;

/* A module of the kernel's package, with those it needs, into a running guest. */

/*
 * modules_dir is the kernel's, NULL when its package has none: then, and when there is no such
 * module, the error says so. One that is built in or loaded already is fine.
 */
struct error *vm_load_module(struct vm *vm, const char *modules_dir, const char *name,
			     const struct cancel *cancel) MUST_CHECK;

/* Scans the guest's console for panics, oopses and the like. */

enum vm_console_sign {
	VM_CONSOLE_QUIET,     /* nothing that explains anything */
	VM_CONSOLE_AGENT,     /* the agent gave up */
	VM_CONSOLE_OOM,	      /* the kernel killed a process for lack of memory */
	VM_CONSOLE_STALL,     /* a CPU does not get on: soft lockup, RCU stall, hung task */
	VM_CONSOLE_OOPS,      /* a kernel fault that was not (yet) a panic */
	VM_CONSOLE_OOM_PANIC, /* a panic for lack of memory */
	VM_CONSOLE_PANIC,
};

/* The gravest sign and the line that shows it, cleaned of control characters; appends nothing for
 * VM_CONSOLE_QUIET. Of equally grave ones the first, which is the cause of the others. */
enum vm_console_sign vm_console_read_signs(const char *text, size_t n, struct strbuf *line);

/*
 * The processes that the kernel killed for lack of memory, in its order, by their numbers in the
 * guest. At most `most`; returns how many.
 */
size_t vm_console_read_oom_pids(const char *text, size_t n, uint32_t *ret, size_t most);

/* The last part of a log, whole lines, at most `limit_bytes`. A file that is absent is empty. */
struct error *vm_console_read_tail(const char *path, size_t limit_bytes,
				   struct strbuf *into) MUST_CHECK;

/* What was written from byte `from` on, at most `limit_bytes`. */
struct error *vm_console_read_from(const char *path, uint64_t from, size_t limit_bytes,
				   struct strbuf *into) MUST_CHECK;
/*
 * A guest that never stops talking must not fill the disk: when the log has grown large, all but
 * its last part is given back. What is left stays where it was; before it there are zeros.
 */
void vm_console_trim(int fd);
/* Bytes so far; 0 when unknown. */
uint64_t vm_console_size(const char *path);

#endif
