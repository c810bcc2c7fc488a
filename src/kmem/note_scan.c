// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/note_scan.h"

#include "base/alloc.h"

#define BEGINNING "VMCOREINFO\0\0OSRELEASE="
enum {
	NAME_BYTES = 11,
	SHORTEST_TEXT = 64,
	LOOK_BYTES = 12 + sizeof(BEGINNING) - 1,
	CHUNK_BYTES = 64 * KMEM_PAGE_BYTES,
};

void kmem_note_scan_init(struct kmem_note_scan *scan, const struct kmem_reader *reader)
{
	*scan = (struct kmem_note_scan){ .reader = reader, .chunk = xcalloc(CHUNK_BYTES, 1) };
}

void kmem_note_scan_deinit(struct kmem_note_scan *scan)
{
	free(scan->chunk);
	scan->chunk = NULL;
}

/* The length of the text if a page begins like this. */
static bool begins_a_note(const uint8_t *page, uint32_t *ret_n)
{
	struct cursor c = cursor_over((struct bytes){ page, LOOK_BYTES });
	uint32_t name_n = cursor_u32(&c), text_n = cursor_u32(&c), type = cursor_u32(&c);

	if (name_n != NAME_BYTES || type != 0 || text_n < SHORTEST_TEXT ||
	    text_n > KMEM_LIMIT_NOTE_BYTES ||
	    memcmp(page + c.offset, BEGINNING, sizeof(BEGINNING) - 1) != 0)
		return false;
	*ret_n = text_n;
	return true;
}

static bool take_note(const struct kmem_note_scan *scan, uint64_t physical, const uint8_t *page,
		      struct kmem_note *ret)
{
	uint32_t n;

	if (!begins_a_note(page, &n) ||
	    scan->reader->read(scan->reader, physical + KMEM_NOTE_HEADER_BYTES, ret->text, n) !=
		    KMEM_READ_OK)
		return false;
	ret->physical = physical;
	ret->n = n;
	return true;
}

/* The pages from `at` up to `end`, at most one chunk; scan->next is where to go on. */
static bool look_through(struct kmem_note_scan *scan, uint64_t at, uint64_t end,
			 struct kmem_note *ret)
{
	uint64_t n = end - at < CHUNK_BYTES ? end - at : CHUNK_BYTES;
	bool whole = scan->reader->read(scan->reader, at, scan->chunk, n) == KMEM_READ_OK;

	for (uint64_t into = 0; into < n; into += KMEM_PAGE_BYTES) {
		uint8_t *page = scan->chunk + into;

		scan->next = at + into + KMEM_PAGE_BYTES;
		scan->looked_bytes += KMEM_PAGE_BYTES;
		/* A hole in the middle, or RAM that ends inside a page: page for page. */
		if (!whole &&
		    scan->reader->read(scan->reader, at + into, page, LOOK_BYTES) != KMEM_READ_OK) {
			scan->n_unreadable++;
			continue;
		}
		if (take_note(scan, at + into, page, ret))
			return true;
	}
	return false;
}

struct error *kmem_note_scan_next(struct kmem_note_scan *scan, struct kmem_note *ret,
				  bool *ret_found)
{
	uint64_t start, end;

	while (scan->reader->next_data(scan->reader, scan->next, &start, &end)) {
		start &= ~(uint64_t)(KMEM_PAGE_BYTES - 1);
		if (start < scan->next)
			start = scan->next;
		if (!round_up_fits_u64(end, KMEM_PAGE_BYTES, &end))
			break;
		while (start < end) {
			if (look_through(scan, start, end, ret)) {
				*ret_found = true;
				return NULL;
			}
			if (scan->n_unreadable > KMEM_LIMIT_UNREADABLE_PAGES)
				return base_error(BASE_LIMIT, 0,
						  "more than %d pages of memory cannot be read",
						  KMEM_LIMIT_UNREADABLE_PAGES);
			start = scan->next;
		}
	}
	*ret_found = false;
	return NULL;
}
