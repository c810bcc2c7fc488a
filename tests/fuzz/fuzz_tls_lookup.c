// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the loader's list of libraries to a thread's block of one of them, in memory
 * that anybody may have written. The corpus was taken from live processes with
 * tests/fuzz/capture_probe_corpus.py.
 *
 * Input: u16 places of r_debug, of the pointer to the slots and of the bias; u16
 * link_map_tls_modid and link_map_tls_offset; u8 pthread_dtvp, dtv_slot_bytes,
 * dtv_pointer_val, slotinfo_list_len, _next and _slots, slotinfo_bytes and _gen; u8 number of
 * threads and their u16 places; then the records of fake_process.h.
 */
/* covers: src/probe/counters.c */
#include "fuzz.h"

#include "fake_process.h"
#include "probe/counters.h"

enum { MAX_THREADS = 8 };

static bool peek(const struct fake_process *process, uint64_t address, uint64_t *ret)
{
	return fake_peek(process, address, ret, sizeof(*ret));
}

/* Is there a library with this bias and this TLS? Every map is remembered by its number. */
static bool has_library(const struct fake_process *process, const struct probe_glibc_layout *layout,
			uint64_t bias, const struct probe_library_tls *tls)
{
	uint64_t r_debug = layout->r_debug;

	for (int i = 0; r_debug && i < PROBE_LIMIT_NAMESPACES; i++) {
		uint64_t map = 0, address, modid, offset;
		uint32_t version = 0;

		if (!peek(process, r_debug + 8, &map))
			map = 0;
		/* More steps than the arena has words is a circle. */
		for (int k = 0; map && k < 65536 && peek(process, map, &address); k++) {
			if (address == bias)
				return peek(process, map + layout->link_map_tls_modid, &modid) &&
				       peek(process, map + layout->link_map_tls_offset, &offset) &&
				       modid == tls->module_id && offset == tls->static_offset;
			if (!peek(process, map + 24, &map))
				break;
		}
		if (!fake_peek(process, r_debug, &version, sizeof(version)) || version < 2 ||
		    !peek(process, r_debug + 40, &r_debug))
			return false;
	}
	return false;
}

static void check_lookup(const struct fake_process *process,
			 const struct probe_glibc_layout *layout,
			 const struct probe_library_tls *tls, const struct probe_dtv_lookup *lookup)
{
	uint64_t dtv, length, generation, value;

	if (!peek(process, lookup->thread_pointer + layout->pthread_dtvp, &dtv) ||
	    !peek(process, dtv - layout->dtv_slot_bytes, &length) ||
	    !peek(process, dtv, &generation)) {
		MUST(lookup->status == PROBE_DTV_UNREADABLE && lookup->why == PROBE_REMOTE_FAULT);
		return;
	}
	if (length < tls->module_id || generation < tls->generation) {
		MUST(lookup->status == PROBE_DTV_UNTOUCHED);
		return;
	}
	if (!peek(process, dtv + tls->module_id * layout->dtv_slot_bytes + layout->dtv_pointer_val,
		  &value)) {
		MUST(lookup->status == PROBE_DTV_UNREADABLE && lookup->why == PROBE_REMOTE_FAULT);
		return;
	}
	if (value == 0 || value == UINT64_MAX)
		MUST(lookup->status == PROBE_DTV_UNTOUCHED);
	else
		MUST(lookup->status == PROBE_DTV_FOUND && lookup->block == value);
}

static void find_blocks(struct fake_process *process, const struct probe_glibc_layout *layout,
			const struct probe_library_tls *tls, const uint16_t *threads, size_t n)
{
	struct probe_dtv_lookup lookups[MAX_THREADS] = { 0 };

	for (size_t i = 0; i < n; i++)
		lookups[i].thread_pointer = place_address(threads[i]);
	probe_dtv_find_blocks(&process->remote, layout, tls, lookups, n);
	for (size_t i = 0; i < n; i++)
		check_lookup(process, layout, tls, &lookups[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cursor in = cursor_over((struct bytes){ data, n });
	struct probe_glibc_layout layout = { .has_libraries = true };
	struct probe_library_tls tls = { .module_id = 77 };
	uint16_t threads[MAX_THREADS] = { 0 };
	struct fake_process process;
	struct error *err;
	size_t n_threads;
	uint64_t bias;

	layout.r_debug = place_address(cursor_u16(&in));
	layout.slotinfo_list = place_address(cursor_u16(&in));
	bias = place_address(cursor_u16(&in));
	layout.link_map_tls_modid = cursor_u16(&in);
	layout.link_map_tls_offset = cursor_u16(&in);
	layout.pthread_dtvp = cursor_u8(&in);
	layout.dtv_slot_bytes = cursor_u8(&in);
	layout.dtv_pointer_val = cursor_u8(&in);
	layout.slotinfo_list_len = cursor_u8(&in);
	layout.slotinfo_list_next = cursor_u8(&in);
	layout.slotinfo_list_slots = cursor_u8(&in);
	layout.slotinfo_bytes = cursor_u8(&in);
	layout.slotinfo_gen = cursor_u8(&in);
	n_threads = cursor_u8(&in) % (MAX_THREADS + 1);
	for (size_t i = 0; i < n_threads; i++)
		threads[i] = cursor_u16(&in);
	if (in.failed)
		return 0;
	fake_process_init(&process, &in);
	err = probe_link_map_find_tls(&process.remote, &layout, bias, &tls);
	/* Past the head of the list: a library was looked at. */
	if (process.n_good_reads > 1)
		fuzz_mark_deep();
	MUST(process.n_reads <= 2 * PROBE_LIMIT_LIBRARIES + 4 * PROBE_LIMIT_NAMESPACES +
					3 * PROBE_LIMIT_SLOTINFO_LISTS);
	if (err) {
		MUST(tls.module_id == 77);
		error_free(err);
		tls = (struct probe_library_tls){ .module_id = 2, .generation = 1 };
	} else {
		MUST(tls.module_id != 0);
		MUST(tls.is_static == (tls.static_offset != 0 && tls.static_offset != UINT64_MAX));
		MUST(has_library(&process, &layout, bias, &tls));
	}
	find_blocks(&process, &layout, &tls, threads, n_threads);
	fake_process_deinit(&process);
	return 0;
}
