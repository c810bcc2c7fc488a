/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least that makes a kernel in RAM: page tables that map themselves and an image, a direct
 * map, symbols, VMCOREINFO and the pointer to it. All numbers come from here, none from the code
 * under test.
 */
#ifndef KTSTR_TESTS_BUILD_KERNEL_H
#define KTSTR_TESTS_BUILD_KERNEL_H

#include <stdio.h>

#include "build_kallsyms.h"
#include "build_memory.h"

/* Places in the image. */
enum {
	IN_IMAGE_UTS = 0x1000,
	IN_IMAGE_VARIABLES = 0x2000,
	IN_IMAGE_PAGE_TABLE = 0x3000,
	IN_IMAGE_DATA = 0x4000, /* for the test */
	IN_DATA_MODULES = 0x200,
	IN_DATA_BTF_IDR = 0x300,
	IN_DATA_BTF_VMLINUX = 0x400,
	IN_DATA_PRB = 0x500,
	IN_DATA_TIMEKEEPER = 0x600,
	IN_DATA_INIT_TASK = 0x800,
	IN_IMAGE_KALLSYMS = 0x10000,
	IN_IMAGE_BTF = 0x20000,
	IMAGE_BYTES = 0x40000,

	RAM_BYTES = 4 << 20,
	IMAGE_AT = 0x200000,
	NOTE_AT = 0x300000,
	TABLES_AT = 0x380000,
	KERNEL_CPUS = 4,
	BTF_BYTES = 24 + 1,
	MORE_SYMBOLS = 24,
};

struct kernel_form {
	unsigned int levels;
	enum kmem_kallsyms_mode mode;
	bool without_order;
	uint64_t slide;
	struct bytes btf; /* none: an empty one */
	/* Symbols of the test; their addresses are places in the image. */
	const struct build_symbol *more;
	uint32_t n_more;
};

struct build_kernel {
	struct build_memory memory;
	uint64_t image;	 /* virtual address */
	uint64_t direct; /* of physical address 0 */
	char text[4096];
	uint64_t base_at; /* physical, of kallsyms_relative_base */
};

/* Variables, eight bytes each. */
enum {
	VAR_NOTE,
	VAR_PAGE_OFFSET,
	VAR_VMALLOC,
	VAR_VMEMMAP,
	VAR_MAX_PFN,
	VAR_CPUS,
	VAR_POSSIBLE,
	VAR_ONLINE,
	VAR_OFFSETS
};

/* Into a table in the order of addresses. */
static inline void build_insert_symbol(struct build_symbol *table, uint32_t n,
				       struct build_symbol symbol)
{
	while (n && table[n - 1].address > symbol.address) {
		table[n] = table[n - 1];
		n--;
	}
	table[n] = symbol;
}

static inline uint32_t build_remove_symbol(struct build_symbol *table, uint32_t n, const char *name)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (strcmp(table[i].name, name) != 0)
			table[kept++] = table[i];
	return kept;
}

