// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/counters.h"

#include <string.h>

#include "base/alloc.h"

bool probe_counters_are_sane(uint64_t allocated, uint64_t deallocated)
{
	return allocated < deallocated &&
	       deallocated - allocated <= PROBE_LIMIT_COUNTER_SPAN_BYTES - sizeof(uint64_t);
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

/* struct r_debug and struct link_map of <link.h>: ABI, the same since SVR4. */
enum {
	R_DEBUG_VERSION = 0,
	R_DEBUG_MAP = 8,
	R_DEBUG_NEXT = 40, /* struct r_debug_extended, version 2, glibc 2.35 */
	LINK_MAP_ADDR = 0,
	LINK_MAP_NEXT = 24,
};

/* glibc: NO_TLS_OFFSET and FORCED_DYNAMIC_TLS_OFFSET on x86-64. */
#define NO_STATIC_OFFSET UINT64_C(0)
#define FORCED_DYNAMIC	 UINT64_MAX

static bool read_u64(const struct probe_remote *remote, uint64_t address, uint64_t *ret)
{
	return probe_remote_read(remote, address, ret, sizeof(*ret)) == PROBE_REMOTE_OK;
}

/* 0 when no map of this namespace has the bias. The bound is one for all namespaces together. */
static uint64_t find_map(const struct probe_remote *remote, uint64_t r_debug, uint64_t bias,
			 int *left)
{
	uint64_t map, milestone = 0;
	int next_milestone = 1;

	if (!read_u64(remote, r_debug + R_DEBUG_MAP, &map))
		return 0;
	for (int step = 0; map && *left > 0; step++, --*left) {
		uint64_t address;

		/* A damaged list may go round: see thread_list.c. */
		if (map == milestone)
			return 0;
		if (step == next_milestone) {
			milestone = map;
			next_milestone *= 2;
		}
		if (!read_u64(remote, map + LINK_MAP_ADDR, &address))
			return 0;
		if (address == bias)
			return map;
		if (!read_u64(remote, map + LINK_MAP_NEXT, &map))
			return 0;
	}
	return 0;
}

static uint64_t next_namespace(const struct probe_remote *remote, uint64_t r_debug)
{
	uint32_t version;
	uint64_t next;

	if (probe_remote_read(remote, r_debug + R_DEBUG_VERSION, &version, sizeof(version)) !=
		    PROBE_REMOTE_OK ||
	    version < 2 || !read_u64(remote, r_debug + R_DEBUG_NEXT, &next))
		return 0;
	return next;
}

static uint64_t find_map_in_all(const struct probe_remote *remote, uint64_t r_debug, uint64_t bias)
{
	int libraries_left = PROBE_LIMIT_LIBRARIES;

	for (int i = 0; r_debug && i < PROBE_LIMIT_NAMESPACES; i++) {
		uint64_t map = find_map(remote, r_debug, bias, &libraries_left);

		if (map)
			return map;
		r_debug = next_namespace(remote, r_debug);
	}
	return 0;
}

/* The slots of all modules lie in a chain of arrays; module ids count through it. */
static bool find_generation(const struct probe_remote *remote,
			    const struct probe_glibc_layout *layout, uint64_t module_id,
			    uint64_t *ret)
{
	uint64_t list;

	if (!read_u64(remote, layout->slotinfo_list, &list))
		return false;
	for (int i = 0; list && i < PROBE_LIMIT_SLOTINFO_LISTS; i++) {
		uint64_t len;

		if (!read_u64(remote, list + layout->slotinfo_list_len, &len))
			return false;
		if (module_id < len)
			return read_u64(remote,
					list + layout->slotinfo_list_slots +
						module_id * layout->slotinfo_bytes +
						layout->slotinfo_gen,
					ret);
		module_id -= len;
		if (!read_u64(remote, list + layout->slotinfo_list_next, &list))
			return false;
	}
	return false;
}

struct error *probe_link_map_find_tls(const struct probe_remote *remote,
				      const struct probe_glibc_layout *layout, uint64_t bias,
				      struct probe_library_tls *ret)
{
	struct probe_library_tls tls = { 0 };
	uint64_t map, offset;

	map = find_map_in_all(remote, layout->r_debug, bias);
	if (!map)
		return base_error(BASE_ABSENT, 0, "the loader's list has no library at %#llx",
				  (unsigned long long)bias);
	if (!read_u64(remote, map + layout->link_map_tls_modid, &tls.module_id) ||
	    !read_u64(remote, map + layout->link_map_tls_offset, &offset))
		return base_error(BASE_ABSENT, 0,
				  "the loader's entry of the library is unreadable");
	if (tls.module_id == 0)
		return base_error(BASE_ABSENT, 0, "the loader gave the library no TLS module");
	tls.is_static = offset != NO_STATIC_OFFSET && offset != FORCED_DYNAMIC;
	tls.static_offset = offset;
	if (!tls.is_static && !find_generation(remote, layout, tls.module_id, &tls.generation))
		return base_error(BASE_ABSENT, 0,
				  "TLS module %llu has no slot in the loader's list",
				  (unsigned long long)tls.module_id);
	*ret = tls;
	return NULL;
}

/* glibc: TLS_DTV_UNALLOCATED */
#define UNALLOCATED UINT64_MAX

/* What one thread's vector says about one module. */
struct slot {
	uint64_t dtv;	      /* address of dtv[0], as struct pthread points to it */
	uint64_t length;      /* dtv[-1].counter */
	uint64_t generation;  /* dtv[0].counter */
	uint64_t pointer_val; /* dtv[module].pointer.val */
};

static void judge(const struct probe_library_tls *tls, const struct slot *slot,
		  const struct probe_remote_range *pointer, struct probe_dtv_lookup *lookup)
{
	if (tls->module_id > slot->length || slot->generation < tls->generation) {
		lookup->status = PROBE_DTV_UNTOUCHED;
		return;
	}
	if (pointer->status != PROBE_REMOTE_OK) {
		lookup->status = PROBE_DTV_UNREADABLE;
		lookup->why = pointer->status;
		return;
	}
	if (slot->pointer_val == 0 || slot->pointer_val == UNALLOCATED) {
		lookup->status = PROBE_DTV_UNTOUCHED;
		return;
	}
	lookup->status = PROBE_DTV_FOUND;
	lookup->block = slot->pointer_val;
}

void probe_dtv_find_blocks(const struct probe_remote *remote,
			   const struct probe_glibc_layout *layout,
			   const struct probe_library_tls *tls, struct probe_dtv_lookup *lookups,
			   size_t n)
{
	_cleanup_free_ struct slot *slots = xcalloc(n, sizeof(*slots));
	_cleanup_free_ struct probe_remote_range *ranges = xcalloc(3 * n, sizeof(*ranges));
	_cleanup_free_ struct probe_remote_range *again = xcalloc(n, sizeof(*again));
	_cleanup_free_ uint64_t *moved = xcalloc(n, sizeof(*moved));
	uint32_t slot_bytes = layout->dtv_slot_bytes;

	for (size_t i = 0; i < n; i++)
		ranges[i] = (struct probe_remote_range){
			.address = lookups[i].thread_pointer + layout->pthread_dtvp,
			.into = &slots[i].dtv,
			.n = sizeof(slots[i].dtv),
		};
	probe_remote_read_many(remote, ranges, n);
	for (size_t i = 0; i < n; i++) {
		lookups[i].why = ranges[i].status;
		lookups[i].status = PROBE_DTV_UNREADABLE;
	}
	/* The counter is the first word of a slot whatever the slot's size. */
	for (size_t i = 0; i < n; i++) {
		uint64_t dtv = slots[i].dtv;

		ranges[3 * i] = (struct probe_remote_range){ dtv - slot_bytes, &slots[i].length,
							     sizeof(uint64_t), PROBE_REMOTE_FAULT };
		ranges[3 * i + 1] = (struct probe_remote_range){ dtv, &slots[i].generation,
								 sizeof(uint64_t),
								 PROBE_REMOTE_FAULT };
		ranges[3 * i + 2] = (struct probe_remote_range){
			dtv + tls->module_id * slot_bytes + layout->dtv_pointer_val,
			&slots[i].pointer_val, sizeof(uint64_t), PROBE_REMOTE_FAULT
		};
	}
	probe_remote_read_many(remote, ranges, 3 * n);
	/* A vector that moved meanwhile was given back, and its words may say anything. */
	for (size_t i = 0; i < n; i++)
		again[i] = (struct probe_remote_range){ lookups[i].thread_pointer +
								layout->pthread_dtvp,
							&moved[i], sizeof(moved[i]),
							PROBE_REMOTE_FAULT };
	probe_remote_read_many(remote, again, n);
	for (size_t i = 0; i < n; i++) {
		if (lookups[i].why != PROBE_REMOTE_OK)
			continue;
		if (again[i].status != PROBE_REMOTE_OK || moved[i] != slots[i].dtv) {
			lookups[i].why = PROBE_REMOTE_FAULT;
			continue;
		}
		if (ranges[3 * i].status != PROBE_REMOTE_OK ||
		    ranges[3 * i + 1].status != PROBE_REMOTE_OK) {
			lookups[i].why = ranges[3 * i].status != PROBE_REMOTE_OK
						 ? ranges[3 * i].status
						 : ranges[3 * i + 1].status;
			continue;
		}
		judge(tls, &slots[i], &ranges[3 * i + 2], &lookups[i]);
	}
}
