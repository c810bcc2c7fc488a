/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * glibc describes its own structs for debuggers: symbols `_thread_db_<name>`,
 * each three u32 {bits, count, byte offset}. They come from the libc file the target
 * has mapped, never from ours. glibc 2.34 and later; other C libraries have none.
 */
#ifndef KTSTR_PROBE_GLIBC_H
#define KTSTR_PROBE_GLIBC_H

#include <sys/types.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/vec.h"
#include "probe/objects.h"

/*
 * Another process's memory, read in batches. The interface is small so that a
 * test or a fuzzer can put a buffer behind it.
 */

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

/*
 * Thread pointers from glibc's own lists of stacks, read while the process
 * runs. A list may change under the walk: what is found is checked one by one, and
 * a walk that lost its way simply ends.
 */

/* Where things are in glibc's structs; out of its descriptors, see glibc.h. */
struct probe_thread_list_layout {
	uint64_t heads[2];     /* addresses of _dl_stack_used and _dl_stack_user */
	uint32_t list_next;    /* offset of `next` in a list node */
	uint32_t pthread_list; /* offset of the node in struct pthread */
	uint32_t pthread_tid;
};

enum {
	/* Offsets past this are not those of any struct pthread (about 2.3 KB). */
	PROBE_LIMIT_PTHREAD_OFFSET = 16384,
	/* More nodes than threads: some stacks are on their way in or out. */
	PROBE_LIMIT_LIST_STEPS = 4 << 20,
};

struct probe_listed_thread {
	pid_t tid; /* in the target's own pid namespace */
	uint64_t thread_pointer;
};

struct probe_thread_list {
	VEC(struct probe_listed_thread) threads; /* sorted by tid, each tid once */
	bool complete;				 /* both walks came back to where they began */
};

/*
 * Finds what it can; never fails. A node counts when its struct points to
 * itself and has a tid; whether that tid is a thread of the process is the caller's to check.
 * max_steps bounds the walk over each list.
 */
void probe_thread_list_walk(const struct probe_remote *remote,
			    const struct probe_thread_list_layout *layout, size_t max_steps,
			    struct probe_thread_list *ret);
void probe_thread_list_deinit(struct probe_thread_list *list);
/* NULL when not listed. */
const struct probe_listed_thread *probe_thread_list_find(const struct probe_thread_list *list,
							 pid_t tid);

struct probe_glibc_layout {
	struct probe_thread_list_layout threads;

	/* For libraries' thread-local storage; only in a dynamically linked process. */
	bool has_libraries;
	uint64_t r_debug;	/* address of _r_debug */
	uint64_t slotinfo_list; /* address of the pointer _dl_tls_dtv_slotinfo_list */
	uint32_t link_map_tls_modid;
	uint32_t link_map_tls_offset;
	uint32_t pthread_dtvp;
	uint32_t dtv_slot_bytes;
	uint32_t dtv_pointer_val;
	uint32_t slotinfo_list_len;
	uint32_t slotinfo_list_next;
	uint32_t slotinfo_list_slots;
	uint32_t slotinfo_bytes;
	uint32_t slotinfo_gen;
};

/* BASE_ABSENT with a reason when the process's C library has no such descriptors. */
struct error *probe_glibc_layout_read(struct probe_objects *objects,
				      struct probe_glibc_layout *ret) MUST_CHECK;

#endif
