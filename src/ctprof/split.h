/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A large JSON object in pieces, as its bytes come in: each member is one piece, and members that
 * the owner wants to see opened come element by element. Nothing but the piece at hand is held.
 *
 * What stands between pieces is checked here, what stands in them by whoever parses them.
 */
#ifndef KTSTR_CTPROF_SPLIT_H
#define KTSTR_CTPROF_SPLIT_H

#include "base/error.h"
#include "base/strbuf.h"

struct split_piece {
	const char *key; /* of the member of the outermost object */
	/* Of an opened member; inner is NULL in an array. */
	bool opened;
	const char *inner;
	size_t index;
	struct strbuf *text; /* borrowed: one JSON value */
};

struct split_callbacks {
	/* Whether the container that is this member's value shall come in pieces. */
	bool (*opens)(void *arg, const char *key);
	/* Most bytes of a piece of this member. */
	size_t (*limit)(void *arg, const char *key);
	struct error *(*piece)(void *arg, const struct split_piece *piece);
	/* An opened member ended; it may have had no piece at all. May be NULL. */
	struct error *(*opened)(void *arg, const char *key, bool object);
	void *arg;
};

enum split_state {
	SPLIT_START, /* before the outermost brace */
	SPLIT_FIRST, /* behind an opening brace or bracket */
	SPLIT_KEY,   /* a key must follow */
	SPLIT_IN_KEY,
	SPLIT_COLON,
	SPLIT_VALUE, /* a value must follow */
	SPLIT_IN_CONTAINER,
	SPLIT_IN_STRING,
	SPLIT_IN_SCALAR,
	SPLIT_BEHIND, /* a comma or the end of the container must follow */
	SPLIT_END,
};

struct split {
	struct split_callbacks callbacks;
	enum split_state state;
	bool opened, opened_is_object;
	/* In a string of a piece, or in a key; behind a backslash there. */
	bool in_string, escaped;
	size_t depth; /* of brackets in the piece */
	size_t limit; /* of the piece */
	size_t index;
	uint64_t bytes; /* taken so far */
	struct strbuf text;
	char *key, *inner;
};

void split_init(struct split *split, const struct split_callbacks *callbacks);
void split_deinit(struct split *split);
#define _cleanup_split_ _cleanup_(split_deinit)

/* BASE_PARSE with the byte; an error of a callback ends it as well. No call after an error. */
struct error *split_feed(struct split *split, const char *bytes, size_t n) MUST_CHECK;
/* BASE_PARSE when the object is not complete. */
struct error *split_finish(struct split *split) MUST_CHECK;

#endif
