/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A BPF program that this program carries inside, in the running kernel. Members of the kernel's
 * structures are found by the kernel's own BTF, so the same object serves many kernels. libbpf is
 * silent; what it had to say is in the error.
 */
#ifndef KTSTR_BPFLOAD_BPFLOAD_H
#define KTSTR_BPFLOAD_BPFLOAD_H

#include "base/error.h"
#include "bpfload/error.h"

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

#endif
