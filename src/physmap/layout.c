// SPDX-License-Identifier: LGPL-2.1-or-later
#include "physmap/layout.h"

#define FOUR_GIB     (UINT64_C(4) << 30)
#define LEGACY_START UINT64_C(0xa0000)
#define LEGACY_END   UINT64_C(0x100000)
/* Where physical addresses of today's CPUs end. */
#define LIMIT_BYTES (UINT64_C(1) << 52)

/* RAM up to `whole` (exclusive) stays in one piece, more is cut at `cut`: pc_q35.c, pc_piix.c. */
static const struct {
	uint64_t whole, cut;
} holes[] = {
	[PHYSMAP_Q35] = { UINT64_C(0xb0000000), UINT64_C(0x80000000) },
	[PHYSMAP_PC] = { UINT64_C(0xe0000000), UINT64_C(0xc0000000) },
};

void physmap_layout_deinit(struct physmap_layout *layout)
{
	vec_deinit(&layout->ranges);
}

/*
 * One backend's stretch of RAM, [from, from + length) counted from RAM's
 * beginning; guest addresses are these numbers, shifted above the hole.
 */
static void place(struct physmap_layout *layout, uint64_t low_end, unsigned int backend,
		  uint64_t from, uint64_t length)
{
	uint64_t offset = 0;

	while (length) {
		uint64_t at = from + offset, n = length;
		bool high = at >= low_end;

		if (!high && n > low_end - at)
			n = low_end - at;
		if (at < LEGACY_START && n > LEGACY_START - at)
			n = LEGACY_START - at;
		if (at >= LEGACY_START && at < LEGACY_END) {
			if (n > LEGACY_END - at)
				n = LEGACY_END - at;
		} else {
			vec_push(&layout->ranges,
				 (struct physmap_range){ high ? FOUR_GIB + (at - low_end) : at, n,
							 backend, offset });
		}
		offset += n;
		length -= n;
	}
}

struct error *physmap_from_backends(enum physmap_machine machine, const uint64_t *sizes, size_t n,
				    struct physmap_layout *ret)
{
	struct physmap_layout layout = { VEC_INIT };
	uint64_t total = 0, from = 0, low_end;

	if (n == 0 || n > PHYSMAP_LIMIT_BACKENDS)
		return base_error(BASE_LIMIT, 0, "%zu backends of RAM, from 1 to %d are possible",
				  n, PHYSMAP_LIMIT_BACKENDS);
	for (size_t i = 0; i < n; i++) {
		if (sizes[i] == 0 || sizes[i] % 4096 || !add_fits_u64(total, sizes[i], &total) ||
		    total > LIMIT_BYTES)
			return physmap_error(PHYSMAP_RANGE, 0,
					     "RAM backend %zu has an unusable size of %llu bytes",
					     i, (unsigned long long)sizes[i]);
	}
	low_end = total < holes[machine].whole ? total : holes[machine].cut;
	for (size_t i = 0; i < n; i++) {
		place(&layout, low_end, (unsigned int)i, from, sizes[i]);
		from += sizes[i];
	}
	*ret = layout;
	return NULL;
}

static struct error *bind_range(const struct physmap_range *range, const int *fds, pid_t pid,
				const uint64_t *bases, struct physmap *map)
{
	uint64_t offset = range->offset;

	if (bases && !add_fits_u64(bases[range->backend], offset, &offset))
		return physmap_error(PHYSMAP_RANGE, 0, "backend %u of RAM wraps around",
				     range->backend);
	return fds ? physmap_add_fd(map, range->start, range->length, fds[range->backend], offset)
		   : physmap_add_process(map, range->start, range->length, pid, offset);
}

static struct error *bind(const struct physmap_layout *layout, const int *fds, pid_t pid,
			  const uint64_t *bases, struct physmap **ret)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();

	for (size_t i = 0; i < layout->ranges.n; i++) {
		struct error *err = bind_range(&layout->ranges.at[i], fds, pid, bases, map);

		if (err)
			return err;
	}
	*ret = take_ptr(map);
	return NULL;
}

struct error *physmap_layout_bind_fds(const struct physmap_layout *layout, const int *fds,
				      const uint64_t *offsets, struct physmap **ret)
{
	return bind(layout, fds, 0, offsets, ret);
}

struct error *physmap_layout_bind_process(const struct physmap_layout *layout, pid_t pid,
					  const uint64_t *addresses, struct physmap **ret)
{
	return bind(layout, NULL, pid, addresses, ret);
}
