/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directories of the cache: what they hold, who may be using it, and how it is removed. */
#ifndef KTSTR_CLI_CACHE_PARTS_H
#define KTSTR_CLI_CACHE_PARTS_H

#include "base/error.h"

enum { CACHE_PART_LOCKS = 3 };

struct cache_part {
	const char *name; /* of the directory below the cache */
	const char *what;
	/* Files below the cache whose holders are using all of it. */
	const char *locks[CACHE_PART_LOCKS];
	/* Each directory in it has a lock of its own beside it: NAME.lock. */
	bool has_entries;
	const char *kept; /* why `clean` leaves it alone; NULL when it does not */
};

extern const struct cache_part cache_parts[];
extern const size_t n_cache_parts;

const struct cache_part *cache_part_find(const char *name);
/* On disk; 0 when there is none. */
uint64_t cache_part_bytes(const struct cache_part *part);

struct cache_cleaning {
	uint64_t removed_bytes; /* or that would be removed */
	uint64_t used_bytes;	/* kept because it is in use */
};

/* Removes what is not in use, without waiting for locks; with dry_run it only counts. */
struct error *cache_part_clean(const struct cache_part *part, bool dry_run,
			       struct cache_cleaning *ret) MUST_CHECK;

#endif
