// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/pages.h"

#include "base/alloc.h"

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
