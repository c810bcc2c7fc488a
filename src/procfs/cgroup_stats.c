// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/cgroup_stats.h"

#include <fcntl.h>

#include "procfs/cgroup_files.h"
#include "procfs/small_file.h"

static void read_cpu(int dir, struct cgroup_stats *stats)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (small_file_read(dir, "cpu.stat", &text))
		cgroup_cpu_stat_parse(strbuf_str(&text), text.n, stats);
	if (small_file_read(dir, "cpu.max", &text))
		cgroup_cpu_max_parse(strbuf_str(&text), text.n, stats);
	if (small_file_read(dir, "cpu.weight.nice", &text))
		stats->cpu.weight_nice_known = cgroup_nice_parse(strbuf_str(&text), text.n,
								 &stats->cpu.weight_nice);
	stats->cpu.weight = reading_read(dir, "cpu.weight");
}

static void read_memory(int dir, struct intern *names, struct cgroup_stats *stats)
{
	stats->memory.current = reading_read(dir, "memory.current");
	stats->memory.peak = reading_read(dir, "memory.peak");
	stats->memory.swap_current = reading_read(dir, "memory.swap.current");
	stats->memory.max = limit_read(dir, "memory.max");
	stats->memory.high = limit_read(dir, "memory.high");
	stats->memory.low = limit_read(dir, "memory.low");
	stats->memory.min = limit_read(dir, "memory.min");
	named_readings_read(dir, "memory.stat", names, &stats->memory.stat);
	named_readings_read(dir, "memory.events", names, &stats->memory.events);
}

void cgroup_stats_read(const char *path, struct intern *names, struct cgroup_stats *ret)
{
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct cgroup_stats stats = { .known = dir >= 0 };

	if (dir >= 0) {
		read_cpu(dir, &stats);
		read_memory(dir, names, &stats);
		stats.pids.current = reading_read(dir, "pids.current");
		stats.pids.peak = reading_read(dir, "pids.peak");
		stats.pids.max = limit_read(dir, "pids.max");
		if (small_file_read(dir, "io.stat", &text))
			cgroup_io_stat_parse(strbuf_str(&text), text.n, names, &stats.io.stat);
		stats.cpuset_effective = text_read(dir, "cpuset.cpus.effective", names);
		pressure_read_at(dir, ".pressure", &stats.pressure);
	}
	*ret = stats;
}

void cgroup_stats_deinit(struct cgroup_stats *stats)
{
	named_readings_deinit(&stats->memory.stat);
	named_readings_deinit(&stats->memory.events);
	named_readings_deinit(&stats->io.stat);
	*stats = (struct cgroup_stats){ 0 };
}
