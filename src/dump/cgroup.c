// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/cgroup.h"

#include "dump/limits.h"

enum { NAME_BYTES = 256 }; /* NAME_MAX and the NUL */

static bool follow(struct kmem *kmem, enum kmem_field_id field, uint64_t base, uint64_t *ret)
{
	return kmem_field_read(&kmem->fields, &kmem->space, field, base, ret) == KMEM_READ_OK;
}

bool dump_cgroup_path(struct kmem *kmem, uint64_t task, struct strbuf *into)
{
	char names[DUMP_LIMIT_CGROUP_DEPTH][NAME_BYTES];
	unsigned int n = 0;
	uint64_t set, cgroup, node;

	if (!follow(kmem, KMEM_F_TASK_CGROUPS, task, &set) ||
	    !follow(kmem, KMEM_F_CSS_SET_CGROUP, set, &cgroup) ||
	    !follow(kmem, KMEM_F_CGROUP_KN, cgroup, &node))
		return false;
	for (;; n++) {
		uint64_t parent, name;

		if (!follow(kmem, KMEM_F_KN_PARENT, node, &parent))
			return false;
		if (parent == 0)
			break;
		if (n == DUMP_LIMIT_CGROUP_DEPTH || !follow(kmem, KMEM_F_KN_NAME, node, &name) ||
		    kmem_read_text(&kmem->space, name, names[n], NAME_BYTES) != KMEM_READ_OK)
			return false;
		node = parent;
	}
	if (n == 0)
		strbuf_append_char(into, '/');
	while (n > 0)
		strbuf_appendf(into, "/%s", names[--n]);
	return true;
}
