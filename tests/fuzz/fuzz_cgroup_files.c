// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/reading.c src/procfs/cgroup.c src/procfs/pressure.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "procfs/cgroup.h"

static void check_rows(const struct procfs_named_readings *rows, const struct intern *names)
{
	if (!rows->known || rows->rows.n > PROCFS_NAMED_READINGS)
		abort();
	if (rows->rows.n)
		fuzz_mark_deep();
	for (size_t i = 0; i < rows->rows.n; i++) {
		const struct procfs_named_reading *row = &rows->rows.at[i];

		/* Each key once, and each a string of the table. */
		if (row->name >= names->strings.n ||
		    procfs_named_readings_find(rows, row->name) != row)
			abort();
	}
}

static void look_at_numbers(const char *text, size_t n)
{
	struct procfs_reading reading = procfs_reading_parse(text, n);
	struct procfs_reading limit = procfs_limit_parse(text, n);
	struct procfs_cgroup_stats stats = { 0 };

	if (reading.known && (!limit.known || limit.value != reading.value))
		abort();
	if (reading.known || limit.known)
		fuzz_mark_deep();
	procfs_cgroup_file_parse("cpu.weight.nice", text, n, NULL, &stats);
	if (stats.cpu_weight_nice.known)
		fuzz_mark_deep();
	procfs_cgroup_file_parse("cpu.max", text, n, NULL, &stats);
	if (stats.cpu_max_quota_us.known) {
		fuzz_mark_deep();
		if (!stats.cpu_max_period_us.known)
			abort();
	}
	procfs_cgroup_file_parse("cpu.stat", text, n, NULL, &stats);
	if (stats.cpu_usage_usec.known || stats.cpu_burst_usec.known)
		fuzz_mark_deep();
}

static void look_at_pressure(const char *text, size_t n)
{
	struct procfs_pressure_file file;

	procfs_pressure_file_parse(text, n, &file);
	if (!file.known)
		abort();
	if (file.half[PROCFS_PRESSURE_SOME].known || file.half[PROCFS_PRESSURE_FULL].known)
		fuzz_mark_deep();
	else if (file.half[PROCFS_PRESSURE_SOME].avg10 ||
		 file.half[PROCFS_PRESSURE_FULL].total_usec)
		abort();
}

/* The reader around the parser, on whatever this machine has. */
static void read_once(void)
{
	static bool done;
	struct procfs_pressure host;

	if (!done)
		procfs_pressure_read("/proc/pressure", "", &host);
	done = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* A copy of the exact size: what is read behind it is seen. */
	char *text = memcpy(malloc(n ? n : 1), data, n);
	struct procfs_cgroup_stats stats = { 0 };
	struct procfs_named_readings rows;
	struct intern names;

	read_once();
	intern_init(&names);
	look_at_numbers(text, n);
	look_at_pressure(text, n);
	procfs_named_readings_parse(text, n, &names, &rows);
	check_rows(&rows, &names);
	procfs_named_readings_deinit(&rows);
	procfs_cgroup_file_parse("io.stat", text, n, &names, &stats);
	check_rows(&stats.io_stat, &names);
	procfs_cgroup_stats_deinit(&stats);
	if (procfs_text_intern(text, n, &names) >= names.strings.n)
		abort();
	intern_deinit(&names);
	free(text);
	return 0;
}
