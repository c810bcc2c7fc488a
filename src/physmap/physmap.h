/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Physical memory of a guest as the host can read it: segments that do not
 * overlap, each backed by a file or by memory of a process. Between segments is
 * no RAM.
 */
#ifndef KTSTR_PHYSMAP_PHYSMAP_H
#define KTSTR_PHYSMAP_PHYSMAP_H

#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"

#define PHYSMAP_ERRORS(X)                                                              \
	X(PHYSMAP_RANGE, "physmap-range", "a segment is empty or wraps around")        \
	X(PHYSMAP_OVERLAP, "physmap-overlap", "two segments claim the same address")   \
	X(PHYSMAP_OUTSIDE, "physmap-outside", "the address is not in the guest's RAM") \
	X(PHYSMAP_UNREADABLE, "physmap-unreadable", "the RAM is there but cannot be read")
DECLARE_ERROR_DOMAIN(physmap, PHYSMAP, PHYSMAP_ERRORS);

enum {
	PHYSMAP_LIMIT_SEGMENTS = 4096,
	PHYSMAP_LIMIT_BACKENDS = 256,
};

enum physmap_kind { PHYSMAP_FILE, PHYSMAP_PROCESS };

struct physmap_segment {
	uint64_t start, length; /* guest-physical */
	enum physmap_kind kind;
	int fd;		 /* PHYSMAP_FILE */
	pid_t pid;	 /* PHYSMAP_PROCESS */
	uint64_t offset; /* in the file, or the address in the process */
};

struct physmap {
	VEC(struct physmap_segment) segments; /* by rising start */
	VEC(int) files;			      /* opened here, closed here */
};

struct physmap *physmap_new(void) MUST_CHECK;
void physmap_free(struct physmap *map);
DEFINE_CLEANUP(physmap, struct physmap *, NULL, physmap_free);
#define _cleanup_physmap_ _cleanup_(cleanup_physmap)

/* The descriptor stays the caller's and must outlive the map. */
struct error *physmap_add_fd(struct physmap *map, uint64_t start, uint64_t length, int fd,
			     uint64_t offset) MUST_CHECK;
/* Opens the file for reading. */
struct error *physmap_add_file(struct physmap *map, uint64_t start, uint64_t length,
			       const char *path, uint64_t offset) MUST_CHECK;
struct error *physmap_add_process(struct physmap *map, uint64_t start, uint64_t length, pid_t pid,
				  uint64_t address) MUST_CHECK;

/* The segment that holds the address; NULL when none does. */
const struct physmap_segment *physmap_find(const struct physmap *map, uint64_t address);

/* For hot loops: no allocation, no error object. */
enum physmap_status {
	PHYSMAP_READ_OK,
	PHYSMAP_READ_OUTSIDE,	 /* some byte is not RAM */
	PHYSMAP_READ_UNREADABLE, /* the file is too short, the process is gone */
};

/*
 * All n bytes or none that count: on any other status buf holds no promise. A range may go on from
 * one segment into the next if there is no gap. *ret_failed, when given, is the address where it
 * ended; errno tells why something was unreadable (0: the file ends there).
 */
enum physmap_status physmap_read(const struct physmap *map, uint64_t address, void *buf, size_t n,
				 uint64_t *ret_failed);
/* The same with an error that names the address. */
struct error *physmap_read_exact(const struct physmap *map, uint64_t address, void *buf,
				 size_t n) MUST_CHECK;

/*
 * Where QEMU puts RAM: the backends of the nodes one after the other, cut where
 * the hole for devices below 4 GiB begins, continued at 4 GiB. The legacy area
 * from 640 KiB to 1 MiB shows firmware and devices, so it is left out.
 */

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

/*
 * The map that reads backend i from fds[i], which the caller keeps, or without them from a process,
 * at bases[i] (NULL: 0).
 */
struct error *physmap_layout_bind(const struct physmap_layout *layout, const int *fds, pid_t pid,
				  const uint64_t *bases, struct physmap **ret) MUST_CHECK;

#endif
