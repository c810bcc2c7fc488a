/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Another process's memory, read in batches. The interface is small so that a
 * test or a fuzzer can put a buffer behind it.
 */
#ifndef KTSTR_PROBE_REMOTE_H
#define KTSTR_PROBE_REMOTE_H

#include <sys/types.h>

#include "base/macros.h"

enum probe_remote_status {
	PROBE_REMOTE_OK,
	PROBE_REMOTE_FAULT,  /* nothing is mapped there */
	PROBE_REMOTE_GONE,   /* the process or thread does not exist any more */
	PROBE_REMOTE_DENIED, /* we may not read it */
};

struct probe_remote_range {
	uint64_t address;
	void *into;
	size_t n;
	enum probe_remote_status status; /* output: all n bytes were read, or why not */
};

struct probe_remote {
	/* Reads the ranges in order; each gets its own status. */
	void (*read_many)(const struct probe_remote *remote, struct probe_remote_range *ranges,
			  size_t n);
};

static inline void probe_remote_read_many(const struct probe_remote *remote,
					  struct probe_remote_range *ranges, size_t n)
{
	remote->read_many(remote, ranges, n);
}

static inline enum probe_remote_status probe_remote_read(const struct probe_remote *remote,
							 uint64_t address, void *into, size_t n)
{
	struct probe_remote_range range = { address, into, n, PROBE_REMOTE_FAULT };

	remote->read_many(remote, &range, 1);
	return range.status;
}

/* PROBE_REMOTE_DENIED or PROBE_REMOTE_GONE when nothing at all can be read: the kernel looks at the
 * address last. */
static inline enum probe_remote_status probe_remote_access(const struct probe_remote *remote)
{
	uint8_t byte;

	return probe_remote_read(remote, 0, &byte, 1);
}

/* The errno that says the same as a status. */
int probe_remote_errno(enum probe_remote_status status);

struct probe_remote_process {
	struct probe_remote remote;
	pid_t pid;
};

/* process_vm_readv(2): nobody is stopped, PTRACE_MODE_ATTACH permission is needed. */
void probe_remote_process_init(struct probe_remote_process *process, pid_t pid);

#endif
