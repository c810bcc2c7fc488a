// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk over glibc's lists of stacks, in memory that anybody may have written. What
 * it finds is compared with a slow walk that remembers every node. The corpus was
 * taken from live processes with tests/fuzz/capture_probe_corpus.py.
 *
 * Input: u8 list_next, u16 pthread_list, u16 pthread_tid, u16 max_steps, two u16
 * places of the heads, then the records of fake_process.h.
 */
/* covers: src/probe/glibc.c */
#include "fuzz.h"

#include "fake_process.h"
#include "probe/glibc.h"

enum { MAX_STEPS = 4096, SELF = 0x10 };

struct slow_list {
	struct probe_listed_thread threads[2 * MAX_STEPS];
	uint64_t seen[MAX_STEPS + 1];
	size_t n;
	bool complete;
};

static uint64_t peek(const struct fake_process *process, uint64_t address)
{
	uint64_t value = 0;

	return fake_peek(process, address, &value, sizeof(value)) ? value : 0;
}

/* All that the walk reads of one struct at once: unless all is there, it ends. */
static bool is_whole(const struct fake_process *process,
		     const struct probe_thread_list_layout *layout, uint64_t pthread)
{
	static uint8_t window[65536];
	size_t n = SELF + 8;

	if (n < (size_t)layout->pthread_list + layout->list_next + 8)
		n = (size_t)layout->pthread_list + layout->list_next + 8;
	if (n < (size_t)layout->pthread_tid + 4)
		n = (size_t)layout->pthread_tid + 4;
	return fake_peek(process, pthread, window, n);
}

static bool slow_walk(const struct fake_process *process,
		      const struct probe_thread_list_layout *layout, uint64_t head,
		      size_t max_steps, struct slow_list *list)
{
	uint64_t node = peek(process, head + layout->list_next);
	size_t n_seen = 0;

	if (!fake_peek(process, head + layout->list_next, &node, sizeof(node)))
		return false;
	while (n_seen < max_steps) {
		uint64_t pthread = node - layout->pthread_list;
		int32_t tid = 0;

		if (node == head)
			return true;
		for (size_t i = 0; i < n_seen; i++)
			if (list->seen[i] == node)
				return false;
		list->seen[n_seen++] = node;
		if (node < layout->pthread_list || !is_whole(process, layout, pthread))
			return false;
		fake_peek(process, pthread + layout->pthread_tid, &tid, sizeof(tid));
		if (peek(process, pthread + SELF) == pthread && tid > 0)
			list->threads[list->n++] = (struct probe_listed_thread){ tid, pthread };
		node = peek(process, node + layout->list_next);
	}
	return false;
}

/* What must be said of a tid: its one struct, or nothing when there are none or several. */
static const struct probe_listed_thread *slow_find(const struct slow_list *list, pid_t tid)
{
	const struct probe_listed_thread *found = NULL;

	for (size_t i = 0; i < list->n; i++) {
		if (list->threads[i].tid != tid)
			continue;
		if (found && found->thread_pointer != list->threads[i].thread_pointer)
			return NULL;
		found = &list->threads[i];
	}
	return found;
}

static void compare(const struct probe_thread_list *fast, const struct slow_list *slow)
{
	MUST(fast->complete == slow->complete);
	for (size_t i = 0; i < fast->threads.n; i++) {
		const struct probe_listed_thread *mine = &fast->threads.at[i];
		const struct probe_listed_thread *other = slow_find(slow, mine->tid);

		MUST(mine->tid > 0);
		MUST(i == 0 || fast->threads.at[i - 1].tid < mine->tid);
		MUST(other && other->thread_pointer == mine->thread_pointer);
		MUST(probe_thread_list_find(fast, mine->tid) == mine);
	}
	for (size_t i = 0; i < slow->n; i++)
		MUST(!slow_find(slow, slow->threads[i].tid) ==
		     !probe_thread_list_find(fast, slow->threads[i].tid));
	MUST(!probe_thread_list_find(fast, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct slow_list slow;
	struct cursor in = cursor_over((struct bytes){ data, n });
	struct probe_thread_list_layout layout = {
		.list_next = cursor_u8(&in),
		.pthread_list = cursor_u16(&in),
		.pthread_tid = cursor_u16(&in),
	};
	size_t max_steps = cursor_u16(&in) % (MAX_STEPS + 1);
	struct fake_process process;
	struct probe_thread_list list;
	bool is_sane;

	layout.heads[0] = place_address(cursor_u16(&in));
	layout.heads[1] = place_address(cursor_u16(&in));
	if (in.failed)
		return 0;
	fake_process_init(&process, &in);
	probe_thread_list_walk(&process.remote, &layout, max_steps, &list);
	/* Past the heads: at least one struct was read. */
	if (process.n_good_reads > 2)
		fuzz_mark_deep();
	MUST(process.n_reads <= 2 * (max_steps + 1));
	is_sane = layout.list_next <= 32 && layout.pthread_list <= PROBE_LIMIT_PTHREAD_OFFSET &&
		  layout.pthread_tid <= PROBE_LIMIT_PTHREAD_OFFSET;
	slow.n = 0;
	slow.complete = true;
	for (int i = 0; i < 2; i++)
		slow.complete &= is_sane &&
				 slow_walk(&process, &layout, layout.heads[i], max_steps, &slow);
	compare(&list, &slow);
	probe_thread_list_deinit(&list);
	fake_process_deinit(&process);
	return 0;
}
