// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where the entries of a map are, by its kind: arrays, of which one of a section of a program is
 * its global variables; hash tables, with or without LRU (kernel/bpf/hashtab.c); what programs keep
 * with tasks (kernel/bpf/bpf_local_storage.c), whose key is the task; and tables of functions that
 * the kernel calls.
 */
#include "btf/layout.h"
#include "dump/maps.h"
#include "dump/member.h"
#include "kmem/walk.h"
#include "text/terminal.h"

enum {
	/* So many elements in a row that cannot be read are the end of what there is. */
	MISSING_IN_A_ROW = 64,
	LARGEST_LOG = 22, /* of buckets: as many as a walk may have steps */
};

static uint64_t round_up_8(uint64_t n)
{
	return (n + 7) & ~UINT64_C(7);
}

static bool is_percpu(const struct dump_map *map)
{
	return map->type == DUMP_MAP_PERCPU_ARRAY || map->type == DUMP_MAP_PERCPU_HASH ||
	       map->type == DUMP_MAP_LRU_PERCPU_HASH;
}

/* It holds the variables of a section (".bss") and its type says which. */
static bool is_section(const struct dump_map *map, const struct btf *btf)
{
	struct btf_type type;

	return map->type == DUMP_MAP_ARRAY && map->max_entries == 1 && btf &&
	       btf_type(btf, (uint32_t)map->value_type, &type) && type.kind == BTF_DATASEC;
}

static struct error *show_section(struct dump_map_show *show, uint64_t address)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	const struct btf_value_node *node;
	struct error *err = dump_map_value_read(show, show->btf, show->map->value_type, address,
						show->map->value_size, &tree);

	if (err)
		return err;
	(void)!kmem_walk_shows(&show->walk);
	if (show->sink->json)
		dump_value_show(show->sink, "globals", NULL, tree, btf_value_root(tree));
	for (node = btf_value_first(tree, btf_value_root(tree)); show->sink->text && node;
	     node = btf_value_next(tree, node)) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

		text_escape(&name, node->name ? node->name : "");
		dump_value_show(show->sink, NULL, strbuf_str(&name), tree, node);
	}
	return NULL;
}

static bool is_there(struct dump_map_show *show, uint64_t address)
{
	uint8_t byte;

	return kmem_read(&show->kmem->space, address, &byte, 1, NULL) == KMEM_READ_OK;
}

static void show_elements(struct dump_map_show *show, uint64_t first, uint64_t stride, bool percpu)
{
	unsigned int missing = 0;

	show->hide_zeros = true;
	dump_open_list(show->sink, "entries");
	for (uint64_t i = 0; i < show->map->max_entries && kmem_walk_step(&show->walk); i++) {
		uint64_t at = first + i * stride;

		if (dump_map_open_index(show, i)) {
			missing = percpu || is_there(show, at) ? 0 : missing + 1;
			if (missing == MISSING_IN_A_ROW)
				(void)!kmem_walk_read(&show->walk, &show->kmem->space, at, &at, 1);
			else if (!percpu)
				dump_map_show_value(show, at);
			else if (kmem_walk_read(&show->walk, &show->kmem->space, at, &at, 8))
				dump_map_show_percpu(show, at);
			dump_close(show->sink);
		}
		if (show->walk.end != KMEM_WALK_WHOLE)
			break;
	}
	dump_close_list(show->sink);
}

static struct error *show_array(struct dump_map_show *show)
{
	bool percpu = is_percpu(show->map);
	uint64_t first;
	struct error *err = dump_kernel_offset(
		show->kmem, percpu ? KMEM_F_ARRAY_PPTRS : KMEM_F_ARRAY_VALUE, &first);

	if (err)
		return err;
	first += show->map->address;
	if (is_section(show->map, show->btf))
		return show_section(show, first);
	show_elements(show, first, percpu ? 8 : round_up_8(show->map->value_size), percpu);
	return NULL;
}

/* A table of buckets, each with a list of elements. */
struct table {
	struct dump_map_show *show;
	uint64_t first, n, stride; /* of buckets; `first` is the head in it */
	bool nulls;		   /* how its lists end */
	uint64_t node, inside;	   /* in an element: its link, and its key or data */
	void (*show_element)(struct dump_map_show *show, uint64_t element, uint64_t inside);
};

static bool take_element(void *context, uint64_t link)
{
	const struct table *t = context;

	t->show_element(t->show, link - t->node, t->inside);
	return t->show->walk.end == KMEM_WALK_WHOLE && kmem_walk_step(&t->show->walk);
}

static void show_table(struct table *t)
{
	struct kmem_space *space = &t->show->kmem->space;
	struct kmem_walk *walk = &t->show->walk;

	dump_open_list(t->show->sink, "entries");
	for (uint64_t i = 0; i < t->n && walk->end == KMEM_WALK_WHOLE && kmem_walk_step(walk);
	     i++) {
		uint64_t head = t->first + i * t->stride;
		struct kmem_walk chain = { 0 };

		kmem_links(space, t->nulls ? KMEM_HLIST_NULLS : KMEM_HLIST, head, &chain,
			   take_element, t);
		kmem_walk_join(walk, &chain);
	}
	dump_close_list(t->show->sink);
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

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (kmem_read_u64(&kmem->space, key + places[i], &pointer) == KMEM_READ_OK &&
		    pointer && kmem_cpus_address(&kmem->cpus, 0, pointer, &at) &&
		    is_there(show, at))
			return pointer;
	}
	return 0;
}

static void show_hash_element(struct dump_map_show *show, uint64_t element, uint64_t inside)
{
	uint64_t key = element + inside;

	if (!dump_map_open_key(show, key))
		return;
	if (is_percpu(show->map))
		dump_map_show_percpu(show, find_percpu(show, key));
	else
		dump_map_show_value(show, key + round_up_8(show->map->key_size));
	dump_close(show->sink);
}

