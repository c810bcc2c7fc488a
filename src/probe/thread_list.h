/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Thread pointers from glibc's own lists of stacks, read while the process
 * runs. A list may change under the walk: what is found is checked one by one, and
 * a walk that lost its way simply ends.
 */
#ifndef KTSTR_PROBE_THREAD_LIST_H
#define KTSTR_PROBE_THREAD_LIST_H

#include <sys/types.h>

#include "base/vec.h"
#include "probe/remote.h"

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

#endif
