/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Documents as rows. A row says what a member of an object is called, which member of a struct
 * holds it, when it is absent, and what it means; the same rows read the object, write it, free
 * what was read, and make the table of the man page:
 *
 *	static const struct json_row process_rows[] = {
 *		{ JSON_SCALAR(struct process, pid), .presence = JSON_REQUIRED,
 *		  .means = "number of the process" },
 *		{ JSON_SCALAR_AS(struct process, is_idle, "idle"), .means = "it waits" },
 *	};
 *	static const struct json_rows process_table = {
 *		JSON_TABLE(process_rows),
 *	};
 *
 * The macros name the member and find its type; a member of a type that no row has does not
 * compile. Members of an object that no row names are passed over.
 */
#ifndef KTSTR_JSON_ROWS_H
#define KTSTR_JSON_ROWS_H

#include "base/strbuf.h"
#include "json/doc.h"
#include "json/writer.h"

enum json_row_type {
	JSON_ROW_BOOL,
	JSON_ROW_I32,
	JSON_ROW_I64,
	JSON_ROW_U32,
	JSON_ROW_U64,
	JSON_ROW_DOUBLE,
	JSON_ROW_STRING,  /* char * or const char *: NULL is absent */
	JSON_ROW_WORD,	  /* an enum, by its names */
	JSON_ROW_OBJECT,  /* a struct, or more members of the same struct */
	JSON_ROW_OBJECTS, /* a list of structs */
	JSON_ROW_STRINGS, /* a list of char * */
	JSON_ROW_NUMBERS, /* a list of uint64_t */
	JSON_ROW_CUSTOM,  /* whatever a codec makes of it */
};

enum json_presence {
	JSON_OPTIONAL, /* when it is not there, the struct's member stays as it was */
	JSON_REQUIRED,
	JSON_NULLABLE,	       /* as JSON_OPTIONAL, but null is written for what is absent */
	JSON_REQUIRED_OR_NULL, /* the same, and it must be there */
};

/* A value that is more than its JSON type, such as a list of CPUs that is written as a string. */
struct json_codec {
	const char *type; /* for the man page: "string" */
	/* The message says what is wrong with the value; its place is put in front. */
	struct error *(*read)(const struct json_value *value, void *member);
	/* NULL: it is always there, unless the row says otherwise. */
	bool (*is_absent)(const void *member);
	void (*write)(const void *member, struct json_writer *w);
	void (*deinit)(void *member); /* NULL: nothing to free */
	const struct json_rows *rows; /* of an object, for the man page; or NULL */
};

struct json_row {
	const char *name;
	const char *older_name; /* what older documents call it, or NULL */
	enum json_row_type type;
	size_t offset;
	enum json_presence presence;
	/* 1 + the offset of a bool that says whether the member is there; 0: there is none. */
	size_t has;
	/* The name of another row. The member is written, and required, only together with that
	 * one, and only if that one is not false. */
	const char *with;
	/* Zero, NULL, an empty list or object is not written. */
	bool absent_zero;
	/* A word that is not in the list counts as its first. */
	bool lenient;
	int64_t min; /* of signed numbers */
	/* Largest number, bytes of a string, elements of a list; 0: the type's or the table's. */
	uint64_t limit;
	/* NULL, or what is wrong with the struct's member: "is not a C identifier". */
	const char *(*check)(const void *member);
	union {
		const struct json_rows *rows;
		const struct json_codec *codec;
		const char *const *words;
	};
	size_t n_words, element_size, list_size;
	const char *means; /* one sentence, no full stop */
	/* Of a figure that runs are compared by: its unit, NULL for others, and which way is
	 * better. */
	const char *unit;
	enum json_direction {
		JSON_NEITHER_IS_BETTER,
		JSON_LOWER_IS_BETTER,
		JSON_HIGHER_IS_BETTER,
	} direction;
	/* Work that was done in a time. It says something where CPUs have a speed of their own. */
	bool rate;
};

struct json_rows {
	const struct json_row *at;
	size_t n;
	/* What the member is called that holds the version of a document, NULL when it has none;
	 * the version that is written, and the oldest that is read, 0: no other. */
	const char *version_name;
	uint64_t version, oldest_version;
	/* Bytes of a string and elements of a list where the row has no limit of its own; 0: none,
	 * and JSON_LIMIT_LIST. */
	uint64_t text_limit, list_limit;
	bool null_is_absent;
	/* After all rows were read: NULL, or what is wrong with the whole. */
	const char *(*check)(const void *of);
};

/*
 * Reads the object into a struct that the caller has zeroed or filled with defaults; what it
 * points to is freed when the object has another value, or the same member twice. `place`
 * names the object in errors, "" for the root: "tests[3].needs.smt is neither true nor false".
 * BASE_PARSE; BASE_LIMIT. What was read before the error stays, for json_rows_deinit().
 */
struct error *json_rows_read(const struct json_rows *rows, const struct json_value *object,
			     const char *place, void *into) MUST_CHECK;
