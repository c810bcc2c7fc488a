/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_DUMP_CGROUP_H
#define KTSTR_DUMP_CGROUP_H

#include "kmem/kmem.h"

/*
 * The path of a task in the tree of control groups (version 2), "/" for the root. Nothing is
 * appended when it cannot be had; KMEM_READ_TORN: it has more parents than any.
 */
enum kmem_status dump_cgroup_path(struct kmem *kmem, uint64_t task, struct strbuf *into) MUST_CHECK;
/* The same of a struct cgroup. */
enum kmem_status dump_cgroup_path_of(struct kmem *kmem, uint64_t cgroup,
				     struct strbuf *into) MUST_CHECK;

#endif
