/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A BPF program that this program carries inside, in the running kernel. Members of the kernel's
 * structures are found by the kernel's own BTF, so the same object serves many kernels. libbpf is
 * silent; what it had to say is in the error.
 */
#ifndef KTSTR_BPFLOAD_BPFLOAD_H
#define KTSTR_BPFLOAD_BPFLOAD_H

#include "base/error.h"
#include "base/strbuf.h"

/* Why one of our BPF programs does not run here. */

#define BPFLOAD_ERRORS(X)                                                                \
	X(BPFLOAD_PERMISSION, "bpf-permission", "no permission to load BPF programs")    \
	X(BPFLOAD_NO_BTF, "bpf-no-btf", "the kernel does not describe its types")        \
	X(BPFLOAD_OBJECT, "bpf-object", "the object file is not one that can be loaded") \
	X(BPFLOAD_REFUSED, "bpf-refused", "the kernel refused the program")              \
	X(BPFLOAD_ATTACH, "bpf-attach", "the program could not be attached")             \
	X(BPFLOAD_READ, "bpf-read", "the program's output could not be read")
DECLARE_ERROR_DOMAIN(bpfload, BPFLOAD, BPFLOAD_ERRORS);

struct bpfload;

/*
 * Opens the object, fits it to this kernel and loads its programs. `name` is for errors. The bytes
 * are needed only during the call.
 */
struct error *bpfload_open(const char *name, const void *object, size_t n_bytes,
			   struct bpfload **ret) MUST_CHECK;
void bpfload_free(struct bpfload *load);

DEFINE_CLEANUP(bpfload, struct bpfload *, NULL, bpfload_free);
#define _cleanup_bpfload_ _cleanup_(cleanup_bpfload)

/* Bytes of an iterator's output; what the program writes in one call is never cut. */
typedef struct error *bpfload_fn(const void *bytes, size_t n, void *arg);

/*
 * Runs an iterator once, from its first object to its last. An error of visit() ends it and is
 * returned.
 */
struct error *bpfload_read(struct bpfload *load, const char *program, bpfload_fn *visit,
			   void *arg) MUST_CHECK;

/*
 * What libbpf would print is kept. Between the two, warnings of libbpf that this thread causes go
 * to *into; nothing is ever printed, in any thread, once a program has been opened.
 */
void bpfload_log_begin(struct strbuf *into);
void bpfload_log_end(void);

/*
 * The end of a log on one line, for an error: the last lines that say something, joined by
 * " | ". Lines that only frame others, and what libbpf puts in front of each, are left out.
 */
void bpfload_log_tail(const char *text, size_t n, struct strbuf *into);

enum {
	/* What libbpf says is kept up to here; of a longer log, the end. */
	BPFLOAD_LOG_BYTES = 64 << 10,
	/* Of a log, this many of its last lines go into an error. */
	BPFLOAD_LOG_LINES = 6,
	/*
	 * The kernel's own buffer of an iterator: a longer read brings no more, a shorter one may
	 * end in the middle of what the program wrote.
	 */
	BPFLOAD_READ_PAGES = 8,
};

#endif
