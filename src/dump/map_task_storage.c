// SPDX-License-Identifier: LGPL-2.1-or-later
/* What programs keep with tasks (kernel/bpf/bpf_local_storage.c); the key is the task. */
#include "dump/member.h"
#include "dump/maps.h"
#include "kmem/walk.h"

enum { LARGEST_LOG = 22 }; /* of buckets: as many as a walk may have steps */

struct storage_walk {
	struct dump_map_show *show;
	uint64_t node, data; /* in struct bpf_local_storage_elem */
};

static bool open_owner(struct dump_map_show *show, uint64_t element)
{
	struct kmem *kmem = show->kmem;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	uint64_t storage, owner = 0;
	struct error *err = dump_kernel_member(kmem, KMEM_F_STORAGE_ELEM_STORAGE, element,
					       &storage);

	if (!err)
		err = dump_kernel_member(kmem, KMEM_F_STORAGE_OWNER, storage, &owner);
	/* The owner of storage that is being freed is 0. */
	if (err)
		strbuf_append(&name, "unreadable owner");
	else if (owner)
		dump_task_name(kmem, owner, &name);
	else
		strbuf_append(&name, "the task has ended");
	error_free(err);
	if (!dump_map_open_owner(show, strbuf_str(&name)))
		return false;
	if (owner)
		dump_add_hex(show->sink, "task_address", owner);
	return true;
}

static bool take_element(void *context, uint64_t link)
{
	const struct storage_walk *w = context;
	struct dump_map_show *show = w->show;
	uint64_t element = link - w->node;

	if (open_owner(show, element)) {
		dump_map_show_value(show, element + w->data);
		dump_map_close(show);
	}
	return show->walk.end == KMEM_WALK_WHOLE && kmem_walk_step(&show->walk);
}

static void walk_buckets(struct storage_walk *w, uint64_t first, uint64_t n, uint64_t stride)
{
	struct kmem_walk *walk = &w->show->walk;

	for (uint64_t i = 0; i < n && kmem_walk_step(walk); i++) {
		struct kmem_walk chain = { 0 };

		kmem_hlist(&w->show->kmem->space, first + i * stride, &chain, take_element, w);
		kmem_walk_join(walk, &chain);
		if (walk->end != KMEM_WALK_WHOLE)
			return;
	}
}

struct error *dump_map_show_task_storage(struct dump_map_show *show)
{
	struct kmem *kmem = show->kmem;
	struct storage_walk w = { .show = show };
	uint64_t buckets, log, list, unused;
	struct error *err = dump_kernel_offset(kmem, KMEM_F_STORAGE_ELEM_NODE, &w.node);

	if (!err)
		err = dump_kernel_offset(kmem, KMEM_F_STORAGE_ELEM_DATA, &w.data);
	if (!err)
		err = dump_kernel_offset(kmem, KMEM_F_STORAGE_BUCKET_LIST, &list);
	if (!err)
		err = dump_kernel_offset(kmem, KMEM_F_STORAGE_BUCKET, &unused);
	if (!err)
		err = dump_kernel_member(kmem, KMEM_F_STORAGE_BUCKETS, show->map->address,
					 &buckets);
	if (!err)
		err = dump_kernel_member(kmem, KMEM_F_STORAGE_BUCKET_LOG, show->map->address, &log);
	if (err)
		return err;
	if (log > LARGEST_LOG)
		return base_error(BASE_LIMIT, 0, "a table of 2^%llu buckets",
				  (unsigned long long)log);
	dump_open_list(show->sink, "entries");
	walk_buckets(&w, buckets + list, UINT64_C(1) << log,
		     kmem->fields.at[KMEM_F_STORAGE_BUCKET].place.size);
	dump_close_list(show->sink);
	return NULL;
}
