/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the RAM of two guests differs, page by page. */
#ifndef KTSTR_TESTS_VM_PAGE_DIFF_H
#define KTSTR_TESTS_VM_PAGE_DIFF_H

#include "base/vec.h"
#include "vm/error.h"

enum {
	PAGE_DIFF_PAGE = 4096,
	/* Past so many the list ends; the count goes on. */
	PAGE_DIFF_LIMIT = 4096,
};

struct page_diff_page {
	unsigned int node;
	uint64_t offset;    /* in the node's backend; of the page */
	uint64_t address;   /* guest-physical; UINT64_MAX: not mapped as RAM */
	unsigned int first; /* the first byte that differs */
	unsigned int bytes; /* how many do */
};

struct page_diff {
	VEC(struct page_diff_page) pages; /* by node and offset, at most PAGE_DIFF_LIMIT */
	uint64_t n_pages;		  /* all of them */
};

void page_diff_deinit(struct page_diff *diff);
#define _cleanup_page_diff_ __attribute__((cleanup(page_diff_deinit)))

/*
 * Compares n backends with these sizes in bytes, for the machine we build (q35). Files are
 * read, not mapped: one that is too short is an error, not a signal. *ret is overwritten.
 */
struct error *page_diff_compare(const int *a_fds, const int *b_fds, const uint64_t *sizes, size_t n,
				struct page_diff *ret) MUST_CHECK;

#endif
