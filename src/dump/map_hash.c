// SPDX-License-Identifier: LGPL-2.1-or-later
/* Hash tables, with or without LRU, of one value or of one for each CPU (kernel/bpf/hashtab.c). */
#include "btf/layout.h"
#include "dump/member.h"
#include "dump/maps.h"
#include "kmem/walk.h"

struct hash_walk {
	struct dump_map_show *show;
	bool percpu;
	uint64_t node, key; /* in struct htab_elem */
};

static uint64_t round_up_8(uint64_t n)
{
	return (n + 7) & ~UINT64_C(7);
}

/* bcache has a struct bucket as well; ours is the one with a head. */
static struct error *find_stride(struct kmem *kmem, uint64_t *ret)
{
	const struct btf *btf = kmem_types(kmem);
	struct btf_type type;
	struct btf_member head;
	uint32_t at = 0;

	while (btf && btf_next_named(btf, "bucket", &at, &type)) {
		if (type.kind == BTF_STRUCT && type.size_or_type &&
		    btf_find_member(btf, &type, "head", 4, &head)) {
			*ret = type.size_or_type;
			return NULL;
		}
	}
	return kmem_error(KMEM_NO_FIELD, 0, "the kernel has no struct bucket with a head");
}

/*
 * Where the pointer to the CPUs' values stands: behind the key, rounded up to eight bytes; Linux
 * 6.1 did not round. The one that leads somewhere counts; 0: none does.
 */
static uint64_t find_percpu(struct dump_map_show *show, uint64_t key)
{
	const uint64_t places[] = { round_up_8(show->map->key_size), show->map->key_size };
	struct kmem *kmem = show->kmem;
	uint64_t pointer = 0, at;
	uint8_t byte;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (kmem_read_u64(&kmem->space, key + places[i], &pointer) == KMEM_READ_OK &&
		    pointer && kmem_cpus_address(&kmem->cpus, 0, pointer, &at) &&
		    kmem_read(&kmem->space, at, &byte, 1, NULL) == KMEM_READ_OK)
			return pointer;
	}
	return 0;
}

static bool take_element(void *context, uint64_t link)
{
	const struct hash_walk *w = context;
	struct dump_map_show *show = w->show;
	uint64_t key = link - w->node + w->key;

	if (dump_map_open_key(show, key)) {
		if (w->percpu)
			dump_map_show_percpu(show, find_percpu(show, key));
		else
			dump_map_show_value(show, key + round_up_8(show->map->key_size));
		dump_map_close(show);
	}
	return show->walk.end == KMEM_WALK_WHOLE && kmem_walk_step(&show->walk);
}

static void walk_buckets(struct hash_walk *w, uint64_t buckets, uint64_t n, uint64_t stride)
{
	struct kmem_walk *walk = &w->show->walk;

	for (uint64_t i = 0; i < n && kmem_walk_step(walk); i++) {
		struct kmem_walk chain = { 0 };

		kmem_hlist_nulls(&w->show->kmem->space, buckets + i * stride, &chain, take_element,
				 w, NULL);
		kmem_walk_join(walk, &chain);
		if (walk->end != KMEM_WALK_WHOLE)
			return;
	}
}

static struct error *show_hash(struct dump_map_show *show, bool percpu)
{
	struct kmem *kmem = show->kmem;
	struct hash_walk w = { .show = show, .percpu = percpu };
	uint64_t buckets, n, stride, head;
	struct error *err = dump_kernel_offset(kmem, KMEM_F_HTAB_ELEM_NODE, &w.node);

	if (!err)
		err = dump_kernel_offset(kmem, KMEM_F_HTAB_ELEM_KEY, &w.key);
	if (!err)
		err = dump_kernel_offset(kmem, KMEM_F_BUCKET_HEAD, &head);
	if (!err)
		err = dump_kernel_member(kmem, KMEM_F_HTAB_BUCKETS, show->map->address, &buckets);
	if (!err)
		err = dump_kernel_member(kmem, KMEM_F_HTAB_N_BUCKETS, show->map->address, &n);
	if (!err)
		err = find_stride(kmem, &stride);
	if (err)
		return err;
	dump_open_list(show->sink, "entries");
	walk_buckets(&w, buckets + head, n, stride);
	dump_close_list(show->sink);
	return NULL;
}

struct error *dump_map_show_hash(struct dump_map_show *show)
{
	return show_hash(show, false);
}

struct error *dump_map_show_percpu_hash(struct dump_map_show *show)
{
	return show_hash(show, true);
}
