/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread's own vector of TLS blocks, for libraries without a place in the static area. */
#ifndef KTSTR_PROBE_DTV_H
#define KTSTR_PROBE_DTV_H

#include "probe/glibc.h"
#include "probe/link_map.h"
#include "probe/remote.h"

enum dtv_status {
	DTV_FOUND,
	DTV_UNTOUCHED, /* the thread has never used the library: its counters are 0 */
	DTV_UNREADABLE,
};

struct dtv_lookup {
	uint64_t thread_pointer; /* input */
	enum dtv_status status;
	enum remote_status why; /* with DTV_UNREADABLE */
	uint64_t block;		/* with DTV_FOUND */
};

/* All threads at once, in three rounds of batched reads. */
void dtv_find_blocks(const struct remote *remote, const struct glibc_layout *layout,
		     const struct library_tls *tls, struct dtv_lookup *lookups, size_t n);

#endif
