/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of this room. The kernel's own, where it has one (linux/btf.h). */
#ifndef KTSTR_BTF_LIMITS_H
#define KTSTR_BTF_LIMITS_H

enum {
	/* Ids and bytes, those of the base counted as well. */
	BTF_LIMIT_TYPES = 0x000fffff,
	BTF_LIMIT_BYTES = 256 << 20,
	/* Levels of split BTF: kernel, module, program. */
	BTF_LIMIT_BASES = 4,
	/* typedef, const, volatile … in a row, and arrays of arrays (MAX_RESOLVE_DEPTH). */
	BTF_LIMIT_HOPS = 32,
	/* Types that share a place in the index of names, looked at by one search. */
	BTF_LIMIT_CHAIN = 1 << 16,
	/* Types of one name in which a path is tried. */
	BTF_LIMIT_NAMESAKES = 64,
	/* Structs inside structs without a name of their own, and members seen by one search. */
	BTF_LIMIT_NESTING = 32,
	BTF_LIMIT_MEMBERS_SEEN = 1 << 16,
	/* Of a path to a member. */
	BTF_LIMIT_PATH_BYTES = 512,
	/* Members, and types, that are looked at for one suggestion. */
	BTF_LIMIT_SUGGESTED_MEMBERS = 1 << 12,
	BTF_LIMIT_SUGGESTED_TYPES = 1 << 17,
};

enum {
	/* One tree of values: the defaults, and the limits that options cannot raise. */
	BTF_VALUE_DEFAULT_NODES = 1 << 16,
	BTF_LIMIT_VALUE_NODES = 1 << 18,
	BTF_VALUE_DEFAULT_BYTES = 1 << 20,
	BTF_LIMIT_VALUE_BYTES = 64 << 20,
	BTF_VALUE_DEFAULT_ELEMENTS = 4096,
	/* Structs, arrays and followed pointers inside each other. */
	BTF_LIMIT_VALUE_NESTING = 32,
	/*
	 * Steps that make no node (members of structs without a name, searches): so many for each
	 * node of the budget, and these at least.
	 */
	BTF_VALUE_WORK_PER_NODE = 16,
	BTF_VALUE_LEAST_WORK = 1 << 14,
	/* Pointers followed in one tree, and what is read behind one of them. */
	BTF_LIMIT_VALUE_FOLLOWED = 4096,
	BTF_LIMIT_VALUE_TARGET_BYTES = 1 << 16,
	BTF_VALUE_PAGE_BYTES = 4096,
	/* Bytes kept as such, and of those in text; an array as text. */
	BTF_LIMIT_VALUE_HEX_BYTES = 4096,
	BTF_LIMIT_VALUE_HEX_SHOWN = 256,
	BTF_LIMIT_VALUE_TEXT_BYTES = 1 << 16,
	/* Of a CPU mask. */
	BTF_LIMIT_VALUE_CPUS = 8192,
	/* Text: width of a line. */
	BTF_VALUE_COLUMNS = 120,
};

#endif
