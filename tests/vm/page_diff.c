// SPDX-License-Identifier: GPL-2.0-or-later
#include "page_diff.h"

#include <string.h>

#include "base/alloc.h"
#include "physmap/physmap.h"

enum { CHUNK = 1 << 20 };

struct walk {
	struct physmap_layout layout;
	struct page_diff diff;
	uint8_t *a, *b;
	unsigned int node;
};

void page_diff_deinit(struct page_diff *diff)
{
	vec_deinit(&diff->pages);
}

static uint64_t address_of(const struct physmap_layout *layout, unsigned int node, uint64_t offset)
{
	for (size_t i = 0; i < layout->ranges.n; i++) {
		const struct physmap_range *r = &layout->ranges.at[i];

		if (r->backend == node && offset >= r->offset && offset - r->offset < r->length)
			return r->start + (offset - r->offset);
	}
	return UINT64_MAX;
}

static void add_page(struct walk *w, const uint8_t *a, const uint8_t *b, size_t n, uint64_t offset)
{
	struct page_diff_page page = {
		.node = w->node,
		.offset = offset,
		.address = address_of(&w->layout, w->node, offset),
	};

	w->diff.n_pages++;
	if (w->diff.pages.n == PAGE_DIFF_LIMIT)
		return;
	for (size_t i = n; i-- > 0;) {
		if (a[i] == b[i])
			continue;
		page.first = (unsigned int)i;
		page.bytes++;
	}
	vec_push(&w->diff.pages, page);
}

static struct error *read_chunk(int fd, void *into, size_t n, uint64_t offset)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, (char *)into + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return vm_error(VM_QEMU_FAILED, got < 0 ? errno : 0,
					"guest RAM cannot be read at %llu",
					(unsigned long long)(offset + done));
		done += (size_t)got;
	}
	return NULL;
}

static struct error *compare_node(struct walk *w, int a_fd, int b_fd, uint64_t size)
{
	for (uint64_t at = 0; at < size; at += CHUNK) {
		size_t n = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
		struct error *err = read_chunk(a_fd, w->a, n, at);

		if (!err)
			err = read_chunk(b_fd, w->b, n, at);
		if (err)
			return err;
		if (memcmp(w->a, w->b, n) == 0)
			continue;
		for (size_t page = 0; page < n; page += PAGE_DIFF_PAGE) {
			size_t bytes = n - page < PAGE_DIFF_PAGE ? n - page : PAGE_DIFF_PAGE;

			if (memcmp(w->a + page, w->b + page, bytes) != 0)
				add_page(w, w->a + page, w->b + page, bytes, at + page);
		}
	}
	return NULL;
}

struct error *page_diff_compare(const int *a_fds, const int *b_fds, const uint64_t *sizes, size_t n,
				struct page_diff *ret)
{
	_cleanup_free_ uint8_t *buffers = xcalloc(2, CHUNK);
	struct walk w = { .a = buffers, .b = buffers + CHUNK };
	struct error *err;

	err = physmap_from_backends(PHYSMAP_Q35, sizes, n, &w.layout);
	if (err)
		return err;
	for (size_t i = 0; !err && i < n; i++) {
		w.node = (unsigned int)i;
		err = compare_node(&w, a_fds[i], b_fds[i], sizes[i]);
	}
	physmap_layout_deinit(&w.layout);
	if (err)
		page_diff_deinit(&w.diff);
	else
		*ret = w.diff;
	return err;
}
