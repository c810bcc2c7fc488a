// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/thread_list.h"

#include <stdlib.h>
#include <string.h>

/* x86-64: tcbhead_t.self, which is also what fs:0x10 reads; see glibc's sysdeps/x86_64/nptl/tls.h.
 */
enum { PTHREAD_SELF_OFFSET = 0x10 };

/* The part of struct pthread a walk needs, read at once: one system call per thread. */
struct window {
	uint8_t bytes[PROBE_LIMIT_PTHREAD_OFFSET + 64];
	size_t n;
};

static uint64_t u64_at(const struct window *w, size_t offset)
{
	uint64_t value;

	memcpy(&value, w->bytes + offset, sizeof(value));
	return value;
}

static pid_t tid_at(const struct window *w, size_t offset)
{
	int32_t value;

	memcpy(&value, w->bytes + offset, sizeof(value));
	return value;
}

static size_t window_size(const struct probe_thread_list_layout *layout)
{
	size_t n = PTHREAD_SELF_OFFSET + sizeof(uint64_t);
	size_t next_end = (size_t)layout->pthread_list + layout->list_next + sizeof(uint64_t);
	size_t tid_end = (size_t)layout->pthread_tid + sizeof(int32_t);

	if (n < next_end)
		n = next_end;
	return n < tid_end ? tid_end : n;
}

static bool layout_is_sane(const struct probe_thread_list_layout *layout)
{
	return layout->list_next <= 32 && layout->pthread_list <= PROBE_LIMIT_PTHREAD_OFFSET &&
	       layout->pthread_tid <= PROBE_LIMIT_PTHREAD_OFFSET;
}

/* True when the walk came back to the head. */
static bool walk_one(const struct probe_remote *remote,
		     const struct probe_thread_list_layout *layout, uint64_t head, size_t max_steps,
		     struct probe_thread_list *list)
{
	struct window w = { .n = window_size(layout) };
	size_t next_milestone = 1;
	uint64_t node, milestone = head;

	if (probe_remote_read(remote, head + layout->list_next, &node, sizeof(node)) !=
	    PROBE_REMOTE_OK)
		return false;
	for (size_t step = 0; step < max_steps; step++) {
		uint64_t pthread;

		if (node == head)
			return true;
		/*
		 * A thread that ends meanwhile leads into the list of free stacks, which
		 * goes round for ever without meeting our head. A node kept from twice as long
		 * ago each time is met again soon after the circle was closed (Brent).
		 */
		if (node == milestone)
			return false;
		if (step == next_milestone) {
			milestone = node;
			next_milestone *= 2;
		}
		if (!sub_fits_u64(node, layout->pthread_list, &pthread))
			return false;
		if (probe_remote_read(remote, pthread, w.bytes, w.n) != PROBE_REMOTE_OK)
			return false;
		/* A stack that is being given back has no tid any more; the list goes on behind it.
		 */
		if (u64_at(&w, PTHREAD_SELF_OFFSET) == pthread &&
		    tid_at(&w, layout->pthread_tid) > 0)
			vec_push(&list->threads,
				 (struct probe_listed_thread){ tid_at(&w, layout->pthread_tid),
							       pthread });
		node = u64_at(&w, layout->pthread_list + layout->list_next);
	}
	return false;
}

static int compare_threads(const void *a, const void *b)
{
	const struct probe_listed_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* A tid that two nodes claim belongs to neither: one of them is memory that only looks like a
 * thread. */
static void drop_contested(struct probe_thread_list *list)
{
	struct probe_listed_thread *at = list->threads.at;
	size_t kept = 0, n = list->threads.n;

	for (size_t i = 0; i < n;) {
		size_t same = i + 1;
		bool agree = true;

		while (same < n && at[same].tid == at[i].tid) {
			agree &= at[same].thread_pointer == at[i].thread_pointer;
			same++;
		}
		if (agree)
			at[kept++] = at[i];
		i = same;
	}
	list->threads.n = kept;
}

void probe_thread_list_walk(const struct probe_remote *remote,
			    const struct probe_thread_list_layout *layout, size_t max_steps,
			    struct probe_thread_list *ret)
{
	struct probe_thread_list list = { VEC_INIT, true };

	if (max_steps > PROBE_LIMIT_LIST_STEPS)
		max_steps = PROBE_LIMIT_LIST_STEPS;
	for (size_t i = 0; i < ARRAY_SIZE(layout->heads); i++)
		list.complete &= layout_is_sane(layout) &&
				 walk_one(remote, layout, layout->heads[i], max_steps, &list);
	if (list.threads.n)
		qsort(list.threads.at, list.threads.n, sizeof(*list.threads.at), compare_threads);
	drop_contested(&list);
	*ret = list;
}

void probe_thread_list_deinit(struct probe_thread_list *list)
{
	vec_deinit(&list->threads);
}

const struct probe_listed_thread *probe_thread_list_find(const struct probe_thread_list *list,
							 pid_t tid)
{
	struct probe_listed_thread key = { .tid = tid };

	if (!list->threads.n)
		return NULL;
	return bsearch(&key, list->threads.at, list->threads.n, sizeof(key), compare_threads);
}
