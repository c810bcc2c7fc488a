/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One allocator, in text
 *
 *	sdt_alloc NAME (elem_size=24, btf_type_id=42, a guess by size): 1 live
 *	  idx=7 genn=1 user_addr=0x7f1200001000 payload=task_ctx{pid=77}
 *
 * or as an object with allocator_name, entries [{idx, genn, user_addr, payload}] (absent when
 * empty), truncated (absent when false), skipped_subtrees, elem_size, payload_btf_type_id,
 * payload_type_guessed_by and payload_type_reason (only one of them is there); "total" beside
 * truncated, "skipped" by reason when there was any, "in_flight" and "zeroed" elements when there
 * are, "not_walked" when nothing could be.
 */
#ifndef KTSTR_DUMP_SDT_SHOW_H
#define KTSTR_DUMP_SDT_SHOW_H

#include "dump/values.h"
#include "dump/sdt_payload.h"
#include "dump/sdt_tree.h"

struct sdt_allocator {
	const char *name;
	const struct btf *btf;
	const struct sdt_layout *layout;
	const struct arena *arena; /* NULL: not known, nothing is walked */
	struct bytes image;
	const char *unavailable; /* NULL: it can be walked */
	uint64_t *n_steps;	 /* of all allocators together */
};

void sdt_show(struct dump_values *values, const struct sdt_allocator *allocator,
	      uint64_t max_entries, struct dump_sink *sink);

#endif
