// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/space.h"

#include "base/alloc.h"
#include "base/hash.h"

void kmem_space_init(struct kmem_space *space, const struct kmem_reader *reader,
		     const struct kmem_paging *paging)
{
	*space = (struct kmem_space){ .paging = *paging };
	kmem_pages_init(&space->pages, reader);
}

void kmem_space_deinit(struct kmem_space *space)
{
	kmem_pages_deinit(&space->pages);
}

void kmem_space_forget(struct kmem_space *space)
{
	kmem_pages_forget(&space->pages);
	memset(space->translations, 0, sizeof(space->translations));
}

static bool in_window(const struct kmem_window *window, uint64_t address, uint64_t *ret_physical,
		      uint64_t *ret_left)
{
	if (address < window->start || address >= window->end)
		return false;
	*ret_physical = window->physical + (address - window->start);
	*ret_left = window->end - address;
	return true;
}

static enum kmem_status walk(struct kmem_space *space, uint64_t address, uint64_t *ret_physical,
			     uint64_t *ret_left)
{
	uint64_t number = address / KMEM_PAGE_BYTES, inside = address % KMEM_PAGE_BYTES;
	struct kmem_translation *known =
		&space->translations[kmem_page_slot(number, KMEM_CACHED_TRANSLATIONS)];
	struct kmem_mapping mapping;
	enum kmem_status status;

	if (known->tag == number + 1) {
		*ret_physical = known->physical + inside;
		*ret_left = KMEM_PAGE_BYTES - inside;
		return KMEM_READ_OK;
	}
	status = kmem_paging_walk(&space->paging, &space->pages, address, &mapping);
	if (status != KMEM_READ_OK)
		return status;
	*known = (struct kmem_translation){ number + 1, mapping.physical - inside };
	*ret_physical = mapping.physical;
	*ret_left = mapping.left;
	return KMEM_READ_OK;
}

enum kmem_status kmem_translate(struct kmem_space *space, uint64_t address, uint64_t *ret_physical,
				uint64_t *ret_left)
{
	uint64_t physical, left;
	enum kmem_status status = KMEM_READ_OK;

	if (!in_window(&space->direct, address, &physical, &left))
		status = walk(space, address, &physical, &left);
	if (status != KMEM_READ_OK)
		return status;
	*ret_physical = physical;
	if (ret_left)
		*ret_left = left;
	return KMEM_READ_OK;
}

enum kmem_status kmem_read(struct kmem_space *space, uint64_t address, void *buf, size_t n,
			   uint64_t *ret_failed)
{
	uint8_t *at = buf;

	while (n) {
		uint64_t physical, left;
		enum kmem_status status = kmem_translate(space, address, &physical, &left);
		size_t here;

		if (ret_failed)
			*ret_failed = address;
		if (status != KMEM_READ_OK)
			return status;
		here = left < n ? (size_t)left : n;
		status = kmem_pages_read(&space->pages, physical, at, here);
		if (status != KMEM_READ_OK)
			return status;
		at += here;
		n -= here;
		address += here;
		if (n && address == 0)
			return KMEM_READ_UNMAPPED;
	}
	return KMEM_READ_OK;
}

enum kmem_status kmem_read_uint(struct kmem_space *space, uint64_t address, unsigned int width,
				uint64_t *ret)
{
	uint8_t bytes[8];
	struct cursor c = cursor_over((struct bytes){ bytes, width });
	enum kmem_status status = kmem_read(space, address, bytes, width, NULL);

	if (status == KMEM_READ_OK)
		*ret = cursor_uint(&c, width);
	return status;
}

enum kmem_status kmem_read_text(struct kmem_space *space, uint64_t address, char *buf, size_t size)
{
	size_t n = 0;

	while (n + 1 < size) {
		/* Page by page: the text may end right before one that is not mapped. */
		size_t here = KMEM_PAGE_BYTES - address % KMEM_PAGE_BYTES;
		enum kmem_status status;

		if (here > size - 1 - n)
			here = size - 1 - n;
		status = kmem_read(space, address, buf + n, here, NULL);
		if (status != KMEM_READ_OK)
			return status;
		if (memchr(buf + n, 0, here))
			return KMEM_READ_OK;
		n += here;
		address += here;
	}
	if (size)
		buf[n] = 0;
	return KMEM_READ_OK;
}

