/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Another process's memory, read in batches. The interface is small so that a
 * test or a fuzzer can put a buffer behind it.
 */
#ifndef KTSTR_PROBE_REMOTE_H
#define KTSTR_PROBE_REMOTE_H

#include <sys/types.h>

#include "base/macros.h"

enum remote_status {
	REMOTE_OK,
	REMOTE_FAULT,  /* nothing is mapped there */
	REMOTE_GONE,   /* the process or thread does not exist any more */
	REMOTE_DENIED, /* we may not read it */
};

struct remote_range {
	uint64_t address;
	void *into;
	size_t n;
	enum remote_status status; /* output: all n bytes were read, or why not */
};

struct remote {
	/* Reads the ranges in order; each gets its own status. */
	void (*read_many)(const struct remote *remote, struct remote_range *ranges, size_t n);
};

static inline void remote_read_many(const struct remote *remote, struct remote_range *ranges,
				    size_t n)
{
	remote->read_many(remote, ranges, n);
}

static inline enum remote_status remote_read(const struct remote *remote, uint64_t address,
					     void *into, size_t n)
{
	struct remote_range range = { address, into, n, REMOTE_FAULT };

	remote->read_many(remote, &range, 1);
	return range.status;
}

/* REMOTE_DENIED or REMOTE_GONE when nothing at all can be read: the kernel looks at the address
 * last. */
static inline enum remote_status remote_access(const struct remote *remote)
{
	uint8_t byte;

	return remote_read(remote, 0, &byte, 1);
}

/* The errno that says the same as a status. */
int remote_errno(enum remote_status status);

struct remote_process {
	struct remote remote;
	pid_t pid;
};

/* process_vm_readv(2): nobody is stopped, PTRACE_MODE_ATTACH permission is needed. */
void remote_process_init(struct remote_process *process, pid_t pid);

#endif
