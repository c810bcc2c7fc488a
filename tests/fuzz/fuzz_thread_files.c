// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/thread_stat.c src/procfs/thread_status.c src/procfs/io.c */
/* covers: src/procfs/cgroup_path.c src/procfs/smaps_rollup.c src/procfs/cpu_list.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "procfs/cgroup_path.h"
#include "procfs/cpu_list.h"
#include "procfs/io.h"
#include "procfs/smaps_rollup.h"
#include "procfs/thread_stat.h"
#include "procfs/thread_status.h"

static void must(bool condition)
{
	if (!condition)
		abort();
}

static bool is_inside(struct slice piece, const char *text, size_t n)
{
	return piece.at >= text && piece.at + piece.n <= text + n;
}

static bool look_at_stat(const char *text, size_t n)
{
	struct proc_fields fields;
	bool sense = thread_stat_parse(text, n, &fields);

	must(sense == (n && memrchr(text, ')', n)));
	must(fields.known >> N_THREAD_STAT_FIELDS == 0);
	if (proc_fields_know(&fields, THREAD_STAT_NICE))
		must((int64_t)fields.at[THREAD_STAT_NICE] >= INT32_MIN &&
		     (int64_t)fields.at[THREAD_STAT_NICE] <= INT32_MAX);
	if (proc_fields_know(&fields, THREAD_STAT_POLICY))
		must(fields.at[THREAD_STAT_POLICY] <= UINT32_MAX);
	return sense;
}

static bool look_at_schedstat(const char *text, size_t n)
{
	struct proc_fields fields;
	bool sense = thread_schedstat_parse(text, n, &fields);

	must(fields.known >> N_THREAD_SCHEDSTAT_FIELDS == 0 && sense == (fields.known != 0));
	return sense;
}

static bool look_at_io(const char *text, size_t n)
{
	struct proc_fields fields;
	bool sense = proc_io_parse(text, n, &fields);

	must(fields.known >> N_PROC_IO_FIELDS == 0 && sense == (fields.known != 0));
	return sense;
}

static bool look_at_status(const char *text, size_t n)
{
	struct thread_status status;
	bool sense = thread_status_parse(text, n, &status);

	must(is_inside(status.cpus, text, n) &&
	     memchr(status.cpus.at, '\n', status.cpus.n) == NULL);
	/* Only text has letters. */
	if (proc_fields_know(&status.fields, THREAD_STATUS_STATE))
		must(memchr(text, (int)status.fields.at[THREAD_STATUS_STATE], n) != NULL);
	return sense;
}

static bool look_at_cgroup(const char *text, size_t n)
{
	struct slice path = { text, 0 };
	bool sense = cgroup_path_parse(text, n, &path);

	must(is_inside(path, text, n) && sense == (path.n > 0));
	return sense;
}

static bool look_at_smaps(const char *text, size_t n)
{
	_cleanup_intern_ struct intern names;
	struct named_readings smaps = { 0 };
	bool sense;

	intern_init(&names);
	sense = smaps_rollup_parse(text, n, &names, &smaps);
	must(smaps.rows.n <= SMAPS_ROLLUP_ROWS && sense == (smaps.rows.n > 0));
	for (size_t i = 0; i < smaps.rows.n; i++)
		must(smaps.rows.at[i].name < names.strings.n &&
		     !strpbrk(intern_text(&names, smaps.rows.at[i].name), " -\n:"));
	vec_deinit(&smaps.rows);
	return sense;
}

static bool look_at_cpus(const char *text, size_t n)
{
	_cleanup_cpu_ids_ struct cpu_ids ids = { VEC_INIT };
	bool sense = cpu_list_parse(text, n, &ids);

	must(sense == (ids.ids.n > 0) && ids.ids.n <= CPU_LIST_IDS);
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
