/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of this room know about a parsed BTF; nobody else includes it. */
#ifndef KTSTR_BTF_TABLE_H
#define KTSTR_BTF_TABLE_H

#include "btf/btf.h"

struct btf {
	const struct btf *base; /* NULL: stands on its own */
	struct bytes types;
	struct bytes strings;
	char *label;
	uint32_t first; /* id of the first own type */
	uint32_t n;	/* own types */
	/* Offsets of strings below this one lie in the base. */
	uint32_t first_string;
	/* Where type `first + i` begins. */
	uint32_t *offsets;
	/*
	 * Names: heads[hash & mask] begins a chain through `nexts`, in the order of ids. Both hold
	 * own types counted from 1; 0 ends a chain.
	 */
	uint32_t *heads;
	uint32_t *nexts;
	uint32_t mask;
};

/* NULL when the offset lies outside. */
const char *btf_string(const struct btf *btf, uint32_t offset);
struct error *btf_index_names(struct btf *btf) MUST_CHECK;

#endif
