// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/closure_internal.h"

#include <elf.h>
#include <string.h>

/* glibc's sysdeps/generic/dl-cache.h; offsets of strings count from the newer header. */
static const char old_magic[] = "ld.so-1.7.0";
static const char new_magic[] = "glibc-ld.so.cache1.1";

enum {
	OLD_HEADER_BYTES = 16,
	OLD_ENTRY_BYTES = 12,
	NEW_HEADER_BYTES = 48,
	NEW_ENTRY_BYTES = 24,
	/* Low byte: for libc.so.6; high byte: the architecture. */
	FLAGS_X86_64 = 0x0303,
	FLAGS_AARCH64 = 0x0a03,
};

static bool begins_with(struct bytes in, const char *magic, size_t n)
{
	return in.n >= n && memcmp(in.at, magic, n) == 0;
}

/* Skips the older table, if there is one. */
static bool find_new_header(struct bytes in, struct bytes *ret)
{
	struct cursor c = cursor_over(in);
	uint64_t skip;

	if (begins_with(in, old_magic, sizeof(old_magic) - 1)) {
		cursor_seek(&c, sizeof(old_magic));
		/* Aligned as the new table's first member of eight bytes. */
		skip = OLD_HEADER_BYTES + (uint64_t)cursor_u32(&c) * OLD_ENTRY_BYTES;
		skip = (skip + 7) & ~UINT64_C(7);
		if (c.failed || skip > in.n)
			return false;
		in.at += skip;
		in.n -= (size_t)skip;
	}
	if (in.n < NEW_HEADER_BYTES || !begins_with(in, new_magic, sizeof(new_magic) - 1))
		return false;
	*ret = in;
	return true;
}

struct error *elf_ld_cache_parse(struct bytes in, struct elf_ld_cache *ret)
{
	struct elf_ld_cache cache;
	struct cursor c;

	if (!find_new_header(in, &cache.table))
		return base_error(BASE_PARSE, 0, "no cache of glibc's loader");
	c = cursor_over(cache.table);
	cursor_seek(&c, sizeof(new_magic) - 1);
	cache.n = cursor_u32(&c);
	if (cache.n > (cache.table.n - NEW_HEADER_BYTES) / NEW_ENTRY_BYTES)
		return base_error(BASE_PARSE, 0,
				  "the loader's cache promises %u libraries in %zu bytes", cache.n,
				  cache.table.n);
	*ret = cache;
	return NULL;
}

static const char *string_at(struct bytes table, uint32_t offset)
{
	struct cursor c = cursor_over(table);

	cursor_seek(&c, offset);
	return cursor_string(&c);
}

const char *elf_ld_cache_find(const struct elf_ld_cache *cache, uint16_t machine,
			      const char *soname)
{
	uint32_t wanted = machine == EM_AARCH64 ? FLAGS_AARCH64 : FLAGS_X86_64;
	struct cursor c = cursor_over(cache->table);

	cursor_seek(&c, NEW_HEADER_BYTES);
	for (uint32_t i = 0; i < cache->n; i++) {
		uint32_t flags = cursor_u32(&c), key = cursor_u32(&c), value = cursor_u32(&c);
		const char *name;

		(void)cursor_u32(&c); /* least kernel version, unused since 2.33 */
		if (cursor_u64(&c) != 0 || flags != wanted)
			continue;
		name = string_at(cache->table, key);
		if (name && strcmp(name, soname) == 0)
			return string_at(cache->table, value);
	}
	return NULL;
}