static inline void build_kernel_symbols(struct build_kernel *k, const struct kernel_form *form)
{
	uint64_t at = k->image, vars = at + IN_IMAGE_VARIABLES;
	uint64_t kallsyms = at + IN_IMAGE_KALLSYMS, base = at;
	size_t btf_n = form->btf.n ? form->btf.n : BTF_BYTES;
	bool percpu = form->mode == KMEM_KALLSYMS_PERCPU;
	/* Distances inside the tables; the largest of them is 0x4000. */
	const uint64_t n_at = kallsyms, names = kallsyms + 8, tokens = kallsyms + 0x4000,
		       index = kallsyms + 0x5000, places = kallsyms + 0x6000;
	const struct build_symbol usual[] = {
		{ percpu ? 0 : at + 0x20, percpu ? 'A' : 'D', "__per_cpu_start" },
		{ percpu ? 0x35e80 : at + 0x40, percpu ? 'A' : 'D', "runqueues" },
		{ percpu ? 0x40000 : at + 0x80, percpu ? 'A' : 'D', "__per_cpu_end" },
		{ at + 0x100, 'T', "_stext" },
		{ at + 0x200, 't', "helper" },
		{ at + 0x300, 't', "helper" },
		{ at + IN_IMAGE_UTS, 'D', "init_uts_ns" },
		{ vars + 8 * VAR_NOTE, 'b', "vmcoreinfo_note" },
		{ vars + 8 * VAR_PAGE_OFFSET, 'D', "page_offset_base" },
		{ vars + 8 * VAR_VMALLOC, 'D', "vmalloc_base" },
		{ vars + 8 * VAR_VMEMMAP, 'D', "vmemmap_base" },
		{ vars + 8 * VAR_MAX_PFN, 'B', "max_pfn" },
		{ vars + 8 * VAR_CPUS, 'D', "nr_cpu_ids" },
		{ vars + 8 * VAR_POSSIBLE, 'D', "__cpu_possible_mask" },
		{ vars + 8 * VAR_ONLINE, 'D', "__cpu_online_mask" },
		{ vars + 8 * VAR_OFFSETS, 'R', "__per_cpu_offset" },
		{ at + IN_IMAGE_PAGE_TABLE, 'D', "init_top_pgt" },
		{ at + IN_IMAGE_PAGE_TABLE, 'D', "swapper_pg_dir" },
		{ at + IN_IMAGE_DATA, 'D', "test_data" },
		{ at + IN_IMAGE_DATA + IN_DATA_MODULES, 'D', "modules" },
		{ at + IN_IMAGE_DATA + IN_DATA_BTF_IDR, 'D', "btf_idr" },
		{ at + IN_IMAGE_DATA + IN_DATA_BTF_VMLINUX, 'B', "btf_vmlinux" },
		{ at + IN_IMAGE_DATA + IN_DATA_PRB, 'D', "prb" },
		{ at + IN_IMAGE_DATA + IN_DATA_TIMEKEEPER, 'D', "timekeeper_data" },
		{ at + IN_IMAGE_DATA + IN_DATA_INIT_TASK, 'D', "init_task" },
		{ n_at, 'D', "kallsyms_num_syms" },
		{ names, 'D', "kallsyms_names" },
		{ at + IN_IMAGE_BTF, 'D', "__start_BTF" },
		{ at + IN_IMAGE_BTF + btf_n, 'D', "__stop_BTF" },
		{ at + IMAGE_BYTES, 'B', "_end" },
	};
	struct build_symbol symbols[ARRAY_SIZE(usual) + MORE_SYMBOLS];
	uint32_t n = ARRAY_SIZE(usual);
	bool absolute = form->mode == KMEM_KALLSYMS_ABSOLUTE;
	bool based = form->mode == KMEM_KALLSYMS_RELATIVE || percpu;

	if (form->n_more > MORE_SYMBOLS)
		__builtin_trap();
	memcpy(symbols, usual, sizeof(usual));
	/* A symbol of the test stands in the place of a usual one of its name. */
	for (uint32_t i = 0; i < form->n_more; i++)
		n = build_remove_symbol(symbols, n, form->more[i].name);
	for (uint32_t i = 0; i < form->n_more; i++)
		build_insert_symbol(symbols, n++,
				    (struct build_symbol){ at + form->more[i].address,
							   form->more[i].kind,
							   form->more[i].name });
	uint64_t base_at = places + 4 * (uint64_t)n + (n % 2 ? 4 : 0);
	_cleanup_build_kallsyms_ struct build_kallsyms tables = build_kallsyms(
		symbols, n, form->mode, base, places);
	uint64_t down = k->image - IMAGE_AT; /* from an address to its place in RAM */
	int used;

	k->base_at = base_at - down;

	build_put(&k->memory, n_at - down, &n, 4);
	build_put(&k->memory, names - down, tables.names.at, tables.names.n);
	build_put(&k->memory, tokens - down, tables.tokens.at, tables.tokens.n);
	build_put(&k->memory, index - down, tables.token_index.at, tables.token_index.n);
	build_put(&k->memory, places - down, tables.places.at, tables.places.n);
	if (based)
		build_put_u64(&k->memory, base_at - down, base);
	if (!form->without_order)
		build_put(&k->memory,
			  (based ? base_at + 8 : places + (absolute ? 8 : 4) * (uint64_t)n) - down,
			  tables.order.at, tables.order.n);
	used = snprintf(k->text, sizeof(k->text),
			"OSRELEASE=7.9-test\nBUILD-ID=0123456789abcdef\nPAGESIZE=4096\n"
			"SYMBOL(init_uts_ns)=%lx\nOFFSET(uts_namespace.name)=0\n"
			"SYMBOL(swapper_pg_dir)=%lx\nSYMBOL(_stext)=%lx\n"
			"SYMBOL(mem_section)=ffff8e171fc30500\n"
			"SYMBOL(kallsyms_names)=%lx\nSYMBOL(kallsyms_num_syms)=%lx\n"
			"SYMBOL(kallsyms_token_table)=%lx\nSYMBOL(kallsyms_token_index)=%lx\n"
			"SYMBOL(%s)=%lx\n"
			"NUMBER(phys_base)=%ld\nNUMBER(pgtable_l5_enabled)=%d\n"
			"KERNELOFFSET=%lx\nNUMBER(sme_mask)=0\n",
			at + IN_IMAGE_UTS, at + IN_IMAGE_PAGE_TABLE, at + 0x100, names, n_at,
			tokens, index, absolute ? "kallsyms_addresses" : "kallsyms_offsets", places,
			(long)(IMAGE_AT - (at - UINT64_C(0xffffffff80000000))), form->levels == 5,
			form->slide);
	if (based)
		snprintf(k->text + used, sizeof(k->text) - (size_t)used,
			 "SYMBOL(kallsyms_relative_base)=%lx\n", base_at);
}

