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

#include "kmem/limits.h"
#include "kmem/reader.h"

/*
 * Physical memory with a cache: small reads of one page cost one read. What was read
 * stays as it was until kmem_pages_forget(), which a reader of a running guest calls at the
 * beginning of each look.
 */

struct kmem_pages {
	const struct kmem_reader *reader; /* borrowed */
	uint8_t (*bytes)[KMEM_PAGE_BYTES];
	uint64_t tags[KMEM_CACHED_PAGES]; /* page number + 1; 0: nothing */
	uint64_t n_reads;		  /* how often the reader was asked */
};

/*
 * Where page `number` is kept among n, a power of two. Spread: copies of per-CPU variables lie
 * whole multiples of 2 MiB apart and would push each other out.
 */
static inline size_t kmem_page_slot(uint64_t number, size_t n)
{
	return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (n - 1);
}

void kmem_pages_init(struct kmem_pages *pages, const struct kmem_reader *reader);
void kmem_pages_deinit(struct kmem_pages *pages);
void kmem_pages_forget(struct kmem_pages *pages);

/* Whole or not at all. Ranges of a page and more pass the memory by. */
enum kmem_status kmem_pages_read(struct kmem_pages *pages, uint64_t physical, void *buf,
				 size_t n) MUST_CHECK;

/*
 * Page tables of x86-64, 4 or 5 levels, pages of 4 KiB, 2 MiB and 1 GiB. Tables are foreign
 * bytes: an entry that leads out of RAM is KMEM_READ_OUTSIDE, a walk has no more steps than there
 * are levels.
 */

struct kmem_paging {
	uint64_t root;		  /* physical */
	unsigned int levels;	  /* 4 or 5 */
	uint64_t encryption_mask; /* bits of an entry that are not part of the address */
};

struct kmem_mapping {
	uint64_t physical; /* of the address asked for */
	/*
	 * Bytes from the address to the end of its page; without a page, to the end of what the
	 * missing entry would cover: a walk over a range goes on behind it. Never 0.
	 */
	uint64_t left;
	unsigned int page_shift; /* 12, 21, 30 */
	bool writable, user, executable;
};

/* Sign-extended from the highest bit that the levels translate. */
bool kmem_paging_is_canonical(const struct kmem_paging *paging, uint64_t address);

/* *ret is written for KMEM_READ_OK; for KMEM_READ_UNMAPPED only `left` means something. */
enum kmem_status kmem_paging_walk(const struct kmem_paging *paging, struct kmem_pages *pages,
				  uint64_t address, struct kmem_mapping *ret) MUST_CHECK;

/* Where x86-64 links its kernel image; it is mapped to phys_base (arch/x86 __phys_addr). */
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

/*
 * A fingerprint of megabytes in a guest: two tables of a kernel with the same print are the same.
 * It finds every accidental change. A guest that chooses its bytes can forge a print, and gains
 * wrong names in a view for it, nothing else. `what` names the n bytes in an error.
 */
struct error *kmem_fingerprint(struct kmem_space *space, uint64_t address, uint64_t n,
			       const char *what, uint64_t *ret) MUST_CHECK;

#endif
