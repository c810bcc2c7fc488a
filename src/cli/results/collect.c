// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/results/results.h"

#include <libgen.h>
#include <string.h>

#include "result/run_dir.h"

const struct shown_state_row shown_states[N_SHOWN_STATES] = {
	[SHOWN_FAIL] = { "fail", "failed" },
	[SHOWN_BROKEN] = { "broken", "broken" },
	[SHOWN_UNREADABLE] = { "unreadable", "unreadable" },
	[SHOWN_UNFINISHED] = { "unfinished", "unfinished" },
	[SHOWN_INCONCLUSIVE] = { "inconclusive", "inconclusive" },
	[SHOWN_SKIP] = { "skip", "skipped" },
	[SHOWN_PASS] = { "pass", "passed" },
};

void shown_dir_deinit(struct shown_dir *directory)
{
	for (size_t i = 0; i < directory->records.n; i++) {
		free(directory->records.at[i].file);
		free(directory->records.at[i].why);
		result_run_deinit(&directory->records.at[i].run);
	}
	vec_deinit(&directory->records);
	free(directory->dir);
	*directory = (struct shown_dir){ 0 };
}

static enum shown_state state_of(const struct result_run *run)
{
	static const enum shown_state states[RESULT_N_VERDICTS] = {
		[KTSTR_PASS] = SHOWN_PASS,
		[KTSTR_FAIL] = SHOWN_FAIL,
		[KTSTR_SKIP] = SHOWN_SKIP,
		[KTSTR_BROKEN] = SHOWN_BROKEN,
		[KTSTR_INCONCLUSIVE] = SHOWN_INCONCLUSIVE,
	};

	return run->state == RESULT_FINISHED ? states[run->verdict] : SHOWN_UNFINISHED;
}

static char *why_of(const struct result_run *run)
{
	if (run->state == RESULT_FINISHED)
		return xasprintf(
			"%s%s%s",
			run->reason == KTSTR_REASON_NONE ? "" : result_reason_name(run->reason),
			run->reason != KTSTR_REASON_NONE && *run->why ? ": " : "", run->why);
	if (result_run_has_runner(run))
		return xasprintf("it is running now, process %llu",
				 (unsigned long long)run->runner_pid);
	return xstrdup("its runner ended before it did");
}

/* The record's name has its own column. */
static char *without_path(const char *message, const char *path)
{
	size_t n = strlen(path);

	if (strncmp(message, path, n) == 0 && strncmp(message + n, ": ", 2) == 0)
		message += n + 2;
	return xstrdup(message);
}

static void add_record(struct shown_dir *directory, const char *file)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", directory->dir, file);
	struct shown_record record = { .file = xstrdup(file) };
	_cleanup_error_ struct error *err = result_run_read(path, &record.run);

	record.state = err ? SHOWN_UNREADABLE : state_of(&record.run);
	record.why = err ? without_path(error_message(err), path) : why_of(&record.run);
	directory->counts[record.state]++;
	vec_push(&directory->records, record);
}

static const char *name_of(const struct shown_record *record)
{
	return record->run.name ? record->run.name : record->file;
}

/* "a.ktstr.json" before "a-2.ktstr.json": only what stands before the tail counts. */
static int by_stem(const char *a, const char *b)
{
	_cleanup_free_ char *x = xstrndup(a, strlen(a) - strlen(RESULT_RECORD_FILE_TAIL));
	_cleanup_free_ char *y = xstrndup(b, strlen(b) - strlen(RESULT_RECORD_FILE_TAIL));

	return strverscmp(x, y);
}

static int failures_first(const void *a_, const void *b_)
{
	const struct shown_record *a = a_, *b = b_;
	int order = (int)a->state - (int)b->state;

	if (!order)
		order = strverscmp(name_of(a), name_of(b));
	return order ? order : by_stem(a->file, b->file);
}

struct error *shown_dir_read(const char *dir, struct shown_dir *ret)
{
	_cleanup_result_names_ struct result_names names = { 0 };
	struct shown_dir directory = { 0 };
	struct error *err = result_dir_records(dir, &names);

	if (err)
		return err;
	directory.dir = xstrdup(dir);
	for (size_t i = 0; i < names.names.n; i++)
		add_record(&directory, names.names.at[i]);
	if (directory.records.n)
		qsort(directory.records.at, directory.records.n, sizeof(*directory.records.at),
		      failures_first);
	*ret = directory;
	return NULL;
}

void shown_file_read(const char *path, struct shown_dir *ret)
{
	_cleanup_free_ char *for_dir = xstrdup(path), *for_base = xstrdup(path);

	*ret = (struct shown_dir){ .dir = xstrdup(dirname(for_dir)) };
	add_record(ret, basename(for_base));
}
