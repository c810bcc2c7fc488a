/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a capture cost: time on the wall and on CPUs, bytes, threads in a second. */
#ifndef KTSTR_CLI_CTPROF_COST_H
#define KTSTR_CLI_CTPROF_COST_H

#include "ctprof/file.h"
#include "json/writer.h"

struct cost {
	uint64_t snapshots, threads;
	uint64_t wall_ns, cpu_ns; /* CPU time of helpers counts */
	uint64_t json_bytes, file_bytes;
};

struct cost_clock {
	uint64_t wall_ns, cpu_ns;
};

struct cost_clock cost_clock_read(void);
void cost_add(struct cost *cost, const struct cost_clock *since, const struct snapshot *snapshot,
	      const struct snapshot_frame_size *size);
uint64_t cost_threads_per_second(const struct cost *cost);
/* "ctprof cost: …" without a newline. */
void cost_format(const struct cost *cost, struct strbuf *into);
/* Members of an open object. */
void cost_write(const struct cost *cost, struct json_writer *w);

#endif
