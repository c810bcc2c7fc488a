// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/dtv.h"

#include "base/alloc.h"

/* glibc: TLS_DTV_UNALLOCATED */
#define UNALLOCATED UINT64_MAX

/* What one thread's vector says about one module. */
struct slot {
	uint64_t dtv;	      /* address of dtv[0], as struct pthread points to it */
	uint64_t length;      /* dtv[-1].counter */
	uint64_t generation;  /* dtv[0].counter */
	uint64_t pointer_val; /* dtv[module].pointer.val */
};

static void judge(const struct library_tls *tls, const struct slot *slot,
		  const struct remote_range *pointer, struct dtv_lookup *lookup)
{
	if (tls->module_id > slot->length || slot->generation < tls->generation) {
		lookup->status = DTV_UNTOUCHED;
		return;
	}
	if (pointer->status != REMOTE_OK) {
		lookup->status = DTV_UNREADABLE;
		lookup->why = pointer->status;
		return;
	}
	if (slot->pointer_val == 0 || slot->pointer_val == UNALLOCATED) {
		lookup->status = DTV_UNTOUCHED;
		return;
	}
	lookup->status = DTV_FOUND;
	lookup->block = slot->pointer_val;
}

void dtv_find_blocks(const struct remote *remote, const struct glibc_layout *layout,
		     const struct library_tls *tls, struct dtv_lookup *lookups, size_t n)
{
	_cleanup_free_ struct slot *slots = xcalloc(n, sizeof(*slots));
	_cleanup_free_ struct remote_range *ranges = xcalloc(3 * n, sizeof(*ranges));
	_cleanup_free_ struct remote_range *again = xcalloc(n, sizeof(*again));
	_cleanup_free_ uint64_t *moved = xcalloc(n, sizeof(*moved));
	uint32_t slot_bytes = layout->dtv_slot_bytes;

	for (size_t i = 0; i < n; i++)
		ranges[i] = (struct remote_range){
			.address = lookups[i].thread_pointer + layout->pthread_dtvp,
			.into = &slots[i].dtv,
			.n = sizeof(slots[i].dtv),
		};
	remote_read_many(remote, ranges, n);
	for (size_t i = 0; i < n; i++) {
		lookups[i].why = ranges[i].status;
		lookups[i].status = DTV_UNREADABLE;
	}
	/* The counter is the first word of a slot whatever the slot's size. */
	for (size_t i = 0; i < n; i++) {
		uint64_t dtv = slots[i].dtv;

		ranges[3 * i] = (struct remote_range){ dtv - slot_bytes, &slots[i].length,
						       sizeof(uint64_t), REMOTE_FAULT };
		ranges[3 * i + 1] = (struct remote_range){ dtv, &slots[i].generation,
							   sizeof(uint64_t), REMOTE_FAULT };
		ranges[3 * i + 2] = (struct remote_range){ dtv + tls->module_id * slot_bytes +
								   layout->dtv_pointer_val,
							   &slots[i].pointer_val, sizeof(uint64_t),
							   REMOTE_FAULT };
	}
	remote_read_many(remote, ranges, 3 * n);
	/* A vector that moved meanwhile was given back, and its words may say anything. */
	for (size_t i = 0; i < n; i++)
		again[i] = (struct remote_range){ lookups[i].thread_pointer + layout->pthread_dtvp,
						  &moved[i], sizeof(moved[i]), REMOTE_FAULT };
	remote_read_many(remote, again, n);
	for (size_t i = 0; i < n; i++) {
		if (lookups[i].why != REMOTE_OK)
			continue;
		if (again[i].status != REMOTE_OK || moved[i] != slots[i].dtv) {
			lookups[i].why = REMOTE_FAULT;
			continue;
		}
		if (ranges[3 * i].status != REMOTE_OK || ranges[3 * i + 1].status != REMOTE_OK) {
			lookups[i].why = ranges[3 * i].status != REMOTE_OK
						 ? ranges[3 * i].status
						 : ranges[3 * i + 1].status;
			continue;
		}
		judge(tls, &slots[i], &ranges[3 * i + 2], &lookups[i]);
	}
}
