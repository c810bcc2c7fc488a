/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Global variables of BPF programs, and the arenas these programs use. Globals live in array maps
 * with one value, whose type is a section (.bss, .data, .rodata); which arena their pointers lead
 * to is known by the programs that use both.
 */
#ifndef KTSTR_DUMP_GLOBALS_H
#define KTSTR_DUMP_GLOBALS_H

#include "base/vec.h"
#include "dump/arena_map.h"
#include "dump/dump.h"

struct globals {
	uint64_t map, id;
	char name[16];
	uint64_t btf; /* address of struct btf */
	uint32_t section;
	uint64_t value, bytes; /* where the variables are */
	uint64_t arena;	       /* address of its struct bpf_arena; 0: no program tells */
};

/* A program uses a map. */
struct globals_use {
	uint64_t map;
	uint64_t arena;	    /* that the program uses; 0: none */
	bool is_struct_ops; /* the kernel calls the program: a scheduler's are such */
};

struct globals_scene {
	VEC(struct arena) arenas;
	VEC(struct globals) globals;
	VEC(struct globals_use) uses; /* of all programs, in their order */
	struct kmem_walk maps, programs;
	uint64_t n_unreadable; /* maps and programs: whatever they are is not among the above */
	uint64_t n_bad_arenas;
	struct error *bad_arena; /* the first */
};

struct error *globals_find(struct kmem *kmem, struct globals_scene *scene) MUST_CHECK;
void globals_deinit(struct globals_scene *scene);
/* A line, and a member of JSON, when there may be more than was found. */
void globals_say_missing(const struct globals_scene *scene, struct dump_sink *sink);
#define _cleanup_globals_ __attribute__((cleanup(globals_deinit)))

/*
 * The arena that a program's pointer leads to: that with the address `arena`, else (0) the only one
 * that has such addresses (two processes may have theirs at the same). NULL: that cannot be said.
 */
const struct arena *globals_arena(const struct globals_scene *scene, uint64_t arena,
				  uint64_t pointer);
/* The address of the arena that a program uses beside that map; 0: no program tells. */
uint64_t globals_arena_of_map(const struct globals_scene *scene, uint64_t map);

#endif
