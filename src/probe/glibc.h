/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * glibc describes its own structs for debuggers: symbols `_thread_db_<name>`,
 * each three u32 {bits, count, byte offset}. They come from the libc file the target
 * has mapped, never from ours. glibc 2.34 and later; other C libraries have none.
 */
#ifndef KTSTR_PROBE_GLIBC_H
#define KTSTR_PROBE_GLIBC_H

#include "base/error.h"
#include "probe/objects.h"
#include "probe/thread_list.h"

struct probe_glibc_layout {
	struct probe_thread_list_layout threads;

	/* For libraries' thread-local storage; only in a dynamically linked process. */
	bool has_libraries;
	uint64_t r_debug;	/* address of _r_debug */
	uint64_t slotinfo_list; /* address of the pointer _dl_tls_dtv_slotinfo_list */
	uint32_t link_map_tls_modid;
	uint32_t link_map_tls_offset;
	uint32_t pthread_dtvp;
	uint32_t dtv_slot_bytes;
	uint32_t dtv_pointer_val;
	uint32_t slotinfo_list_len;
	uint32_t slotinfo_list_next;
	uint32_t slotinfo_list_slots;
	uint32_t slotinfo_bytes;
	uint32_t slotinfo_gen;
};

/* BASE_ABSENT with a reason when the process's C library has no such descriptors. */
struct error *probe_glibc_layout_read(struct probe_objects *objects,
				      struct probe_glibc_layout *ret) MUST_CHECK;

#endif
