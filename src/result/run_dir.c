// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/run_dir.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/str.h"
#include "result/frames.h"
#include "result/limits.h"
#include "result/new_file.h"
#include "result/run_record.h"

#define LOCK_TAIL RESULT_RECORD_FILE_TAIL ".lock"

void result_names_deinit(struct result_names *names)
{
	for (size_t i = 0; i < names->names.n; i++)
		free(names->names.at[i]);
	vec_deinit(&names->names);
}

struct error *result_dir_new(const char *base, char **ret_path)
{
	time_t now = (time_t)clock_unix_sec();
	struct error *err = paths_make(base, 0777);
	char when[32];
	struct tm tm;

	if (err)
		return err;
	/* No colons: such names are trouble for PATH, make and other systems. */
	if (!gmtime_r(&now, &tm) || !strftime(when, sizeof(when), "%Y-%m-%dT%H-%M-%S", &tm))
		return base_error(BASE_IO, errno, "the clock's time has no date");
	for (int i = 1; i <= RESULT_LIMIT_DIRS; i++) {
		_cleanup_free_ char *path = i == 1 ? xasprintf("%s/%s-%d", base, when, getpid())
						   : xasprintf("%s/%s-%d-%d", base, when, getpid(),
							       i);

		if (mkdir(path, 0777) == 0) {
			*ret_path = take_ptr(path);
			return NULL;
		}
		if (errno != EEXIST)
			return base_error(BASE_IO, errno, "cannot create the directory %s", path);
	}
	return base_error(BASE_LIMIT, 0, "%s contains %d directories of this second already", base,
			  RESULT_LIMIT_DIRS);
}

static bool is_record_name(const char *name)
{
	return *name != '.' && str_ends_with(name, RESULT_RECORD_FILE_TAIL);
}

static bool is_lock_name(const char *name)
{
	return *name != '.' && str_ends_with(name, LOCK_TAIL);
}

