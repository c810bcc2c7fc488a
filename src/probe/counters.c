// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/counters.h"

#include <string.h>

#include "base/alloc.h"

bool probe_counter_place_is_sane(const struct probe_counter_place *place)
{
	return place->allocated < place->deallocated &&
	       place->deallocated - place->allocated <=
		       PROBE_LIMIT_COUNTER_SPAN_BYTES - sizeof(uint64_t);
}

static void set_address(struct probe_counter_read *read, bool fits, uint64_t block, uint64_t offset)
{
	if (fits && add_fits_u64(block, offset, &read->address))
		read->status = PROBE_COUNTER_OK;
	else
		read->status = PROBE_COUNTER_NO_ADDRESS;
}

static void locate_in_dtv(const struct probe_remote *remote, const struct probe_glibc_layout *glibc,
			  const struct probe_counter_place *place, uint64_t offset,
			  struct probe_counter_read *reads, size_t n)
{
	_cleanup_free_ struct probe_dtv_lookup *lookups = xcalloc(n, sizeof(*lookups));

	for (size_t i = 0; i < n; i++)
		lookups[i].thread_pointer = reads[i].thread_pointer;
	probe_dtv_find_blocks(remote, glibc, &place->library, lookups, n);
	for (size_t i = 0; i < n; i++) {
		switch (lookups[i].status) {
		case PROBE_DTV_FOUND:
			set_address(&reads[i], true, lookups[i].block, offset);
			break;
		case PROBE_DTV_UNTOUCHED:
			reads[i].status = PROBE_COUNTER_OK;
			reads[i].address = 0;
			reads[i].allocated_bytes = reads[i].deallocated_bytes = 0;
			break;
		case PROBE_DTV_UNREADABLE:
			reads[i].status = PROBE_COUNTER_UNREADABLE;
			reads[i].why = lookups[i].why;
			break;
		}
	}
}

void probe_counters_locate(const struct probe_remote *remote,
			   const struct probe_glibc_layout *glibc,
			   const struct probe_counter_place *place, uint64_t offset,
			   struct probe_counter_read *reads, size_t n)
{
	if (!place->in_executable && !place->library.is_static) {
		locate_in_dtv(remote, glibc, place, offset, reads, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t block = 0;
		bool fits;

		if (place->in_executable)
			fits = probe_tls_block_of_executable(PROBE_TLS_VARIANT_HERE,
							     reads[i].thread_pointer, &place->tls,
							     &block);
		else
			fits = probe_tls_block_of_library(PROBE_TLS_VARIANT_HERE,
							  reads[i].thread_pointer,
							  place->library.static_offset, &block);
		set_address(&reads[i], fits, block, offset);
	}
}

static void take_words(struct probe_counter_read *read, const struct probe_counter_place *place,
		       const uint8_t *span)
{
	memcpy(&read->allocated_bytes, span, sizeof(uint64_t));
	memcpy(&read->deallocated_bytes, span + (place->deallocated - place->allocated),
	       sizeof(uint64_t));
}

void probe_counters_read(const struct probe_remote *remote, const struct probe_glibc_layout *glibc,
			 const struct probe_counter_place *place, struct probe_counter_read *reads,
			 size_t n)
{
	size_t span = (size_t)(place->deallocated - place->allocated) + sizeof(uint64_t);
	_cleanup_free_ uint8_t *buffer = xcalloc(n, span);
	_cleanup_free_ struct probe_remote_range *ranges = xcalloc(n, sizeof(*ranges));
	size_t wanted = 0;

	probe_counters_locate(remote, glibc, place, place->allocated, reads, n);
	for (size_t i = 0; i < n; i++)
		if (reads[i].status == PROBE_COUNTER_OK && reads[i].address)
			ranges[wanted++] = (struct probe_remote_range){ reads[i].address,
									buffer + i * span, span,
									PROBE_REMOTE_FAULT };
	probe_remote_read_many(remote, ranges, wanted);
	wanted = 0;
	for (size_t i = 0; i < n; i++) {
		if (reads[i].status != PROBE_COUNTER_OK || !reads[i].address)
			continue;
		if (ranges[wanted].status == PROBE_REMOTE_OK) {
			take_words(&reads[i], place, buffer + i * span);
		} else {
			reads[i].status = PROBE_COUNTER_UNREADABLE;
			reads[i].why = ranges[wanted].status;
		}
		wanted++;
	}
}