struct error *kmem_unread(enum kmem_status status, uint64_t address, const char *what)
{
	return kmem_error(KMEM_UNREAD, 0, "%s: address %#llx is %s", what,
			  (unsigned long long)address, kmem_status_name(status));
}

struct error *kmem_read_exact(struct kmem_space *space, uint64_t address, void *buf, size_t n,
			      const char *what)
{
	uint64_t failed = address;
	enum kmem_status status = kmem_read(space, address, buf, n, &failed);

	return status == KMEM_READ_OK ? NULL : kmem_unread(status, failed, what);
}

void kmem_pages_init(struct kmem_pages *pages, const struct kmem_reader *reader)
{
	*pages = (struct kmem_pages){
		.reader = reader,
		.bytes = xcalloc(KMEM_CACHED_PAGES, KMEM_PAGE_BYTES),
	};
}

void kmem_pages_deinit(struct kmem_pages *pages)
{
	free(pages->bytes);
	pages->bytes = NULL;
}

void kmem_pages_forget(struct kmem_pages *pages)
{
	memset(pages->tags, 0, sizeof(pages->tags));
}

static enum kmem_status read_through(struct kmem_pages *pages, uint64_t physical, void *buf,
				     size_t n)
{
	pages->n_reads++;
	return pages->reader->read(pages->reader, physical, buf, n);
}

/* At most to the end of one page. */
static enum kmem_status read_in_page(struct kmem_pages *pages, uint64_t physical, void *buf,
				     size_t n)
{
	uint64_t number = physical / KMEM_PAGE_BYTES;
	size_t slot = kmem_page_slot(number, KMEM_CACHED_PAGES);

	if (pages->tags[slot] != number + 1) {
		pages->tags[slot] = 0;
		/* RAM may begin or end inside a page: then only what was asked for is read. */
		if (read_through(pages, number * KMEM_PAGE_BYTES, pages->bytes[slot],
				 KMEM_PAGE_BYTES) != KMEM_READ_OK)
			return read_through(pages, physical, buf, n);
		pages->tags[slot] = number + 1;
	}
	memcpy(buf, pages->bytes[slot] + physical % KMEM_PAGE_BYTES, n);
	return KMEM_READ_OK;
}

enum kmem_status kmem_pages_read(struct kmem_pages *pages, uint64_t physical, void *buf, size_t n)
{
	size_t first = KMEM_PAGE_BYTES - physical % KMEM_PAGE_BYTES;
	enum kmem_status status;

	if (n == 0)
		return KMEM_READ_OK;
	if (pages->reader->touched)
		pages->reader->touched(pages->reader->context, physical, n);
	if (n >= KMEM_PAGE_BYTES)
		return read_through(pages, physical, buf, n);
	if (n <= first)
		return read_in_page(pages, physical, buf, n);
	status = read_in_page(pages, physical, buf, first);
	if (status != KMEM_READ_OK)
		return status;
	if (physical + first < physical)
		return KMEM_READ_OUTSIDE;
	return read_in_page(pages, physical + first, (uint8_t *)buf + first, n - first);
}

#define ENTRY_PRESENT	 (UINT64_C(1) << 0)
#define ENTRY_WRITABLE	 (UINT64_C(1) << 1)
#define ENTRY_USER	 (UINT64_C(1) << 2)
#define ENTRY_LARGE	 (UINT64_C(1) << 7) /* PAT in the last level */
#define ENTRY_NO_EXECUTE (UINT64_C(1) << 63)
#define ENTRY_ADDRESS	 UINT64_C(0x000ffffffffff000)

enum { PAGE_SHIFT = 12, INDEX_BITS = 9, LARGEST_SHIFT = 30 };

bool kmem_paging_is_canonical(const struct kmem_paging *paging, uint64_t address)
{
	unsigned int bits = PAGE_SHIFT + INDEX_BITS * paging->levels;
	uint64_t top = address >> (bits - 1);

	return top == 0 || top == UINT64_MAX >> (bits - 1);
}