static inline void build_kernel_note(struct build_kernel *k, uint64_t physical)
{
	uint32_t header[3] = { 11, (uint32_t)strlen(k->text), 0 };

	build_put(&k->memory, physical, header, sizeof(header));
	build_put(&k->memory, physical + 12, "VMCOREINFO\0\0", 12);
	build_put(&k->memory, physical + 24, k->text, strlen(k->text));
}

static inline uint64_t build_kernel_cpu_offset(const struct build_kernel *k, uint32_t cpu)
{
	return k->direct + 0x100000 + 0x8000 * cpu - k->image;
}

static inline struct build_kernel build_kernel_new(const struct kernel_form *form)
{
	static const char texts[5][65] = { "Linux", "box", "7.9-test", "#1 SMP", "x86_64" };
	static const uint32_t header[6] = { 0x0001eb9f, 24, 0, 0, 0, 1 };
	struct build_kernel k = { .image = UINT64_C(0xffffffff81000000) + form->slide };
	uint64_t vars = IMAGE_AT + IN_IMAGE_VARIABLES;

	k.direct = form->levels == 5 ? UINT64_C(0xff11000000000000)
				     : UINT64_C(0xffff888000000000) + (form->slide << 9);
	k.memory = build_memory_new(RAM_BYTES, IMAGE_AT + IN_IMAGE_PAGE_TABLE, form->levels);
	k.memory.next = TABLES_AT;
	build_map_range(&k.memory, k.image, IMAGE_AT, IMAGE_BYTES / 4096);
	for (uint64_t at = 0; at < RAM_BYTES; at += 2 << 20)
		build_map(&k.memory, k.direct + at, at, 21, MAP_WRITABLE);
	build_put(&k.memory, IMAGE_AT + IN_IMAGE_UTS, texts, sizeof(texts));
	build_put_u64(&k.memory, vars + 8 * VAR_NOTE, k.direct + NOTE_AT);
	build_put_u64(&k.memory, vars + 8 * VAR_PAGE_OFFSET, k.direct);
	build_put_u64(&k.memory, vars + 8 * VAR_VMALLOC, UINT64_C(0xffffc90000000000));
	build_put_u64(&k.memory, vars + 8 * VAR_VMEMMAP, UINT64_C(0xffffea0000000000));
	build_put_u64(&k.memory, vars + 8 * VAR_MAX_PFN, RAM_BYTES / 4096);
	build_put_u64(&k.memory, vars + 8 * VAR_CPUS, KERNEL_CPUS);
	build_put_u64(&k.memory, vars + 8 * VAR_POSSIBLE, 0x7);
	build_put_u64(&k.memory, vars + 8 * VAR_ONLINE, 0x3);
	for (uint32_t cpu = 0; cpu < KERNEL_CPUS; cpu++)
		build_put_u64(&k.memory, vars + 8 * (VAR_OFFSETS + cpu),
			      build_kernel_cpu_offset(&k, cpu));
	if (form->btf.n)
		build_put(&k.memory, IMAGE_AT + IN_IMAGE_BTF, form->btf.at, form->btf.n);
	else
		build_put(&k.memory, IMAGE_AT + IN_IMAGE_BTF, header, sizeof(header));
	build_kernel_symbols(&k, form);
	build_kernel_note(&k, NOTE_AT);
	return k;
}

static inline void build_kernel_deinit(struct build_kernel *k)
{
	build_memory_deinit(&k->memory);
}
#define _cleanup_build_kernel_ __attribute__((cleanup(build_kernel_deinit)))

#endif
