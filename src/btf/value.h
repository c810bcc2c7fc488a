/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes and a type become a tree of values: numbers, names of enums, texts, structs, arrays,
 * pointers and what is behind them. Bytes that could not be read are a node with a reason, never 0.
 *
 * A tree has a budget of bytes and nodes. Where it ends, a struct or array says how many of its
 * parts are shown. Pointers are followed breadth first, so that a budget shows what is near before
 * what is far; what is shown once already is referred to by a label, not shown again.
 */
#ifndef KTSTR_BTF_VALUE_H
#define KTSTR_BTF_VALUE_H

#include "base/strbuf.h"
#include "btf/btf.h"
#include "json/writer.h"

/* The words are the "kind" of JSON. */
#define BTF_VALUE_KINDS(X)                      \
	X(BTF_VALUE_INT, "int")                 \
	X(BTF_VALUE_UINT, "uint")               \
	X(BTF_VALUE_BOOL, "bool")               \
	X(BTF_VALUE_CHAR, "char")               \
	X(BTF_VALUE_FLOAT, "float")             \
	X(BTF_VALUE_ENUM, "enum")               \
	X(BTF_VALUE_STRUCT, "struct")           \
	X(BTF_VALUE_ARRAY, "array")             \
	X(BTF_VALUE_CPU_LIST, "cpu_list")       \
	X(BTF_VALUE_PTR, "ptr")                 \
	X(BTF_VALUE_BYTES, "bytes")             \
	X(BTF_VALUE_TRUNCATED, "truncated")     \
	X(BTF_VALUE_UNSUPPORTED, "unsupported") \
	X(BTF_VALUE_UNREADABLE, "unreadable")   \
	X(BTF_VALUE_SHORT, "short")
#define BTF_VALUE_KIND_ENUM_(id, word) id,
enum btf_value_kind { BTF_VALUE_KINDS(BTF_VALUE_KIND_ENUM_) BTF_VALUE_N_KINDS };
const char *btf_value_kind_name(enum btf_value_kind kind);

struct btf_value_node {
	enum btf_value_kind kind;
	/* Places in the tree; 0 is none. The first child of a pointer is what it points to. */
	uint32_t parent, first, last, next;
	const char *name; /* of a member; NULL elsewhere */
	/* What it was made of, past typedefs. */
	const struct btf *btf;
	uint32_t type;
	const char *type_name; /* of struct, union, section or enum: "" when it has none */
	uint64_t address;      /* of a struct or union whose address is known, else 0 */
	uint64_t bit_offset;   /* in its block */
	uint32_t bits;	       /* of a number */
	uint64_t value;	       /* extended to 64 bits by its sign; a pointer's address */
	uint64_t high;	       /* bits 64 … 127 */
	double real;
	/*
	 * Name of the enum's value (NULL: it has none), text of an array (`n` bytes), list of
	 * CPUs, bytes as hex, short form of what a pointer leads to.
	 */
	const char *text;
	const char *symbol; /* name of the pointer, from the memory callback, or NULL */
	/* Why it is unsupported or unreadable; why a pointer was not followed. */
	const char *reason;
	/* Elements or members, and how many of them are here. Truncated: bytes needed and had. */
	uint64_t n, shown;
	uint32_t label; /* not 0 when a pointer elsewhere refers to this */
	uint32_t ref;	/* of a pointer: the label of what it points to, shown elsewhere */
	bool is_signed;
	bool is_union;
	bool is_bit_field;
	bool is_cycle; /* a pointer to a value that contains it */
	bool repeats;  /* an arm of a union that says what an earlier one says */
	bool all_zero; /* an array that was not opened: each element is 0 */
	bool zero;     /* nothing in it but 0 */
};

struct btf_value_tree {
	struct btf_value_node *nodes; /* [0] is unused, [1] is the root */
	uint32_t n;		      /* with [0] */
	uint64_t bytes;		      /* decoded, what pointers led to included */
	uint32_t followed;	      /* pointers */
	uint32_t labels;
	bool is_cut; /* the budget ended before the values did */
	struct {
		char **at;
		size_t n, capacity;
	} texts_;
};

/* Bytes that are there and bytes that could not be read. */
struct btf_value_hole {
	uint64_t offset, n;
	const char *reason;
};

struct btf_value_block {
	struct bytes data;
	const struct btf_value_hole *holes; /* in any order */
	size_t n_holes;
	uint64_t address; /* of the first byte, 0 when unknown */
};

struct btf_value_memory;

struct btf_value_short_request {
	struct bytes bytes; /* of the value itself; empty behind a pointer */
	uint64_t address;   /* 0 when unknown */
	const struct btf_value_memory *memory;
};

/* NULL, or a reason: the value stays as it is. */
typedef const char *(*btf_value_short_fn)(void *context,
					  const struct btf_value_short_request *request,
					  struct strbuf *out);

