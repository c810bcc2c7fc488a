// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/space.h"

#include "base/alloc.h"

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
