/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flat numbers out of any document: {"a":[{"b":7}]} gives the leaf "a.0.b" = 7.
 * Only finite numbers are leaves; strings, booleans and null are passed over.
 * A bare number has no name and is not a leaf.
 *
 * The walk is bounded and never cuts silently. Containers nested deeper than
 * the limit are skipped and the sentinel JSON_WALK_TRUNCATED follows the last
 * leaf, once, with the depth as its value. Leaves past the limits of number or
 * name bytes are dropped and JSON_WALK_DROPPED follows with how many.
 */
#ifndef KTSTR_JSON_WALK_H
#define KTSTR_JSON_WALK_H

#include "json/doc.h"

#define JSON_WALK_TRUNCATED "__walk_json_leaves_truncated"
#define JSON_WALK_DROPPED   "__walk_json_leaves_dropped"

struct json_leaf {
	struct json_text name; /* borrowed until the callback returns */
	double value;	       /* the nearest double */
	struct json_text text; /* exactly the number, as JSON */
};

struct json_walk_limits {
	unsigned int depth;
	uint64_t leaves;
	uint64_t name_bytes;
};

extern const struct json_walk_limits json_walk_default_limits;

struct json_walk_report {
	uint64_t leaves; /* given to the callback, sentinels not counted */
	uint64_t dropped;
	bool truncated; /* some container was nested too deeply */
};

/* An error ends the walk and is returned. */
typedef struct error *(*json_leaf_fn)(void *context, const struct json_leaf *leaf);

/* limits NULL: the defaults; ret may be NULL. */
struct error *json_walk_leaves(const struct json_value *root, const struct json_walk_limits *limits,
			       json_leaf_fn fn, void *context,
			       struct json_walk_report *ret) MUST_CHECK;

#endif
