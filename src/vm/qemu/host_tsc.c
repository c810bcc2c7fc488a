// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/accel.h"

#include "base/clock.h"

#if defined(__x86_64__)
#include <stdbool.h>
#include <time.h>
#include <x86intrin.h>

enum {
	TRIES = 64,
	/* Both clocks read within this time; with 20 ms between that is an error below 0.1 %. */
	GAP_NS = 5000,
	APART_NS = 20 * 1000 * 1000,
};

struct moment {
	uint64_t ns, ticks;
};

/* Both clocks at the same time, as near as it can be had. */
static bool read_both(struct moment *ret)
{
	uint64_t best_ns = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = clock_monotonic_ns();
		uint64_t ticks = __rdtsc();
		uint64_t gap = clock_monotonic_ns() - before;

		if (gap < best_ns) {
			best_ns = gap;
			*ret = (struct moment){ before + gap / 2, ticks };
		}
	}
	return best_ns <= GAP_NS;
}

uint64_t vm_host_tsc_khz(void)
{
	struct timespec pause = { .tv_nsec = APART_NS };
	struct moment start, end;
	bool read = read_both(&start);

	nanosleep(&pause, NULL);
	if (!read || !read_both(&end) || end.ns - start.ns < APART_NS / 2 ||
	    end.ticks <= start.ticks)
		return 0;
	return (end.ticks - start.ticks) * NS_PER_MS / (end.ns - start.ns);
}
#else
uint64_t vm_host_tsc_khz(void)
{
	return 0;
}
#endif