/* A type that is shown by a word of its own: task_struct * as "bash[1234]". */
struct btf_value_short {
	const char *type; /* name of the struct, union or typedef */
	bool behind_pointer;
	enum btf_value_kind kind; /* BTF_VALUE_SHORT or BTF_VALUE_CPU_LIST */
	btf_value_short_fn fn;
	void *context;
};

struct btf_value_pointer {
	uint64_t address;
	const struct btf *btf;
	uint32_t pointee;	  /* as declared; 0 is void */
	const char *pointee_name; /* of the struct or union behind it, or "" */
	const char *member;	  /* that holds the pointer, or NULL */
	unsigned int followed;	  /* pointers on the way here */
};

/* Starts as the pointer says; the symbol is copied. */
struct btf_value_target {
	const struct btf *btf;
	uint32_t type;
	uint64_t address;
	const char *symbol;
};

struct btf_value_memory {
	void *context;
	/* NULL, or why not: a static text. Never asked across the end of a page of 4096 bytes. */
	const char *(*read)(void *context, uint64_t address, void *to, size_t n);
	/*
	 * True: it is followed to target->address as target->type; else the number is enough.
	 * NULL: no pointer is followed.
	 */
	bool (*step)(void *context, const struct btf_value_pointer *pointer,
		     struct btf_value_target *target);
};

/* All of it may be 0: the defaults of limits.h, nothing followed. Borrowed while building. */
struct btf_value_options {
	uint64_t max_bytes;
	uint32_t max_nodes;
	uint32_t max_elements;		      /* of one array */
	const struct btf_value_short *shorts; /* the first that fits counts */
	size_t n_shorts;
	const struct btf_value_memory *memory;
};

/*
 * Never fails: what cannot be shown is a node that says so. Texts of the tree are its own or
 * borrowed from the BTF. A type of 0 shows the bytes themselves.
 */
struct btf_value_tree *btf_value_new(const struct btf *btf, uint32_t type,
				     const struct btf_value_block *block,
				     const struct btf_value_options *options) MUST_CHECK;
void btf_value_free(struct btf_value_tree *tree);
DEFINE_CLEANUP(btf_value, struct btf_value_tree *, NULL, btf_value_free);
#define _cleanup_btf_value_ _cleanup_(cleanup_btf_value)

/* Borrowed; NULL at the end. */
const struct btf_value_node *btf_value_root(const struct btf_value_tree *tree);
const struct btf_value_node *btf_value_first(const struct btf_value_tree *tree,
					     const struct btf_value_node *node);
const struct btf_value_node *btf_value_next(const struct btf_value_tree *tree,
					    const struct btf_value_node *node);

/* For the table of shorts: masks of CPUs. context: const uint32_t *, bits from here on are none. */
const char *btf_value_short_cpus(void *context, const struct btf_value_short_request *request,
				 struct strbuf *out);

/* "0-2,5"; nothing when there is no CPU. */
void btf_value_cpus_format(struct bytes bits, uint32_t n_cpus, struct strbuf *out);

/*
 * A tree of values for people:
 *
 *	rq:
 *	  nr_running=3   cpu=1   clock=81234
 *	  dsqs=[
 *	    [0]=dsq{id=9, nr=2}
 *	  ]
 *	  curr=0xffff888004a3c000 → task{comm="bash", pid=77}
 *
 * Members that are 0 are left out, unless asked for; what could not be read never is. Names and
 * texts are foreign: control characters are escaped.
 */
struct btf_value_text_options {
	uint32_t columns; /* 0: BTF_VALUE_COLUMNS */
	bool zeros;	  /* members that are 0 as well */
	bool count_zeros; /* how many of them are left out: "(3 zero members)" */
};

/* Without a newline at the end. options may be NULL. */
void btf_value_format(const struct btf_value_tree *tree, const struct btf_value_node *node,
		      const struct btf_value_text_options *options, struct strbuf *out);

/* A tree of values as objects and arrays of JSON, anywhere in a document that is being written. */
/*
 * One object per node, with "kind" first; keys that do not apply are left out.
 *
 *	int uint     bits, value; of more than 64 bits "value" is a text of hexadecimal digits
 *	bool char    value
 *	float        bits, value
 *	enum         bits, value, variant (null: no name), is_signed
 *	struct       type_name (null: none), members [{name, value}], shown and total when cut
 *	array        len, elements [], shown when cut; or text; or all_zero
 *	cpu_list     cpus
 *	ptr          value ("0x…"), symbol, short, deref, deref_skipped_reason, ref
 *	bytes        hex, len when cut
 *	truncated    needed, had, partial
 *	unsupported  reason
 *	unreadable   reason, len
 *	short        text
 *
 * A "ref" names the "label" of another node.
 */
void btf_value_write(const struct btf_value_tree *tree, const struct btf_value_node *node,
		     struct json_writer *json);

#endif