/* "2026-11-15T14-30-05-…" */
static bool is_run_name(const char *name)
{
	static const char form[] = "dddd-dd-ddTdd-dd-dd-d";

	for (size_t i = 0; i + 1 < sizeof(form); i++) {
		bool digit = name[i] >= '0' && name[i] <= '9';

		if (form[i] == 'd' ? !digit : name[i] != form[i])
			return false;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct error *list(const char *dir, bool (*wanted)(const char *),
			  int (*order)(const void *, const void *), struct result_names *ret)
{
	_cleanup_result_names_ struct result_names names = { 0 };
	_cleanup_dir_ DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return base_error(errno == ENOENT ? BASE_ABSENT : BASE_IO, errno, "cannot open %s",
				  dir);
	while (errno = 0, (entry = readdir(d))) {
		char *name;

		if (!wanted(entry->d_name))
			continue;
		if (names.names.n == RESULT_LIMIT_NAMES)
			return base_error(BASE_LIMIT, 0, "%s contains more than %d records or runs",
					  dir, RESULT_LIMIT_NAMES);
		name = xstrdup(entry->d_name);
		vec_push(&names.names, name);
	}
	if (errno)
		return base_error(BASE_IO, errno, "read %s", dir);
	if (names.names.n)
		qsort(names.names.at, names.names.n, sizeof(char *), order);
	*ret = names;
	names = (struct result_names){ 0 };
	return NULL;
}

struct error *result_dir_records(const char *dir, struct result_names *ret)
{
	return list(dir, is_record_name, by_name, ret);
}

static bool is_visible(const char *name)
{
	return *name != '.';
}

static bool holds_records(const char *dir)
{
	_cleanup_dir_ DIR *d = opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (is_record_name(entry->d_name))
			return true;
	return false;
}

/* What it would be called if it had been given no name. NULL: it is not a run. */
static char *run_key(const char *dir, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	char time[sizeof("2026-11-15T14-30-05")];
	struct stat st;
	struct tm tm;

	if (is_run_name(name))
		return xstrdup(name);
	if (!holds_records(path) || stat(path, &st) < 0 || !gmtime_r(&st.st_mtime, &tm) ||
	    strftime(time, sizeof(time), "%Y-%m-%dT%H-%M-%S", &tm) == 0)
		return NULL;
	return xasprintf("%s-%s", time, name);
}

struct keyed_run {
	char *key, *name;
};

static int by_key_down(const void *a, const void *b)
{
	return strverscmp(((const struct keyed_run *)b)->key, ((const struct keyed_run *)a)->key);
}

struct error *result_dir_runs(const char *dir, struct result_names *ret)
{
	struct result_names all = { 0 }, runs = { 0 };
	struct error *err = list(dir, is_visible, by_name, &all);
	VEC(struct keyed_run) keyed = VEC_INIT;

	for (size_t i = 0; !err && i < all.names.n; i++) {
		struct keyed_run run = { run_key(dir, all.names.at[i]), all.names.at[i] };

		if (run.key)
			vec_push(&keyed, run);
		else
			free(run.name);
	}
	if (keyed.n)
		qsort(keyed.at, keyed.n, sizeof(*keyed.at), by_key_down);
	for (size_t i = 0; i < keyed.n; i++) {
		free(keyed.at[i].key);
		vec_push(&runs.names, keyed.at[i].name);
	}
	vec_deinit(&keyed);
	vec_deinit(&all.names);
	if (!err)
		*ret = runs;
	return err;
}

static bool is_temporary_name(const char *name)
{
	return strncmp(name, RESULT_NEW_FILE_TEMPORARY, strlen(RESULT_NEW_FILE_TEMPORARY)) == 0;
}

static struct error *sweep_locks(const char *dir)
{
	_cleanup_result_names_ struct result_names locks = { 0 };
	struct error *err = list(dir, is_lock_name, by_name, &locks);

	for (size_t i = 0; !err && i < locks.names.n; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", dir, locks.names.at[i]);
		_cleanup_close_ int fd = -1;

		err = lock_try(path, LOCK_EXCLUSIVE, &fd);
		if (!err && fd >= 0)
			unlink(path);
	}
	return err;
}

/* Only ".ktstr-<pid>-<n>" of a process that is not there: what does not say whose it is stays. */
static bool is_of_the_dead(const char *name)
{
	const char *number = name + strlen(RESULT_NEW_FILE_TEMPORARY);
	char *end;
	long pid = strtol(number, &end, 10);

	if (*number < '1' || *number > '9' || *end != '-' || pid > INT32_MAX)
		return false;
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static struct error *sweep_temporaries(const char *dir)
{
	_cleanup_result_names_ struct result_names names = { 0 };
	struct error *err = list(dir, is_temporary_name, by_name, &names);

	for (size_t i = 0; !err && i < names.names.n; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", dir, names.names.at[i]);

		if (is_of_the_dead(names.names.at[i]))
			unlink(path);
	}
	return err;
}

static bool is_frames_name(const char *name)
{
	return *name != '.' && str_ends_with(name, RESULT_FRAMES_FILE_TAIL);
}

/* Its record was started by somebody who is gone. A file without a record is not ours to judge. */
static bool is_unfinished(const char *dir, const char *frames)
{
	int n = (int)(strlen(frames) - strlen(RESULT_FRAMES_FILE_TAIL));
	_cleanup_free_ char *path = xasprintf("%s/%.*s" RESULT_RECORD_FILE_TAIL, dir, n, frames);
	_cleanup_result_run_ struct result_run run = { 0 };
	_cleanup_error_ struct error *err = result_run_read(path, &run);

	return !err && run.state == RESULT_STARTED && !result_run_has_runner(&run);
}

/* A record that could not be replaced has its result under another name, with these frames. */
static bool is_named_by(const char *dir, const struct result_names *records, const char *frames)
{
	for (size_t i = 0; i < records->names.n; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", dir, records->names.at[i]);
		_cleanup_result_run_ struct result_run run = { 0 };
		_cleanup_error_ struct error *err = result_run_read(path, &run);

		if (!err && run.frames_file && strcmp(run.frames_file, frames) == 0)
			return true;
	}
	return false;
}

static struct error *sweep_frames(const char *dir)
{
	_cleanup_result_names_ struct result_names records = { 0 }, frames = { 0 };
	struct error *err = list(dir, is_frames_name, by_name, &frames);

	if (!err)
		err = result_dir_records(dir, &records);
	for (size_t i = 0; !err && i < frames.names.n; i++) {
		const char *name = frames.names.at[i];
		_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);

		if (is_unfinished(dir, name) && !is_named_by(dir, &records, name))
			unlink(path);
	}
	return err;
}

struct error *result_dir_sweep(const char *dir)
{
	struct error *err = sweep_locks(dir);

	if (err)
		return err;
	err = sweep_temporaries(dir);
	return err ? err : sweep_frames(dir);
}
