// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/run_record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/paths.h"
#include "procfs/task.h"
#include "result/limits.h"
#include "result/new_file.h"

struct result_record {
	char *dir, *stem; /* "<test>-<id>" */
	char *path;
	char *run_id;
	struct strbuf head;
};

void result_record_free(struct result_record *record)
{
	if (!record)
		return;
	free(record->dir);
	free(record->stem);
	free(record->path);
	free(record->run_id);
	strbuf_deinit(&record->head);
	free(record);
}

const char *result_record_path(const struct result_record *record)
{
	return record->path;
}

/* Both become part of a file's name. */
static struct error *check_name(const char *what, const char *text)
{
	if (!text || !*text || *text == '.' || strchr(text, '/'))
		return base_error(BASE_PARSE, 0, "\"%s\" cannot be the %s of a record",
				  text ? text : "", what);
	if (strlen(text) > RESULT_LIMIT_TEST_NAME)
		return base_error(BASE_LIMIT, 0, "the %s of a record is longer than %d bytes: %s",
				  what, RESULT_LIMIT_TEST_NAME, text);
	return NULL;
}

/* Publishes the bytes under the first free name of this variant. */
static struct error *write_new(const struct result_record *record, const struct strbuf *text,
			       char **ret_path)
{
	_cleanup_result_new_file_ struct result_new_file file = { .fd = -1 };
	struct error *err = paths_make(record->dir, 0777);

	if (!err)
		err = result_new_file_init(&file, record->dir, RESULT_NEW_FILE_UNNAMED, text->at,
					   text->n);
	if (err)
		return err;
	for (int i = 1; i <= RESULT_LIMIT_RECORD_NAMES; i++) {
		_cleanup_free_ char *path = i == 1 ? xasprintf("%s/%s.ktstr.json", record->dir,
							       record->stem)
						   : xasprintf("%s/%s-%d.ktstr.json", record->dir,
							       record->stem, i);

		err = result_new_file_publish(&file, path);
		if (!err)
			*ret_path = take_ptr(path);
		if (!err || error_errno(err) != EEXIST)
			return err;
		error_free(err);
	}
	return base_error(BASE_LIMIT, 0, "%s holds %d records of %s already", record->dir,
			  RESULT_LIMIT_RECORD_NAMES, record->stem);
}

static uint64_t own_start_time(void)
{
	struct procfs_stat stat = { 0 };
	_cleanup_error_ struct error *err = procfs_stat_read("/proc", getpid(), &stat);

	return stat.start_time_jiffies;
}

struct error *result_record_begin(const char *dir, const struct result_run *head,
				  struct result_record **ret)
{
	static atomic_uint counter;
	struct result_stamp stamp = {
		.unix_sec = clock_unix_sec(),
		.pid = (uint64_t)getpid(),
		.start_time_jiffies = own_start_time(),
		.counter = atomic_fetch_add(&counter, 1),
	};
	_cleanup_result_run_record_ struct result_record *record = xnew(struct result_record);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = check_name("test", head->test);

	if (!err)
		err = check_name("id", head->id);
	if (err)
		return err;
	record->dir = xstrdup(dir);
	record->stem = xasprintf("%s-%s", head->test, head->id);
	record->run_id = result_format_run_id(&stamp);
	result_format_head(head, &stamp, &record->head);
	result_format_started(&record->head, &text);
	if (text.n > RESULT_LIMIT_RECORD_BYTES)
		return base_error(BASE_LIMIT, 0, "a record of %zu bytes", text.n);
	err = write_new(record, &text, &record->path);
	if (err)
		return error_wrap(err, "the record of %s", head->test);
	*ret = take_ptr(record);
	return NULL;
}

static struct error *was_removed(const struct result_record *record)
{
	return base_error(BASE_ABSENT, 0, "%s was removed during the run", record->path);
}

static struct error *read_back(const struct result_record *record, struct strbuf *into)
{
	/* A link may lead to a foreign file. */
	struct error *err = io_read_regular(record->path, O_NOFOLLOW, RESULT_LIMIT_RECORD_BYTES,
					    into);

	if (!error_is(err, &base_error_domain, BASE_ABSENT))
		return err;
	error_free(err);
	return was_removed(record);
}

static struct error *replace_locked(const struct result_record *record,
				    const struct result_record_result *result)
{
	_cleanup_strbuf_ struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
	_cleanup_result_new_file_ struct result_new_file file = { .fd = -1 };
	struct json_text kept = { 0 };
	size_t n_kept = 0;
	struct error *err = read_back(record, &before);

	if (!err)
		err = result_find_kept(strbuf_str(&before), before.n, record->path, record->run_id,
				       &kept, &n_kept);
	if (!err)
		err = result_format_finished(&record->head, result, kept, n_kept, NULL, &after);
	if (!err)
		err = result_new_file_init(&file, record->dir, RESULT_NEW_FILE_UNNAMED, after.at,
					   after.n);
	if (!err)
		err = result_new_file_replace(&file, record->path);
	return err;
}

