// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/thread_files.c src/procfs/reading.c src/procfs/cpu_list.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "procfs/thread_files.h"
#include "procfs/cpu_list.h"
#include "procfs/reading.h"

static void must(bool condition)
{
	if (!condition)
		abort();
}

static bool is_inside(struct slice piece, const char *text, size_t n)
{
	return piece.at >= text && piece.at + piece.n <= text + n;
}

/* What tables of one kind of file are filled with. */
struct seen {
	uint64_t known;
	uint64_t at[4];
};

static const struct procfs_field words[] = {
	{ .number = 1, .offset = offsetof(struct seen, at[0]), .bit = 0 },
	{ .number = 3,
	  .form = PROCFS_FORM_LETTER,
	  .offset = offsetof(struct seen, at[1]),
	  .bit = 1 },
	{ .number = 19, .form = PROCFS_FORM_I32, .offset = offsetof(struct seen, at[2]), .bit = 2 },
	{ .number = 22, .offset = offsetof(struct seen, at[3]), .bit = PROCFS_FIELD_NO_BIT },
};

static const struct procfs_field lines[] = {
	{ .key = "rchar", .offset = offsetof(struct seen, at[0]), .bit = 0 },
	{ .key = "State",
	  .form = PROCFS_FORM_LETTER,
	  .offset = offsetof(struct seen, at[1]),
	  .bit = 1 },
	{ .key = "wchar",
	  .form = PROCFS_FORM_I32,
	  .offset = offsetof(struct seen, at[2]),
	  .bit = 2 },
	{ .key = "Threads", .offset = offsetof(struct seen, at[3]), .bit = 3 },
};

static bool look_at_fields(const char *text, size_t n, struct procfs_fields fields,
			   bool (*parse)(struct slice text, struct procfs_fields fields,
					 struct procfs_values *values))
{
	struct seen seen = { 0 };
	struct procfs_values values = { .into = &seen, .known = &seen.known };
	bool sense = parse((struct slice){ text, n }, fields, &values);

	must(seen.known >> fields.n == 0 && values.negative_times == 0);
	/* Only text has letters. */
	if (seen.known >> 1 & 1)
		must(memchr(text, (int)seen.at[1], n) != NULL);
	if (seen.known >> 2 & 1)
		must((int64_t)seen.at[2] >= INT32_MIN && (int64_t)seen.at[2] <= INT32_MAX);
	return sense;
}

static bool look_at_stat(const char *text, size_t n)
{
	bool sense = look_at_fields(text, n, (struct procfs_fields){ words, 4 },
				    procfs_stat_fields);

	must(sense == (n && memrchr(text, ')', n)));
	return sense;
}

static bool look_at_schedstat(const char *text, size_t n)
{
	return look_at_fields(text, n, (struct procfs_fields){ words, 3 }, procfs_schedstat_fields);
}

static bool look_at_io(const char *text, size_t n)
{
	return look_at_fields(text, n, (struct procfs_fields){ lines, 4 }, procfs_lines_fields);
}

static bool look_at_status(const char *text, size_t n)
{
	struct slice cpus = { text, 0 };
	bool found = procfs_line_find((struct slice){ text, n }, "Cpus_allowed_list", &cpus);

	must(is_inside(cpus, text, n) && memchr(cpus.at, '\n', cpus.n) == NULL);
	return look_at_io(text, n) || found;
}

static bool look_at_cgroup(const char *text, size_t n)
{
	struct slice path = { text, 0 };
	bool sense = procfs_cgroup_parse((struct slice){ text, n }, &path);

	must(is_inside(path, text, n) && sense == (path.n > 0));
	return sense;
}

static bool look_at_smaps(const char *text, size_t n)
{
	_cleanup_intern_ struct intern names;
	struct procfs_named_readings smaps = { 0 };
	bool sense;

	intern_init(&names);
	sense = procfs_smaps_rollup_parse(text, n, &names, &smaps);
	must(smaps.rows.n <= PROCFS_SMAPS_ROLLUP_ROWS && sense == (smaps.rows.n > 0));
	for (size_t i = 0; i < smaps.rows.n; i++)
		must(smaps.rows.at[i].name < names.strings.n &&
		     !strpbrk(intern_text(&names, smaps.rows.at[i].name), " -\n:"));
	vec_deinit(&smaps.rows);
	return sense;
}

static bool look_at_cpus(const char *text, size_t n)
{
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { VEC_INIT };
	bool sense = procfs_cpu_list_parse(text, n, &ids);

	must(sense == (ids.ids.n > 0) && ids.ids.n <= PROCFS_CPU_LIST_IDS);
	for (size_t i = 1; i < ids.ids.n; i++)
		must(ids.ids.at[i - 1] < ids.ids.at[i]);
	return sense;
}

/*
 * The first byte chooses the file, and whether the rest stands behind a beginning that chance
 * rarely writes.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct {
		bool (*look)(const char *text, size_t n);
		const char *head;
	} files[] = {
		{ look_at_stat, "7 (x) S 1 1 1 0 -1 " },
		{ look_at_schedstat, "7 " },
		{ look_at_io, "rchar: 7\nwchar:" },
		{ look_at_status, "State:\tS\nCpus_allowed_list:\t0\nThreads:" },
		{ look_at_cgroup, "1:cpu:/\n0::/" },
		{ look_at_smaps, "Rss: 7 kB\n" },
		{ look_at_cpus, "7," },
	};
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t file, limit;

	if (n == 0)
		return 0;
	file = data[0] % (sizeof(files) / sizeof(files[0]));
	/* A list of a few bytes may already be long. */
	limit = files[file].look == look_at_cpus ? 32 : SIZE_MAX;
	if (data[0] & 0x80)
		strbuf_append(&text, files[file].head);
	strbuf_append_bytes(&text, data + 1, n - 1 < limit ? n - 1 : limit);
	if (files[file].look(strbuf_str(&text), text.n))
		fuzz_mark_deep();
	return 0;
}
