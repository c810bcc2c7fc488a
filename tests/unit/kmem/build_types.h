/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of a kernel for tests: modules, xarrays and BTF of others, laid out for tests. */
#ifndef KTSTR_TESTS_BUILD_TYPES_H
#define KTSTR_TESTS_BUILD_TYPES_H

#include "../btf/build_btf.h"

/* Returns the number of types. */
static inline uint32_t build_kernel_types(struct strbuf *out)
{
	struct build_btf b = { 0 };
	uint32_t word = build_btf_int(&b, "unsigned int", 4, 0);
	uint32_t byte = build_btf_int(&b, "unsigned char", 1, 0);
	uint32_t flag = build_btf_int(&b, "bool", 1, 4);
	uint32_t pointer = build_btf_type(&b, "", 2, 0, 0);
	uint32_t text = build_btf_array(&b, byte, 56);
	uint32_t links = build_btf_array(&b, pointer, 2);
	uint32_t slots = build_btf_array(&b, pointer, 64);
	uint32_t memory = BUILD_STRUCT(&b, "module_memory", 16, { "base", pointer, 0, 0 },
				       { "is_rox", flag, 64, 0 }, { "size", word, 96, 0 });
	uint32_t memories = build_btf_array(&b, memory, 3);
	uint32_t root, n;

	BUILD_STRUCT(&b, "mod_kallsyms", 32, { "symtab", pointer, 0, 0 },
		     { "num_symtab", word, 64, 0 }, { "strtab", pointer, 128, 0 },
		     { "typetab", pointer, 192, 0 });
	BUILD_STRUCT(&b, "module", 256, { "state", word, 0, 0 }, { "list", links, 64, 0 },
		     { "name", text, 192, 0 }, { "mem", memories, 640, 0 },
		     { "kallsyms", pointer, 1088, 0 });
	BUILD_STRUCT(&b, "xa_node", 576, { "shift", byte, 0, 0 }, { "offset", byte, 8, 0 },
		     { "parent", pointer, 64, 0 }, { "slots", slots, 320, 0 });
	root = BUILD_STRUCT(&b, "xarray", 16, { "xa_flags", word, 32, 0 },
			    { "xa_head", pointer, 64, 0 });
	BUILD_STRUCT(&b, "idr", 24, { "idr_rt", root, 0, 0 });
	n = BUILD_STRUCT(&b, "btf", 128, { "data", pointer, 0, 0 }, { "data_size", word, 64, 0 },
			 { "base_btf", pointer, 128, 0 }, { "name", text, 192, 0 },
			 { "kernel_btf", flag, 640, 0 });
	build_btf_finish(&b, out);
	return n;
}

#endif
