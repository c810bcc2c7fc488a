/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * BPF maps and their contents. Each kind has a decoder in map_kinds.c; it finds the places of keys
 * and values and hands them over entry by entry.
 */
#ifndef KTSTR_DUMP_MAPS_H
#define KTSTR_DUMP_MAPS_H

#include "dump/dump.h"
#include "dump/values.h"
#include "kmem/modules.h"

/* enum bpf_map_type, include/uapi/linux/bpf.h: numbers for ever. */
enum dump_map_type {
	DUMP_MAP_HASH = 1,
	DUMP_MAP_ARRAY = 2,
	DUMP_MAP_PERCPU_HASH = 5,
	DUMP_MAP_PERCPU_ARRAY = 6,
	DUMP_MAP_LRU_HASH = 9,
	DUMP_MAP_LRU_PERCPU_HASH = 10,
	DUMP_MAP_STRUCT_OPS = 26,
	DUMP_MAP_TASK_STORAGE = 29,
	DUMP_MAP_ARENA = 33,
};

struct dump_map {
	uint64_t address, id; /* of struct bpf_map */
	uint64_t type, key_size, value_size, max_entries, flags;
	uint64_t btf;		       /* address of struct btf; 0: none */
	uint64_t key_type, value_type; /* ids in it; 0: none */
	uint64_t kernel_type;	       /* of a struct_ops map, in the kernel's types */
	char name[32];
};

/* False: it cannot be read. */
bool dump_map_read(struct kmem *kmem, uint64_t id, uint64_t address,
		   struct dump_map *ret) MUST_CHECK;
/* KMEM_NO_FIELD. The callback is that of xarrays: id and address. */
struct error *dump_map_each(struct kmem *kmem, struct kmem_walk *walk, kmem_entry_fn fn,
			    void *context) MUST_CHECK;

/* One map while it is shown. */
struct dump_map_show {
	struct kmem *kmem;
	struct dump_values *values; /* of all maps that are shown */
	const struct dump_map *map;
	struct dump_sink *sink;
	const struct btf *btf; /* of key and value; NULL: bytes are shown */
	struct kmem_walk walk; /* over entries */
	uint64_t bytes_left;   /* of values, so that all of a hostile map is not too much */
	bool hide_zeros;       /* of text: an array is mostly that */
	uint64_t n_zero;
	struct strbuf label; /* of the entry, for text */
};

/*
 * True: one more entry is to be shown, and it is open. The walk counts it either way; once
 * walk.end is not KMEM_WALK_WHOLE the decoder gives up.
 */
bool dump_map_open_index(struct dump_map_show *show, uint64_t index) MUST_CHECK;
bool dump_map_open_key(struct dump_map_show *show, uint64_t address) MUST_CHECK;
/* By a name that is safe to show. */
bool dump_map_open_owner(struct dump_map_show *show, const char *name) MUST_CHECK;
/* Then one of these, then dump_close(). */
void dump_map_show_value(struct dump_map_show *show, uint64_t address);
void dump_map_show_percpu(struct dump_map_show *show, uint64_t pointer);

/* What a kind is shown with; a kind that is not here says so. */
struct dump_map_kind {
	enum dump_map_type type;
	struct error *(*show)(struct dump_map_show *show);
	const char *why_not;
};
extern const struct dump_map_kind dump_map_kinds[];
extern const size_t dump_n_map_kinds;

/* Key or value of the map out of the guest's memory. */
struct error *dump_map_value_read(struct dump_map_show *show, const struct btf *btf, uint64_t type,
				  uint64_t address, uint64_t bytes,
				  struct btf_value_tree **ret) MUST_CHECK;

#endif
