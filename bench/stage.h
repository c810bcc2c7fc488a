/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a benchmark's target shows to the benchmark: a file that both map.
 * bench/target.py reads the same layout.
 */
#ifndef KTSTR_BENCH_STAGE_H
#define KTSTR_BENCH_STAGE_H

#include <stdint.h>

/* One thread's own word about itself, from mallctl(). */
struct stage_thread {
	uint64_t tid;
	uint64_t allocated_bytes;
	uint64_t deallocated_bytes;
};

struct stage {
	/* The benchmark raises `asked`; the heartbeat starts a new window and raises `window`. */
	uint64_t asked;
	uint64_t window;
	uint64_t beats;
	uint64_t longest_gap_ns; /* between two beats of this window */
	uint64_t n_threads;
	struct stage_thread threads[];
};

#endif