/* After a cancel the wait for the lock is short, but a free lock is still taken. */
static struct error *lock_for_finish(const char *path, const struct cancel *cancel, int *ret_fd)
{
	struct error *err = result_lock_acquire(path, RESULT_LIMIT_LOCK_MS * NS_PER_MS, cancel,
						ret_fd);

	if (!error_is(err, &base_error_domain, BASE_CANCELLED))
		return err;
	error_free(err);
	return result_lock_acquire(path, RESULT_LIMIT_HURRY_MS * NS_PER_MS, NULL, ret_fd);
}

static struct error *replace(const struct result_record *record,
			     const struct result_record_result *result, const struct cancel *cancel)
{
	_cleanup_free_ char *lock_path = xasprintf("%s.lock", record->path);
	_cleanup_close_ int lock_fd = -1;
	struct error *err;

	/* Before the lock: a directory that is gone has no place for it. */
	if (access(record->path, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR))
		return was_removed(record);
	err = lock_for_finish(lock_path, cancel, &lock_fd);
	if (err)
		return err;
	err = replace_locked(record, result);
	/*
	 * While it is held: a waiting process sees that the file has no name any more and creates
	 * the next one (lock.h), so removing it lets no one in who should wait.
	 */
	unlink(lock_path);
	return err;
}

static struct error *write_elsewhere(struct result_record *record,
				     const struct result_record_result *result, const char *problem)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char *path = NULL;
	struct error *err = result_format_finished(&record->head, result, (struct json_text){ 0 },
						   0, problem, &text);

	if (!err)
		err = write_new(record, &text, &path);
	if (err)
		return err;
	free(record->path);
	record->path = path;
	return NULL;
}

struct error *result_record_finish(struct result_record *record,
				   const struct result_record_result *result,
				   const struct cancel *cancel, struct error **ret_problem)
{
	_cleanup_error_ struct error *problem = replace(record, result, cancel);
	_cleanup_error_ struct error *err = NULL;

	if (problem)
		err = write_elsewhere(record, result, error_message(problem));
	if (err)
		return error_wrap(take_ptr(problem),
				  "the result is not recorded (nor under another name: %s)",
				  error_message(err));
	*ret_problem = take_ptr(problem);
	return NULL;
}

bool result_run_has_runner(const struct result_run *run)
{
	_cleanup_error_ struct error *err = NULL;
	struct procfs_stat stat;

	if (!run->runner_pid || run->runner_pid > INT32_MAX)
		return false;
	err = procfs_stat_read("/proc", (pid_t)run->runner_pid, &stat);
	/* The number may belong to another process by now. */
	return !err && run->runner_start_jiffies == stat.start_time_jiffies;
}

void result_run_deinit(struct result_run *run)
{
	json_rows_deinit(&result_head_rows, run);
	json_rows_deinit(&result_verdict_rows, run);
	json_rows_deinit(&result_fact_rows, run);
	*run = (struct result_run){ 0 };
}

struct error *result_run_parse(const char *text, size_t n, const char *label,
			       struct result_run *ret)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_result_run_ struct result_run run = { 0 };
	struct error *err = json_doc_parse(text, n, label, &doc);
	const struct json_value *root;

	if (err)
		return err;
	root = json_doc_root(doc);
	if (!json_find(root, result_state_rows.version_name))
		err = base_error(BASE_PARSE, 0, "not a record of a test run: it has no `%s`",
				 result_state_rows.version_name);
	if (!err)
		err = json_rows_read(&result_state_rows, root, "", &run);
	if (!err)
		err = json_rows_read(&result_head_rows, root, "", &run);
	if (!err && run.state == RESULT_FINISHED)
		err = json_rows_read(&result_verdict_rows, root, "", &run);
	if (!err && run.state == RESULT_FINISHED)
		err = json_rows_read(&result_fact_rows, root, "", &run);
	if (err)
		return error_wrap(err, "%s", label);
	*ret = run;
	run = (struct result_run){ 0 };
	return NULL;
}

struct error *result_run_read(const char *path, struct result_run *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = io_read_regular(path, 0, RESULT_LIMIT_RECORD_BYTES, &text);

	return err ? err : result_run_parse(strbuf_str(&text), text.n, path, ret);
}
