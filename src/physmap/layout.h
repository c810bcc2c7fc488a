/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where QEMU puts RAM: the backends of the nodes one after the other, cut where
 * the hole for devices below 4 GiB begins, continued at 4 GiB. The legacy area
 * from 640 KiB to 1 MiB shows firmware and devices, so it is left out.
 */
#ifndef KTSTR_PHYSMAP_LAYOUT_H
#define KTSTR_PHYSMAP_LAYOUT_H

#include "physmap/physmap.h"

/* The machine types whose rule was compared with QEMU's own map (7.2 and 10.0). */
enum physmap_machine { PHYSMAP_Q35, PHYSMAP_PC };

struct physmap_range {
	uint64_t start, length; /* guest-physical */
	unsigned int backend;
	uint64_t offset; /* inside the backend */
};

struct physmap_layout {
	VEC(struct physmap_range) ranges; /* by rising start */
};

void physmap_layout_deinit(struct physmap_layout *layout);
#define _cleanup_physmap_layout_ _cleanup_(physmap_layout_deinit)

/*
 * Of n backends with these sizes in bytes. For Intel CPUs: an AMD machine that
 * reaches 1 TiB has one hole more.
 */
struct error *physmap_from_backends(enum physmap_machine machine, const uint64_t *sizes, size_t n,
				    struct physmap_layout *ret) MUST_CHECK;

/* The map that reads backend i from fds[i] at offsets[i] (NULL: 0). The caller keeps the files. */
struct error *physmap_layout_bind_fds(const struct physmap_layout *layout, const int *fds,
				      const uint64_t *offsets, struct physmap **ret) MUST_CHECK;
/* The map that reads backend i from a process at addresses[i]. */
struct error *physmap_layout_bind_process(const struct physmap_layout *layout, pid_t pid,
					  const uint64_t *addresses,
					  struct physmap **ret) MUST_CHECK;

#endif
