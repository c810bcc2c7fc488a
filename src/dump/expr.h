/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One value of the kernel by its name:
 *
 *	runqueues[0].scx.local_dsq.nr		of CPU 0
 *	runqueues.nr_running			of every CPU
 *	runqueues[1].curr->comm			through pointers
 *	(struct task_struct)init_task.comm	a variable of which types do not tell
 *	(struct scx_sched *)scx_root->ops.name	the same, a pointer
 *	(struct rq)0xffff88803ec35e80.cpu	at an address
 */
#ifndef KTSTR_DUMP_EXPR_H
#define KTSTR_DUMP_EXPR_H

#include "dump/dump.h"

#define EXPR_ERRORS(X)                                                                     \
	X(EXPR_SYNTAX, "expression", "the expression has another form than that")          \
	X(EXPR_NO_TYPE, "expression-type", "nothing says what kind of value the name has") \
	X(EXPR_NO_CPU, "expression-cpu", "the machine has no such CPU")
DECLARE_ERROR_DOMAIN(expr, EXPR, EXPR_ERRORS);

/* `text` may be anything, and so is its length bounded. The parts are borrowed from it. */
struct expr {
	const char *type, *name, *path;
	size_t type_n, name_n;
	bool is_pointer; /* the variable points to the type */
	bool is_address; /* the name is a number: `address` */
	uint64_t address;
	bool has_index; /* right behind the name; then `path` stands behind it */
	uint64_t index;
	const char *path_with_index;
};
struct error *expr_parse(const char *text, struct expr *ret) MUST_CHECK;

/* In JSON an object of its own. An error names what is missing and what may be meant. */
struct error *dump_expr(struct kmem *kmem, const char *text, struct dump_sink *sink) MUST_CHECK;

#endif
