/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * /etc/ld.so.cache as glibc writes it: the format of 2.2, alone or after the older
 * table that nothing reads any more.
 *
 * Entries for particular processors (glibc-hwcaps) are passed over: a guest's
 * processor is not the host's, and every such library has a plain sister.
 */
#ifndef KTSTR_ELF_LD_CACHE_H
#define KTSTR_ELF_LD_CACHE_H

#include "base/bytes.h"
#include "base/error.h"

struct ld_cache {
	struct bytes table; /* from the newer header on; borrowed */
	uint32_t n;
};

/* Borrows the bytes. No cache, or one that promises more than there is: BASE_PARSE. */
struct error *ld_cache_parse(struct bytes in, struct ld_cache *ret) MUST_CHECK;
/* The path of a library, borrowed, or NULL. machine is EM_…. */
const char *ld_cache_find(const struct ld_cache *cache, uint16_t machine, const char *soname);

#endif
