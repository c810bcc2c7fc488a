// SPDX-License-Identifier: LGPL-2.1-or-later
/* A table of functions that the kernel calls: its own copy, in its own types. */
#include "dump/member.h"
#include "dump/maps.h"

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

struct error *dump_map_show_struct_ops(struct dump_map_show *show)
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
