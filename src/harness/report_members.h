/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The members of one line of a report. They are asked for one after the other; the first that is
 * missing or wrong becomes the error, and from then on every question is answered with nothing.
 */
#ifndef KTSTR_HARNESS_REPORT_MEMBERS_H
#define KTSTR_HARNESS_REPORT_MEMBERS_H

#include "json/doc.h"
#include "topo/cpuset.h"

struct members {
	const struct json_value *object;
	const char *word; /* what the line is, for errors */
	struct error *err;
};

void members_wrong(struct members *m, const char *name, const char *what);
/* The line as a whole is wrong. */
void members_refuse(struct members *m, const char *what);
/* False, and BASE_LIMIT, when there are `limit` of them already; false after any error. */
bool members_have_room(struct members *m, size_t n, size_t limit);

/* NULL when it is absent, or something was wrong before. */
const struct json_value *members_find(struct members *m, const char *name);
/* Borrowed; may hold NUL bytes. */
struct json_text members_string(struct members *m, const char *name, bool optional);

/* Without NUL bytes. NULL when it is absent or wrong; the caller owns it. */
char *members_take_string(struct members *m, const char *name, size_t limit,
			  bool optional) MUST_CHECK;
char *members_take_text(struct members *m, const char *name) MUST_CHECK;
char *members_take_optional(struct members *m, const char *name) MUST_CHECK;
/* Not empty, and not longer than a name may be. */
char *members_take_name(struct members *m, const char *name) MUST_CHECK;

uint64_t members_u64(struct members *m, const char *name);
uint32_t members_u32(struct members *m, const char *name);
/* False, and *ret untouched, when there is none. */
bool members_optional_u64(struct members *m, const char *name, uint64_t *ret);
int64_t members_between(struct members *m, const char *name, int64_t low, int64_t high);
bool members_bool(struct members *m, const char *name);
void members_cpus(struct members *m, const char *name, struct cpuset *ret);

#endif