static uint64_t left_in(uint64_t address, unsigned int shift)
{
	uint64_t size = UINT64_C(1) << shift;

	return size - (address & (size - 1));
}

enum kmem_status kmem_paging_walk(const struct kmem_paging *paging, struct kmem_pages *pages,
				  uint64_t address, struct kmem_mapping *ret)
{
	struct kmem_mapping mapping = { .writable = true, .user = true, .executable = true };
	uint64_t table = paging->root & ENTRY_ADDRESS;

	if (!kmem_paging_is_canonical(paging, address)) {
		ret->left = left_in(address, PAGE_SHIFT);
		return KMEM_READ_UNMAPPED;
	}
	for (unsigned int level = paging->levels;; level--) {
		unsigned int shift = PAGE_SHIFT + INDEX_BITS * (level - 1);
		uint64_t index = address >> shift & ((1u << INDEX_BITS) - 1), entry = 0;
		enum kmem_status status = kmem_pages_read(pages, table + index * 8, &entry,
							  sizeof(entry));

		if (status != KMEM_READ_OK)
			return status;
		/* Neither 512 GiB nor larger pages exist: such an entry maps nothing. */
		if (!(entry & ENTRY_PRESENT) || ((entry & ENTRY_LARGE) && shift > LARGEST_SHIFT)) {
			ret->left = left_in(address, shift);
			return KMEM_READ_UNMAPPED;
		}
		mapping.writable &= !!(entry & ENTRY_WRITABLE);
		mapping.user &= !!(entry & ENTRY_USER);
		mapping.executable &= !(entry & ENTRY_NO_EXECUTE);
		table = entry & ENTRY_ADDRESS & ~paging->encryption_mask;
		if (level == 1 || (entry & ENTRY_LARGE)) {
			uint64_t inside = (UINT64_C(1) << shift) - 1;

			/* Bits below the size of a large page are PAT, not part of the address. */
			mapping.physical = (table & ~inside) | (address & inside);
			mapping.left = left_in(address, shift);
			mapping.page_shift = shift;
			*ret = mapping;
			return KMEM_READ_OK;
		}
	}
}

/* Eight bytes at a time in several lanes: a byte at a time costs more than reading them. */
enum { LANES = 4, CHUNK_BYTES = 1 << 16 };
_Static_assert(CHUNK_BYTES % (8 * LANES) == 0, "only the last chunk has a rest");

static inline void add_words(uint64_t *lanes, const uint64_t *words)
{
	for (size_t k = 0; k < LANES; k++) {
		lanes[k] = (lanes[k] ^ words[k]) * UINT64_C(0x9e3779b97f4a7c15);
		lanes[k] ^= lanes[k] >> 29;
	}
}

static void add(uint64_t *lanes, const uint8_t *at, size_t n)
{
	uint64_t words[LANES] = { 0 };

	/* A copy of a length that the compiler knows is none at all. */
	for (; n >= sizeof(words); n -= sizeof(words), at += sizeof(words)) {
		memcpy(words, at, sizeof(words));
		add_words(lanes, words);
	}
	if (!n)
		return;
	memset(words, 0, sizeof(words));
	memcpy(words, at, n);
	add_words(lanes, words);
}

struct error *kmem_fingerprint(struct kmem_space *space, uint64_t address, uint64_t n,
			       const char *what, uint64_t *ret)
{
	_cleanup_free_ uint8_t *chunk = xcalloc(CHUNK_BYTES, 1);
	uint64_t lanes[LANES] = { HASH_INIT, ~HASH_INIT, HASH_INIT << 1, ~HASH_INIT << 1 };

	for (uint64_t done = 0; done < n;) {
		size_t here = n - done < CHUNK_BYTES ? (size_t)(n - done) : CHUNK_BYTES;
		struct error *err = kmem_read_exact(space, address + done, chunk, here, what);

		if (err)
			return err;
		add(lanes, chunk, here);
		done += here;
	}
	*ret = hash_bytes(hash_bytes(HASH_INIT, lanes, sizeof(lanes)), &n, sizeof(n));
	return NULL;
}
