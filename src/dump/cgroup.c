// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/tasks.h"

#include "dump/limits.h"

enum { NAME_BYTES = 256 }; /* NAME_MAX and the NUL */

/* Once it has failed it stays so. */
static bool follow(struct kmem *kmem, enum kmem_field_id field, uint64_t base, uint64_t *ret,
		   enum kmem_status *status)
{
	if (*status == KMEM_READ_OK)
		*status = kmem_get(kmem, field, base, ret);
	return *status == KMEM_READ_OK;
}

enum kmem_status dump_cgroup_path(struct kmem *kmem, uint64_t task, struct strbuf *into)
{
	uint64_t set, cgroup;
	enum kmem_status status = KMEM_READ_OK;

	if (!follow(kmem, KMEM_F_TASK_CGROUPS, task, &set, &status) ||
	    !follow(kmem, KMEM_F_CSS_SET_CGROUP, set, &cgroup, &status))
		return status;
	return dump_cgroup_path_of(kmem, cgroup, into);
}

enum kmem_status dump_cgroup_path_of(struct kmem *kmem, uint64_t cgroup, struct strbuf *into)
{
	char names[DUMP_LIMIT_CGROUP_DEPTH][NAME_BYTES];
	unsigned int n = 0;
	uint64_t node;
	enum kmem_status status = KMEM_READ_OK;

	if (!follow(kmem, KMEM_F_CGROUP_KN, cgroup, &node, &status))
		return status;
	for (;; n++) {
		uint64_t parent, name;

		if (!follow(kmem, KMEM_F_KN_PARENT, node, &parent, &status))
			return status;
		if (parent == 0)
			break;
		if (n == DUMP_LIMIT_CGROUP_DEPTH)
			return KMEM_READ_TORN;
		if (follow(kmem, KMEM_F_KN_NAME, node, &name, &status))
			status = kmem_read_text(&kmem->space, name, names[n], NAME_BYTES);
		if (status != KMEM_READ_OK)
			return status;
		node = parent;
	}
	if (n == 0)
		strbuf_append_char(into, '/');
	while (n > 0)
		strbuf_appendf(into, "/%s", names[--n]);
	return KMEM_READ_OK;
}