static struct error *show_hash(struct dump_map_show *show)
{
	struct table t = { .show = show, .nulls = true, .show_element = show_hash_element };
	uint64_t head;
	const struct dump_wanted wanted[] = {
		{ KMEM_F_HTAB_ELEM_NODE, DUMP_OFFSET, &t.node },
		{ KMEM_F_HTAB_ELEM_KEY, DUMP_OFFSET, &t.inside },
		{ KMEM_F_BUCKET_HEAD, DUMP_OFFSET, &head },
		{ KMEM_F_HTAB_BUCKETS, DUMP_VALUE, &t.first },
		{ KMEM_F_HTAB_N_BUCKETS, DUMP_VALUE, &t.n },
	};
	struct error *err = dump_kernel_members(show->kmem, show->map->address, wanted,
						ARRAY_SIZE(wanted));

	if (!err)
		err = find_stride(show->kmem, &t.stride);
	if (err)
		return err;
	t.first += head;
	show_table(&t);
	return NULL;
}

static void show_stored(struct dump_map_show *show, uint64_t element, uint64_t inside)
{
	struct kmem *kmem = show->kmem;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	uint64_t storage, owner = 0;
	_cleanup_error_ struct error *err = dump_kernel_member(kmem, KMEM_F_STORAGE_ELEM_STORAGE,
							       element, &storage);

	if (!err)
		err = dump_kernel_member(kmem, KMEM_F_STORAGE_OWNER, storage, &owner);
	/* The owner of storage that is being freed is 0. */
	if (err)
		strbuf_append(&name, "unreadable owner");
	else if (owner)
		dump_task_name(kmem, owner, &name);
	else
		strbuf_append(&name, "the task has ended");
	if (!dump_map_open_owner(show, strbuf_str(&name)))
		return;
	if (owner)
		dump_add_hex(show->sink, "task_address", owner);
	dump_map_show_value(show, element + inside);
	dump_close(show->sink);
}

static struct error *show_task_storage(struct dump_map_show *show)
{
	struct table t = { .show = show, .show_element = show_stored };
	uint64_t log, list;
	const struct dump_wanted wanted[] = {
		{ KMEM_F_STORAGE_ELEM_NODE, DUMP_OFFSET, &t.node },
		{ KMEM_F_STORAGE_ELEM_DATA, DUMP_OFFSET, &t.inside },
		{ KMEM_F_STORAGE_BUCKET_LIST, DUMP_OFFSET, &list },
		{ KMEM_F_STORAGE_BUCKET, DUMP_SIZE, &t.stride },
		{ KMEM_F_STORAGE_BUCKETS, DUMP_VALUE, &t.first },
		{ KMEM_F_STORAGE_BUCKET_LOG, DUMP_VALUE, &log },
	};
	struct error *err = dump_kernel_members(show->kmem, show->map->address, wanted,
						ARRAY_SIZE(wanted));

	if (err)
		return err;
	if (log > LARGEST_LOG)
		return base_error(BASE_LIMIT, 0, "a table of 2^%llu buckets",
				  (unsigned long long)log);
	t.first += list;
	t.n = UINT64_C(1) << log;
	show_table(&t);
	return NULL;
}

/* Of a module's table the types are the module's. */
static struct error *find_types(struct dump_map_show *show, struct kmem_btf **ret_loaded,
				const struct btf **ret)
{
	struct kmem *kmem = show->kmem;
	uint64_t at, vmlinux;
	struct error *err = dump_kernel_member(kmem, KMEM_F_STRUCT_OPS_BTF, show->map->address,
					       &at);

	if (!err)
		err = kmem_variable(kmem, "btf_vmlinux", 8, &vmlinux);
	/* Before Linux 6.9 there were only the kernel's. */
	if (err || at == vmlinux || !at) {
		error_free(err);
		*ret = kmem_types(kmem);
		return NULL;
	}
	err = kmem_btf_load(kmem, at, ret_loaded);
	if (!err)
		*ret = (*ret_loaded)->btf;
	return err;
}

/* The kernel's own copy, in its own types. */
static struct error *show_struct_ops(struct dump_map_show *show)
{
	_cleanup_kmem_btf_ struct kmem_btf *loaded = NULL;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	const struct btf *btf = NULL;
	uint64_t value;
	struct error *err = dump_kernel_offset(show->kmem, KMEM_F_STRUCT_OPS_VALUE, &value);

	if (!err)
		err = find_types(show, &loaded, &btf);
	if (!err)
		err = dump_map_value_read(show, btf, show->map->kernel_type,
					  show->map->address + value, show->map->value_size, &tree);
	if (err)
		return err;
	(void)!kmem_walk_shows(&show->walk);
	dump_value_show(show->sink, "value", "value", tree, btf_value_root(tree));
	return NULL;
}

const struct dump_map_kind dump_map_kinds[] = {
	{ DUMP_MAP_ARRAY, show_array, NULL },
	{ DUMP_MAP_PERCPU_ARRAY, show_array, NULL },
	{ DUMP_MAP_HASH, show_hash, NULL },
	{ DUMP_MAP_LRU_HASH, show_hash, NULL },
	{ DUMP_MAP_PERCPU_HASH, show_hash, NULL },
	{ DUMP_MAP_LRU_PERCPU_HASH, show_hash, NULL },
	{ DUMP_MAP_STRUCT_OPS, show_struct_ops, NULL },
	{ DUMP_MAP_TASK_STORAGE, show_task_storage, NULL },
	{ DUMP_MAP_ARENA, NULL, "an arena is memory without entries: see the view arena" },
};
const size_t dump_n_map_kinds = ARRAY_SIZE(dump_map_kinds);
