/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which code stands at an address of a kernel: its own, a module's, what was compiled for BPF.
 * Names are told as the kernel tells them: symbol+offset/size, all hexadecimal.
 */
#ifndef KTSTR_DUMP_CODE_H
#define KTSTR_DUMP_CODE_H

#include "base/vec.h"
#include "dump/limits.h"
#include "dump/orc.h"
#include "kmem/modules.h"

enum dump_code_kind { DUMP_CODE_NONE, DUMP_CODE_KERNEL, DUMP_CODE_MODULE, DUMP_CODE_BPF };

struct dump_code_symbol {
	uint64_t address, bytes; /* bytes 0: not told */
	char *name;
};

struct dump_code_module {
	struct kmem_module module;
	struct dump_orc_table orc;
	bool tried;			      /* to read its symbols */
	VEC(struct dump_code_symbol) symbols; /* by rising address */
};

struct dump_code_bpf {
	uint64_t start, end;
	char *name;
};

struct dump_code {
	struct kmem *kmem;
	/* Empty when the kernel does not tell: start == end. */
	uint64_t text_start, text_end, init_start, init_end;
	struct dump_orc_table orc;
	struct error *no_orc; /* why `orc` is empty */
	VEC(struct dump_code_module) modules;
	VEC(struct dump_code_bpf) bpf; /* programs and trampolines */
	uint64_t n_symbols;	       /* of modules, seen so far */
};

/* Never fails: what cannot be read has no names. */
void dump_code_init(struct dump_code *code, struct kmem *kmem);
void dump_code_deinit(struct dump_code *code);
#define _cleanup_dump_code_ _cleanup_(dump_code_deinit)

enum dump_code_kind dump_code_kind(const struct dump_code *code, uint64_t address);
/* The table that is about this address; false: there is none. */
bool dump_code_orc(const struct dump_code *code, uint64_t address,
		   struct dump_orc_table *ret) MUST_CHECK;

struct dump_code_name {
	enum dump_code_kind kind;
	uint64_t offset, bytes; /* bytes 0: not told */
	const char *module;	/* NULL: none. Borrowed from the code. */
	char symbol[KMEM_LIMIT_SYMBOL_CHARS];
};

/*
 * An address that a call left behind may be the first one after the function: such are looked for
 * one byte before, as the kernel does. False: there is no symbol.
 */
bool dump_code_name(struct dump_code *code, uint64_t address, bool is_return,
		    struct dump_code_name *ret) MUST_CHECK;
/* "do_nanosleep+0x67/0x1b0", "nft_do_chain+0x1c/0x400 [nf_tables]"; escaped. */
void dump_code_format(const struct dump_code_name *name, struct strbuf *into);

#endif
