/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that a BPF program shares with processes (Linux, kernel/bpf/arena.c). Programs and
 * processes hold the same pointers, those of the process; the kernel sees the byte at
 *
 *	kernel_start + (pointer & 0xffffffff)
 *
 * whatever user_start is: it need not be a multiple of 4 GiB. A page is there when the kernel's
 * page tables have it.
 */
#ifndef KTSTR_DUMP_ARENA_MAP_H
#define KTSTR_DUMP_ARENA_MAP_H

#include "kmem/kmem.h"
#include "kmem/walk.h"

struct arena {
	uint64_t map; /* address of struct bpf_arena */
	enum kmem_status id_status, name_status;
	uint32_t id;
	char name[16];
	uint64_t user_start, user_end; /* 0: no process has mapped it, so it has no pages */
	uint64_t kernel_start;
	uint64_t declared_pages;
	/*
	 * Physical address of the page that stands where a program touched what it had not
	 * allocated (Linux 7.2); 0: there is none. It is no page of the arena.
	 */
	uint64_t scratch;
};

/* What a struct bpf_arena says. A range that no kernel makes is KMEM_UNREAD. */
struct error *arena_load(struct kmem *kmem, uint64_t map, struct arena *ret) MUST_CHECK;

/* Both lie in the same 4 GiB, so the upper half tells. */
bool arena_holds(const struct arena *arena, uint64_t pointer);
/* All n bytes behind a pointer of a program or process, or a status. */
enum kmem_status arena_read(struct kmem_space *space, const struct arena *arena, uint64_t pointer,
			    void *buf, size_t n) MUST_CHECK;

/* False stops. */
typedef bool (*arena_page_fn)(void *context, uint64_t user, const uint8_t *bytes);
/*
 * Every page that is there; what is not mapped is stepped over by page tables, not by pages. Where
 * the tables cannot be read the walk goes on, and ends as KMEM_WALK_UNREADABLE.
 */
void arena_pages(struct kmem_space *space, const struct arena *arena, struct kmem_walk *walk,
		 arena_page_fn fn, void *context);

#endif
