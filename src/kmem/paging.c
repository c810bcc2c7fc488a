// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/paging.h"

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

			/* Below the size of a large page stands PAT, no address. */
			mapping.physical = (table & ~inside) | (address & inside);
			mapping.left = left_in(address, shift);
			mapping.page_shift = shift;
			*ret = mapping;
			return KMEM_READ_OK;
		}
	}
}
