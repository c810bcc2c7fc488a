/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which struct an allocator's elements hold: nothing in its memory says so, but its size does,
 * and schedulers name such structs alike. It stays a guess, and is called one. A wrong type would
 * show nonsense under fine names, so without a clear answer there is none, and bytes are shown.
 */
#ifndef KTSTR_DUMP_SDT_PAYLOAD_H
#define KTSTR_DUMP_SDT_PAYLOAD_H

#include "btf/btf.h"

struct sdt_payload {
	uint32_t type;	   /* 0: unknown */
	const char *guess; /* what it was guessed by: "size", "size and name"; NULL: unknown */
	char reason[64];   /* why it is unknown, else "" */
};

/*
 * The one named struct of that size; of several the one called task_ctx, else the only one whose
 * name ends with _arena_ctx, _task_ctx or _ctx, in this order.
 */
struct sdt_payload sdt_payload_choose(const struct btf *btf, uint64_t size);

#endif
