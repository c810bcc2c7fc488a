// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "text/number.h"

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_usec * 1000;
}

struct cost_clock cost_clock_read(void)
{
	struct cost_clock clock = { .wall_ns = clock_monotonic_ns() };
	const int whom[] = { RUSAGE_SELF, RUSAGE_CHILDREN };

	for (size_t i = 0; i < ARRAY_SIZE(whom); i++) {
		struct rusage usage;

		if (getrusage(whom[i], &usage) == 0)
			clock.cpu_ns += ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
	}
	return clock;
}

void cost_add(struct cost *cost, const struct cost_clock *since,
	      const struct ctprof_snapshot *snapshot, const struct ctprof_snapshot_frame_size *size)
{
	struct cost_clock now = cost_clock_read();

	cost->snapshots++;
	cost->threads += snapshot->threads.n;
	cost->wall_ns += now.wall_ns - since->wall_ns;
	cost->cpu_ns += now.cpu_ns - since->cpu_ns;
	cost->json_bytes += size->json_bytes;
	cost->file_bytes += size->file_bytes;
}

uint64_t cost_threads_per_second(const struct cost *cost)
{
	return cost->wall_ns
		       ? (uint64_t)((unsigned __int128)cost->threads * NS_PER_SEC / cost->wall_ns)
		       : 0;
}

void cost_format(const struct cost *cost, struct strbuf *into)
{
	strbuf_append(into, "ctprof cost: ");
	text_format_duration(into, cost->wall_ns);
	strbuf_append(into, " wall, ");
	text_format_duration(into, cost->cpu_ns);
	strbuf_append(into, " CPU, ");
	text_format_bytes(into, cost->file_bytes);
	strbuf_append(into, " written (");
	text_format_bytes(into, cost->json_bytes);
	strbuf_appendf(into, " of JSON), %" PRIu64 " threads/s", cost_threads_per_second(cost));
}

void cost_write(const struct cost *cost, struct json_writer *w)
{
	json_add_u64(w, "threads", cost->threads);
	json_add_u64(w, "wall_ns", cost->wall_ns);
	json_add_u64(w, "cpu_ns", cost->cpu_ns);
	json_add_u64(w, "json_bytes", cost->json_bytes);
	json_add_u64(w, "file_bytes", cost->file_bytes);
	json_add_u64(w, "threads_per_second", cost_threads_per_second(cost));
}
