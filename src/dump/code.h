/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ORC: for every instruction of the kernel, where the caller's stack pointer, frame pointer and
 * return address are (Documentation/arch/x86/orc-unwinder.rst). Two tables of equal length stand
 * in the guest's memory: addresses, place-relative and sorted, and what holds from each of them
 * on. How an entry is laid out is asked from the kernel's own types: it changed in Linux 6.4.
 */
#ifndef KTSTR_DUMP_CODE_H
#define KTSTR_DUMP_CODE_H

#include "base/vec.h"
#include "dump/limits.h"
#include "kmem/kmem.h"
#include "kmem/modules.h"

struct dump_orc_table {
	uint64_t ips;	  /* address of n signed words of 4 bytes */
	uint64_t entries; /* address of n struct orc_entry */
	uint64_t n;	  /* 0: there is none */
	bool renumbered;  /* its registers have the numbers of later kernels */
};

enum dump_orc_type {
	DUMP_ORC_UNDEFINED, /* the kernel says that it cannot be unwound here */
	DUMP_ORC_END,	    /* the outermost frame */
	DUMP_ORC_CALL,
	DUMP_ORC_REGS,	       /* a whole struct pt_regs */
	DUMP_ORC_REGS_PARTIAL, /* only what the CPU itself pushed */
};

/*
 * ORC_REG_* with the numbers that they had from Linux 4.14 on. Later they got others (seen in 7.2);
 * which hold follows from the entry of a function's first byte, where the stack pointer is what
 * everything is found by.
 */
enum dump_orc_register {
	DUMP_ORC_REG_UNDEFINED,
	DUMP_ORC_REG_PREV_SP,
	DUMP_ORC_REG_DX,
	DUMP_ORC_REG_DI,
	DUMP_ORC_REG_BP,
	DUMP_ORC_REG_SP,
	DUMP_ORC_REG_R10,
	DUMP_ORC_REG_R13,
	DUMP_ORC_REG_BP_INDIRECT,
	DUMP_ORC_REG_SP_INDIRECT,
	DUMP_ORC_REG_UNKNOWN,
};

struct dump_orc {
	enum dump_orc_type type;
	enum dump_orc_register sp_register, bp_register;
	int64_t sp_offset, bp_offset;
	bool signal; /* the caller was interrupted: its address is not a return address */
};

enum dump_orc_found { DUMP_ORC_FOUND, DUMP_ORC_ABSENT, DUMP_ORC_UNREADABLE };

/* The kernel's own table. KMEM_NO_SYMBOL, KMEM_NO_FIELD; KMEM_NO_SYMBOLS: its ends do not fit, or
 * nobody knows its numbers. */
struct error *dump_orc_kernel_table(struct kmem *kmem, struct dump_orc_table *ret) MUST_CHECK;

/* What holds at an address, which must lie in the code that the table is about. */
enum dump_orc_found dump_orc_find(struct kmem *kmem, const struct dump_orc_table *table,
				  uint64_t ip, struct dump_orc *ret) MUST_CHECK;

/*
 * Which code is at an address of a kernel: its own, a module's, what was compiled for BPF.
 * Names are printed as the kernel does: symbol+offset/size, all hexadecimal.
 */
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
	/* Empty when the kernel does not report it: start == end. */
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
