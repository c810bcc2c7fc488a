/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Virtual memory of a guest's kernel, read from outside: the direct map of all RAM by arithmetic,
 * everything else through the page tables, the kernel's image too (parts of it are given back
 * after boot, so arithmetic would read what is not there any more). A range is read piece by piece
 * as it is mapped; an object that crosses a page is read from both.
 *
 * Pages and translations are remembered until kmem_space_forget().
 */
#ifndef KTSTR_KMEM_SPACE_H
#define KTSTR_KMEM_SPACE_H

#include "kmem/error.h"
#include "kmem/paging.h"

/* Where x86-64 links its kernel image; phys_base is what it stands at (arch/x86 __phys_addr). */
#define KMEM_IMAGE_MAP UINT64_C(0xffffffff80000000)

/* Addresses from start up to end lie at physical - start, in one piece. Empty: start == end. */
struct kmem_window {
	uint64_t start, end;
	uint64_t physical;
};

struct kmem_space {
	struct kmem_pages pages;
	struct kmem_paging paging; /* the kernel's own */
	struct kmem_window direct;
	struct kmem_translation {
		uint64_t tag; /* page number + 1 */
		uint64_t physical;
	} translations[KMEM_CACHED_TRANSLATIONS];
};

void kmem_space_init(struct kmem_space *space, const struct kmem_reader *reader,
		     const struct kmem_paging *paging);
void kmem_space_deinit(struct kmem_space *space);
/* The next read asks the guest again. */
void kmem_space_forget(struct kmem_space *space);

/* *ret_left: bytes from there on that lie in one piece, at least one; may be NULL. */
enum kmem_status kmem_translate(struct kmem_space *space, uint64_t address, uint64_t *ret_physical,
				uint64_t *ret_left) MUST_CHECK;

/*
 * All n bytes or a status; then buf holds no promise and *ret_failed (may be NULL) is the first
 * address that could not be read.
 */
enum kmem_status kmem_read(struct kmem_space *space, uint64_t address, void *buf, size_t n,
			   uint64_t *ret_failed) MUST_CHECK;
/* Little-endian, `width` 1, 2, 4 or 8. */
enum kmem_status kmem_read_uint(struct kmem_space *space, uint64_t address, unsigned int width,
				uint64_t *ret) MUST_CHECK;
static inline enum kmem_status kmem_read_u64(struct kmem_space *space, uint64_t address,
					     uint64_t *ret)
{
	return kmem_read_uint(space, address, 8, ret);
}
/*
 * Up to the first NUL, at most size - 1 bytes; buf always ends with a NUL when the read is good.
 * What lies behind the NUL need not be mapped.
 */
enum kmem_status kmem_read_text(struct kmem_space *space, uint64_t address, char *buf,
				size_t size) MUST_CHECK;

/* KMEM_UNREAD with the address and the reason; `what` names the thing. */
struct error *kmem_read_exact(struct kmem_space *space, uint64_t address, void *buf, size_t n,
			      const char *what) MUST_CHECK;
struct error *kmem_unread(enum kmem_status status, uint64_t address,
			  const char *what) MUST_CHECK NEVER_NULL;

#endif
