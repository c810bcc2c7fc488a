/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was found out about a kernel, kept in a file that is named after its build-id: numbers of
 * symbols and places of members. A file is foreign bytes: one that is cut, damaged, of another
 * version of this program or of another kernel is as good as none. And since a guest may call
 * itself what it likes, prints of the tables from which it was made must be those of the guest.
 */
#ifndef KTSTR_KMEM_CACHE_H
#define KTSTR_KMEM_CACHE_H

#include "base/bytes.h"
#include "kmem/fields.h"
#include "kmem/names.h"

struct kmem_cached {
	char build_id[KMEM_LIMIT_BUILD_ID + 1];
	enum kmem_kallsyms_mode mode;
	uint64_t names_fingerprint;   /* see kmem_symbols_fingerprint() */
	uint64_t types_fingerprint;   /* of all bytes of the kernel's BTF */
	VEC(struct kmem_known) known; /* without addresses */
	struct kmem_fields fields;
};

void kmem_cached_deinit(struct kmem_cached *cached);
#define _cleanup_kmem_cached_ _cleanup_(kmem_cached_deinit)

/* KMEM_BAD_CACHE with what is wrong. */
struct error *kmem_cached_parse(struct bytes bytes, const char *build_id,
				struct kmem_cached *ret) MUST_CHECK;
void kmem_cached_format(const struct kmem_cached *cached, struct strbuf *into);

/* BASE_ABSENT: there is none. A malformed build-id is KMEM_BAD_CACHE. */
struct error *kmem_cached_read(const char *dir, const char *build_id,
			       struct kmem_cached *ret) MUST_CHECK;
/*
 * Whole or not at all; makes the directory. Of more than KMEM_LIMIT_CACHE_FILES in it the oldest
 * go: guests may have any number of build-ids.
 */
struct error *kmem_cached_write(const char *dir, const struct kmem_cached *cached) MUST_CHECK;

#endif
