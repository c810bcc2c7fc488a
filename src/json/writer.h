/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A streaming writer. What it writes is always valid JSON in valid UTF-8, as
 * long as begin and end, key and value come in pairs; a caller that breaks this
 * is a bug and ends the program.
 *
 *	struct json_writer w = json_writer_to(&out, JSON_PRETTY);
 *	json_begin_object(&w);
 *	json_add_u64(&w, "tid", 42);
 *	json_add_string(&w, "comm", comm);      left out when comm is NULL
 *	json_end_object(&w);
 *
 * Absent is not null: json_add_*() leave the member out when there is no value.
 */
#ifndef KTSTR_JSON_WRITER_H
#define KTSTR_JSON_WRITER_H

#include "base/strbuf.h"
#include "json/doc.h"

enum json_style {
	JSON_COMPACT,
	JSON_PRETTY, /* two spaces, one member or element per line */
};

struct json_writer {
	struct strbuf *out; /* borrowed */
	enum json_style style;
	/* Levels of indentation around what is written; 0 for a document of its own. */
	unsigned int outer_levels;
	unsigned int depth_;
	bool after_key_;
	struct {
		bool object;
		bool filled;
	} open_[JSON_LIMIT_NESTING];
};

struct json_writer json_writer_to(struct strbuf *out, enum json_style style);

void json_begin_object(struct json_writer *w);
void json_end_object(struct json_writer *w);
void json_begin_array(struct json_writer *w);
void json_end_array(struct json_writer *w);
/* A member that is an object or an array: its key, and the begin. */
void json_open_object(struct json_writer *w, const char *key);
void json_open_array(struct json_writer *w, const char *key);
/* Ends whatever is open, and the line. */
void json_end_document(struct json_writer *w);
void json_key(struct json_writer *w, const char *key);
void json_key_n(struct json_writer *w, const char *key, size_t n);

void json_write_null(struct json_writer *w);
void json_write_bool(struct json_writer *w, bool value);
void json_write_u64(struct json_writer *w, uint64_t value);
void json_write_i64(struct json_writer *w, int64_t value);
/* The shortest text that reads back the same; null when not finite, which JSON cannot say. */
void json_write_double(struct json_writer *w, double value);
/* Bytes that are not UTF-8 become U+FFFD, one for each maximal broken sequence. */
void json_write_string(struct json_writer *w, const char *bytes);
void json_write_string_n(struct json_writer *w, const char *bytes, size_t n);
/* The text of a number that came out of a document. */
void json_write_number_text(struct json_writer *w, struct json_text number);

void json_add_bool(struct json_writer *w, const char *key, bool value);
void json_add_u64(struct json_writer *w, const char *key, uint64_t value);
void json_add_i64(struct json_writer *w, const char *key, int64_t value);
/* Left out when not finite. */
void json_add_double(struct json_writer *w, const char *key, double value);
/* Left out when NULL. */
void json_add_string(struct json_writer *w, const char *key, const char *bytes);

#endif
