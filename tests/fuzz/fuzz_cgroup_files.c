// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/reading.c src/procfs/cgroup.c src/procfs/pressure.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "procfs/cgroup.h"

static void check_rows(const struct named_readings *rows, const struct intern *names)
{
	if (!rows->known || rows->rows.n > PROCFS_NAMED_READINGS)
		abort();
	if (rows->rows.n)
		fuzz_mark_deep();
	for (size_t i = 0; i < rows->rows.n; i++) {
		const struct named_reading *row = &rows->rows.at[i];

		/* Each key once, and each a string of the table. */
		if (row->name >= names->strings.n || named_readings_find(rows, row->name) != row)
			abort();
	}
}

static void look_at_numbers(const char *text, size_t n)
{
	struct procfs_reading reading = reading_parse(text, n);
	struct procfs_reading limit = limit_parse(text, n);
	struct cgroup_stats stats = { 0 };

	if (reading.known && (!limit.known || limit.value != reading.value))
		abort();
	if (reading.known || limit.known)
		fuzz_mark_deep();
	cgroup_file_parse("cpu.weight.nice", text, n, NULL, &stats);
	if (stats.cpu_weight_nice.known)
		fuzz_mark_deep();
	cgroup_file_parse("cpu.max", text, n, NULL, &stats);
	if (stats.cpu_max_quota_us.known) {
		fuzz_mark_deep();
		if (!stats.cpu_max_period_us.known)
			abort();
	}
	cgroup_file_parse("cpu.stat", text, n, NULL, &stats);
	if (stats.cpu_usage_usec.known || stats.cpu_burst_usec.known)
		fuzz_mark_deep();
}

static void look_at_pressure(const char *text, size_t n)
{
	struct pressure_file file;

	pressure_file_parse(text, n, &file);
	if (!file.known)
		abort();
	if (file.half[PRESSURE_SOME].known || file.half[PRESSURE_FULL].known)
		fuzz_mark_deep();
	else if (file.half[PRESSURE_SOME].avg10 || file.half[PRESSURE_FULL].total_usec)
		abort();
}

/* The reader around the parser, on whatever this machine has. */
static void read_once(void)
{
	static bool done;
	struct pressure host;

	if (!done)
		pressure_read("/proc/pressure", "", &host);
	done = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* A copy of the exact size: what is read behind it is seen. */
	char *text = memcpy(malloc(n ? n : 1), data, n);
	struct cgroup_stats stats = { 0 };
	struct named_readings rows;
	struct intern names;

	read_once();
	intern_init(&names);
	look_at_numbers(text, n);
	look_at_pressure(text, n);
	named_readings_parse(text, n, &names, &rows);
	check_rows(&rows, &names);
	named_readings_deinit(&rows);
	cgroup_file_parse("io.stat", text, n, &names, &stats);
	check_rows(&stats.io_stat, &names);
	cgroup_stats_deinit(&stats);
	if (text_intern(text, n, &names) >= names.strings.n)
		abort();
	intern_deinit(&names);
	free(text);
	return 0;
}
