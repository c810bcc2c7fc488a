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
#ifndef KTSTR_DUMP_GLOBALS_H
#define KTSTR_DUMP_GLOBALS_H

#include "base/vec.h"
#include "dump/dump.h"
#include "kmem/kmem.h"
#include "kmem/walk.h"

struct dump_arena {
	uint64_t map; /* address of struct bpf_arena */
	enum kmem_status id_status, name_status;
	uint32_t id;
	char name[16];
	uint64_t user_start, user_end; /* 0: no process has mapped it, so it has no pages */
	uint64_t kernel_start;
	uint64_t declared_pages;
	/*
	 * Physical address of the page that is mapped where a program touched what it had not
	 * allocated (Linux 7.2); 0: there is none. It is not a page of the arena.
	 */
	uint64_t scratch;
};

/* What a struct bpf_arena says. A range that no kernel makes is KMEM_UNREAD. */
struct error *dump_arena_load(struct kmem *kmem, uint64_t map, struct dump_arena *ret) MUST_CHECK;

/* An arena lies within one 4 GiB range, so the upper half of the pointer decides. */
bool dump_arena_holds(const struct dump_arena *arena, uint64_t pointer);
/* All n bytes behind a pointer of a program or process, or a status. */
enum kmem_status dump_arena_read(struct kmem_space *space, const struct dump_arena *arena,
				 uint64_t pointer, void *buf, size_t n) MUST_CHECK;

/* False stops. */
typedef bool (*dump_arena_page_fn)(void *context, uint64_t user, const uint8_t *bytes);
/*
 * Every page that is there; what is not mapped is stepped over by page tables, not by pages. Where
 * the tables cannot be read the walk goes on, and ends as KMEM_WALK_UNREADABLE.
 */
void dump_arena_pages(struct kmem_space *space, const struct dump_arena *arena,
		      struct kmem_walk *walk, dump_arena_page_fn fn, void *context);

/*
 * Global variables of BPF programs, and the arenas these programs use. Globals live in array maps
 * with one value, whose type is a section (.bss, .data, .rodata); which arena their pointers lead
 * to is known by the programs that use both.
 */
struct dump_globals {
	uint64_t map, id;
	char name[16];
	uint64_t btf; /* address of struct btf */
	uint32_t section;
	uint64_t value, bytes; /* where the variables are */
	uint64_t arena;	       /* address of its struct bpf_arena; 0: no program names it */
};

/* A program uses a map. */
struct dump_globals_use {
	uint64_t map;
	uint64_t arena;	    /* that the program uses; 0: none */
	bool is_struct_ops; /* the kernel calls the program: a scheduler's are such */
};

struct dump_globals_scene {
	VEC(struct dump_arena) arenas;
	VEC(struct dump_globals) globals;
	VEC(struct dump_globals_use) uses; /* of all programs, in their order */
	struct kmem_walk maps, programs;
	uint64_t n_unreadable; /* maps and programs: whatever they are is not among the above */
	uint64_t n_bad_arenas;
	struct error *bad_arena; /* the first */
};

struct error *dump_globals_find(struct kmem *kmem, struct dump_globals_scene *scene) MUST_CHECK;
void dump_globals_deinit(struct dump_globals_scene *scene);
/* A line, and a member of JSON, when there may be more than was found. */
void dump_globals_say_missing(const struct dump_globals_scene *scene, struct dump_sink *sink);
#define _cleanup_dump_globals_ __attribute__((cleanup(dump_globals_deinit)))

/*
 * The arena that a program's pointer leads to: that with the address `arena`, else (0) the only one
 * that has such addresses (two processes may have theirs at the same). NULL: that cannot be said.
 */
const struct dump_arena *dump_globals_arena(const struct dump_globals_scene *scene, uint64_t arena,
					    uint64_t pointer);
/* The address of the arena of a program that also uses that map; 0: no such program. */
uint64_t dump_globals_arena_of_map(const struct dump_globals_scene *scene, uint64_t map);

#endif
