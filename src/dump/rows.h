/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects of one kind, each a struct, as lines of a table or as objects of a JSON list. What is
 * shown of them is a table of rows: key, title, member. The same row can say which field of the
 * kernel's struct is read into the member.
 */
#ifndef KTSTR_DUMP_ROWS_H
#define KTSTR_DUMP_ROWS_H

#include "dump/member.h"

enum dump_kind {
	DUMP_KIND_U64,	       /* uint64_t */
	DUMP_KIND_HEX,	       /* uint64_t */
	DUMP_KIND_BOOL,	       /* bool */
	DUMP_KIND_STRING,      /* const char *; NULL: there is none */
	DUMP_KIND_TEXT,	       /* struct dump_text */
	DUMP_KIND_MEMBER,      /* struct dump_member */
	DUMP_KIND_MEMBER_HEX,  /* the same as an address */
	DUMP_KIND_MEMBER_BOOL, /* the same as a truth */
	DUMP_KIND_OBJECT,      /* a struct that has columns of its own, only in JSON */
};

/* A text that may be unknown to this kernel or unreadable. Borrowed. */
struct dump_text {
	enum kmem_status status;
	const char *text;
};

struct dump_column {
	const char *key;   /* of JSON; NULL: only in text */
	const char *title; /* of text; NULL: only in JSON. "" has no title. */
	enum dump_kind kind;
	size_t offset;
	int width;	    /* of text, as printf() has it; all 0: as wide as needed */
	unsigned int place; /* in text, from 1 on; all 0: in the order of the rows */
	bool reads, is_signed;
	enum kmem_field_id field;
	const struct dump_column *columns; /* of an object */
	size_t n_columns;
};

#define DUMP_OF_(kind_, type_, row, member)                                 \
	.kind = DUMP_KIND_##kind_, .offset = offsetof(struct row, member) + \
					     0 * sizeof((type_ *)0 == &((struct row *)0)->member)
#define DUMP_U64(row, member)	      DUMP_OF_(U64, uint64_t, row, member)
#define DUMP_HEX(row, member)	      DUMP_OF_(HEX, uint64_t, row, member)
#define DUMP_BOOL(row, member)	      DUMP_OF_(BOOL, bool, row, member)
#define DUMP_STRING(row, member)      DUMP_OF_(STRING, const char *, row, member)
#define DUMP_TEXT(row, member)	      DUMP_OF_(TEXT, struct dump_text, row, member)
#define DUMP_MEMBER(row, member)      DUMP_OF_(MEMBER, struct dump_member, row, member)
#define DUMP_MEMBER_HEX(row, member)  DUMP_OF_(MEMBER_HEX, struct dump_member, row, member)
#define DUMP_MEMBER_BOOL(row, member) DUMP_OF_(MEMBER_BOOL, struct dump_member, row, member)
/* A field of the kernel's struct: dump_row_read() fills it in. */
#define DUMP_FIELD(row, member, id)	   DUMP_MEMBER(row, member), .reads = true, .field = KMEM_F_##id
#define DUMP_FIELD_SIGNED(row, member, id) DUMP_FIELD(row, member, id), .is_signed = true
#define DUMP_FIELD_BOOL(row, member, id) \
	DUMP_MEMBER_BOOL(row, member), .reads = true, .field = KMEM_F_##id
/* A struct inside of the row, with columns of its own. */
#define DUMP_OBJECT(row, member, columns_)                                                     \
	.kind = DUMP_KIND_OBJECT, .offset = offsetof(struct row, member), .columns = columns_, \
	.n_columns = ARRAY_SIZE(columns_)
/* Key and title, and where the column stands in text. */
#define DUMP_PLACED(key_, title_, place_, width_) \
	.key = key_, .title = title_, .place = place_, .width = width_

/* All members of `row` that are fields of the object at `base`. */
void dump_row_read(struct kmem *kmem, uint64_t base, const struct dump_column *columns, size_t n,
		   void *row);
/* Only members of JSON, into the object that is open; in text nothing happens. */
void dump_row_add(struct dump_sink *sink, const struct dump_column *columns, size_t n,
		  const void *row);

struct dump_rows {
	struct dump_sink *sink;
	const struct dump_column *columns;
	size_t n;
	struct text_column *titles;
	struct text_table *table; /* of columns without a width, shown at the end */
};

/* `key` is that of the list; titles are a line. */
void dump_rows_begin(struct dump_rows *rows, struct dump_sink *sink, const char *key,
		     const struct dump_column *columns, size_t n);
void dump_rows_add(struct dump_rows *rows, const void *row);
void dump_rows_end(struct dump_rows *rows);

#endif
