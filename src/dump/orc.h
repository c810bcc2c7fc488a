/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ORC: for every instruction of the kernel, where the caller's stack pointer, frame pointer and
 * return address are (Documentation/arch/x86/orc-unwinder.rst). Two tables of equal length stand
 * in the guest's memory: addresses, place-relative and sorted, and what holds from each of them
 * on. How an entry is laid out is asked from the kernel's own types: it changed in Linux 6.4.
 */
#ifndef KTSTR_DUMP_ORC_H
#define KTSTR_DUMP_ORC_H

#include "kmem/kmem.h"

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
 * which ones hold is told by the entry of a function's first byte, where the stack pointer is what
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
	bool signal; /* the caller was interrupted: its address is no return address */
};

enum dump_orc_found { DUMP_ORC_FOUND, DUMP_ORC_ABSENT, DUMP_ORC_UNREADABLE };

/* The kernel's own table. KMEM_NO_SYMBOL, KMEM_NO_FIELD; KMEM_NO_SYMBOLS: its ends do not fit, or
 * nobody knows its numbers. */
struct error *dump_orc_kernel_table(struct kmem *kmem, struct dump_orc_table *ret) MUST_CHECK;

/* What holds at an address, which must lie in the code that the table is about. */
enum dump_orc_found dump_orc_find(struct kmem *kmem, const struct dump_orc_table *table,
				  uint64_t ip, struct dump_orc *ret) MUST_CHECK;

#endif
