/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One value of the kernel, as C and gdb write it:
 *
 *	runqueues[0].scx.local_dsq.nr			of CPU 0
 *	runqueues.nr_running				of every CPU
 *	runqueues[1].curr->comm				through pointers
 *	((struct scx_sched *)scx_root)->ops.name	a variable whose type is not known
 *	((struct rq *)0xffff88803ec35e80)->cpu		at an address
 *	&init_task.comm, *p, sizeof(struct rq), (enum scx_enable_state)3
 *	map:.bss.nr_enqueued, bpf:nr_enqueued		variables of BPF programs
 *
 * A cast applies to everything that follows it, members included, as in C.
 */
#ifndef KTSTR_DUMP_EXPR_H
#define KTSTR_DUMP_EXPR_H

#include "dump/dump.h"

#define DUMP_EXPR_ERRORS(X)                                                                      \
	X(DUMP_EXPR_SYNTAX, "expression", "the expression has another form than that")           \
	X(DUMP_EXPR_NO_TYPE, "expression-type", "the type of the name is not known, or no such") \
	X(DUMP_EXPR_NO_CPU, "expression-cpu", "the machine has no such CPU")                     \
	X(DUMP_EXPR_NULL, "expression-null", "a pointer that is followed is NULL")               \
	X(DUMP_EXPR_UNREAD, "expression-unread", "part of what is shown cannot be read")
DECLARE_ERROR_DOMAIN(dump_expr, DUMP_EXPR, DUMP_EXPR_ERRORS);

enum dump_expr_op {
	DUMP_EXPR_NUMBER,
	DUMP_EXPR_NAME,
	DUMP_EXPR_BPF,	  /* bpf:NAME */
	DUMP_EXPR_MAP,	  /* map:NAME.member.member: only the guest says where the name ends */
	DUMP_EXPR_MEMBER, /* left.word, left->word */
	DUMP_EXPR_INDEX,  /* left[right] */
	DUMP_EXPR_DEREF,
	DUMP_EXPR_ADDRESS,
	DUMP_EXPR_CAST, /* (word)left */
	DUMP_EXPR_SIZEOF,
	DUMP_EXPR_SIZEOF_TYPE, /* sizeof(word) */
	DUMP_EXPR_NEGATE,
	DUMP_EXPR_ADD,
	DUMP_EXPR_SUBTRACT,
};

/* Texts are borrowed from the expression. */
struct dump_expr_node {
	enum dump_expr_op op;
	uint8_t left, right; /* nodes; 0: none */
	const char *from, *to;
	const char *word; /* name, member or type */
	size_t word_n;
	uint64_t number;
};

struct dump_expr {
	struct dump_expr_node nodes[DUMP_LIMIT_EXPR_NODES]; /* [0] is unused */
	uint8_t n;					    /* with [0] */
	uint8_t root;
};

/* `text` may be anything: its length, its depth and the number of its parts are bounded. */
struct error *dump_expr_parse(const char *text, struct dump_expr *ret) MUST_CHECK;

/*
 * In JSON an object of its own. An error names what is missing and what may be meant.
 * DUMP_EXPR_UNREAD alone means that something was shown, but not all of it.
 */
struct error *dump_expr(struct kmem *kmem, const char *text, struct dump_sink *sink) MUST_CHECK;

#endif