/* The same from a document; `label` names it in errors. */
struct error *json_rows_parse(const struct json_rows *rows, const char *text, size_t n,
			      const char *label, void *into) MUST_CHECK;
/* Frees what reading allocates. Numbers stay. */
void json_rows_deinit(const struct json_rows *rows, void *of);

/* The object, its version first. */
void json_rows_write(const struct json_rows *rows, const void *from, struct json_writer *w);
/* Without the version, into an object that is open. */
void json_rows_write_members(const struct json_rows *rows, const void *from, struct json_writer *w);
/* A document that people may read, with a newline at its end. */
void json_rows_format(const struct json_rows *rows, const void *from, struct strbuf *into);

/* Every member with its path, type, presence and meaning, in the language of scdoc. rows_man.c */
void json_rows_format_man(const struct json_rows *rows, const char *place, struct strbuf *into);

#define JSON_TABLE(rows_) .at = (rows_), .n = ARRAY_SIZE(rows_)

#define JSON_MEMBER_(struct_, member) (((struct_ *)0)->member)
/* 0, and a compile error when it is not so. */
#define JSON_ASSERT_(condition) \
	(0 * sizeof(struct { int wrong_member_type : (condition) ? 1 : -1; }))

#define JSON_SCALAR_AS(struct_, member, name_)                \
	.name = (name_), .offset = offsetof(struct_, member), \
	.type = _Generic(JSON_MEMBER_(struct_, member),       \
		bool: JSON_ROW_BOOL,                          \
		int32_t: JSON_ROW_I32,                        \
		int64_t: JSON_ROW_I64,                        \
		uint32_t: JSON_ROW_U32,                       \
		uint64_t: JSON_ROW_U64,                       \
		double: JSON_ROW_DOUBLE,                      \
		char *: JSON_ROW_STRING,                      \
		const char *: JSON_ROW_STRING)
#define JSON_SCALAR(struct_, member) JSON_SCALAR_AS(struct_, member, #member)

/* An enum that is an index into an array of names; NULL is not a name. */
#define JSON_WORD_AS(struct_, member, name_, names)                                   \
	.name = (name_), .type = JSON_ROW_WORD,                                       \
	.offset = offsetof(struct_, member) +                                         \
		  JSON_ASSERT_(sizeof(JSON_MEMBER_(struct_, member)) == sizeof(int)), \
	.words = (names), .n_words = ARRAY_SIZE(names)
#define JSON_WORD(struct_, member, names) JSON_WORD_AS(struct_, member, #member, names)

/* A struct inside the struct. */
#define JSON_OBJECT_AS(struct_, member, name_, table)                                  \
	.name = (name_), .type = JSON_ROW_OBJECT, .offset = offsetof(struct_, member), \
	.rows = (table)
#define JSON_OBJECT_OF(struct_, member, table) JSON_OBJECT_AS(struct_, member, #member, table)
/* An object whose members are in the same struct. */
#define JSON_GROUP(name_, table) .name = (name_), .type = JSON_ROW_OBJECT, .rows = (table)

/* A VEC(), or a struct of a pointer `at` and a size_t `n`. Strings end with a NULL after the last.
 */
#define JSON_LIST_(struct_, member, name_)                                                   \
	.name = (name_), .list_size = sizeof(JSON_MEMBER_(struct_, member)),                 \
	.offset = offsetof(struct_, member) +                                                \
		  JSON_ASSERT_(offsetof(struct_, member.n) - offsetof(struct_, member.at) == \
			       sizeof(void *)),                                              \
	.element_size = sizeof(*JSON_MEMBER_(struct_, member.at))
#define JSON_OBJECTS_AS(struct_, member, name_, table) \
	JSON_LIST_(struct_, member, name_), .type = JSON_ROW_OBJECTS, .rows = (table)
#define JSON_OBJECTS(struct_, member, table) JSON_OBJECTS_AS(struct_, member, #member, table)
#define JSON_STRINGS_AS(struct_, member, name_)                                                 \
	JSON_LIST_(struct_, member, name_), .type = _Generic(*JSON_MEMBER_(struct_, member.at), \
						    char *: JSON_ROW_STRINGS,                   \
						    const char *: JSON_ROW_STRINGS)
#define JSON_STRINGS(struct_, member) JSON_STRINGS_AS(struct_, member, #member)
#define JSON_NUMBERS(struct_, member)         \
	JSON_LIST_(struct_, member, #member), \
		.type = _Generic(*JSON_MEMBER_(struct_, member.at), uint64_t: JSON_ROW_NUMBERS)

#define JSON_CUSTOM_AS(struct_, member, name_, codec_)                                 \
	.name = (name_), .type = JSON_ROW_CUSTOM, .offset = offsetof(struct_, member), \
	.codec = (codec_)
#define JSON_CUSTOM(struct_, member, codec_) JSON_CUSTOM_AS(struct_, member, #member, codec_)

#define JSON_HAS(struct_, member)                         \
	.has = 1 + offsetof(struct_, member) +            \
	       JSON_ASSERT_(__builtin_types_compatible_p( \
		       __typeof__(JSON_MEMBER_(struct_, member)), bool))

#endif
