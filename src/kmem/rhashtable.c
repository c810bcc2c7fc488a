// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/walk.h"

enum { BUCKETS_AT_ONCE = 256 };

struct hash_walk {
	struct kmem_space *space;
	const struct kmem_fields *fields;
	struct kmem_walk *walk;
	kmem_link_fn fn;
	void *context;
};

struct bucket_table {
	uint64_t size, nest, next;
};

/* Bit 0 of a bucket is its lock; the chain ends with an odd value. False: the walk has ended. */
static bool walk_chain(const struct hash_walk *w, uint64_t at)
{
	struct kmem_circle circle = { 0 };

	at &= ~UINT64_C(1);
	while (at && !(at & 1)) {
		uint64_t next;

		if (kmem_walk_circles(w->walk, &circle, at) || !kmem_walk_step(w->walk) ||
		    !kmem_walk_read(w->walk, w->space, at, &next, sizeof(next)))
			return false;
		if (kmem_walk_shows(w->walk) && !w->fn(w->context, at)) {
			w->walk->end = KMEM_WALK_STOPPED;
			return false;
		}
		at = next;
	}
	return true;
}

static bool walk_buckets(const struct hash_walk *w, uint64_t at, uint64_t n)
{
	uint64_t buckets[BUCKETS_AT_ONCE];

	while (n) {
		uint64_t here = n < BUCKETS_AT_ONCE ? n : BUCKETS_AT_ONCE;

		if (!kmem_walk_read(w->walk, w->space, at, buckets, here * sizeof(*buckets)))
			return false;
		for (uint64_t i = 0; i < here; i++) {
			if (!walk_chain(w, buckets[i]))
				return false;
		}
		at += here * sizeof(*buckets);
		n -= here;
	}
	return true;
}

static bool read_member(const struct hash_walk *w, enum kmem_field_id id, uint64_t base,
			uint64_t *ret)
{
	enum kmem_status status = kmem_field_read(w->fields, w->space, id, base, ret);

	if (status == KMEM_READ_OK)
		return true;
	w->walk->end = KMEM_WALK_UNREADABLE;
	w->walk->status = status;
	w->walk->failed = base;
	return false;
}

struct error *kmem_rhashtable(struct kmem_space *space, const struct kmem_fields *fields,
			      uint64_t table, struct kmem_walk *walk, kmem_link_fn fn,
			      void *context)
{
	const struct hash_walk w = { space, fields, walk, fn, context };
	struct kmem_circle circle = { 0 };
	struct error *err = kmem_fields_require(fields, KMEM_VIEW_RHASHTABLE);
	uint64_t at;

	kmem_walk_begin(walk);
	if (err || !read_member(&w, KMEM_F_RHASHTABLE_TBL, table, &at))
		return err;
	for (unsigned int n = 0; at; n++) {
		struct bucket_table t;

		if (kmem_walk_circles(walk, &circle, at))
			return NULL;
		if (n == KMEM_LIMIT_TABLES) {
			walk->end = KMEM_WALK_LIMITED;
			return NULL;
		}
		if (!read_member(&w, KMEM_F_BUCKET_TABLE_SIZE, at, &t.size) ||
		    !read_member(&w, KMEM_F_BUCKET_TABLE_NEST, at, &t.nest) ||
		    !read_member(&w, KMEM_F_BUCKET_TABLE_FUTURE, at, &t.next))
			return NULL;
		if (t.nest)
			return base_error(BASE_ABSENT, 0,
					  "buckets in tables of their own are not read");
		if (t.size > KMEM_LIMIT_BUCKETS)
			return base_error(BASE_LIMIT, 0, "a hash table of %llu buckets",
					  (unsigned long long)t.size);
		if (!walk_buckets(&w, at + fields->at[KMEM_F_BUCKET_TABLE_BUCKETS].place.offset,
				  t.size))
			return NULL;
		at = t.next;
	}
	return NULL;
}
