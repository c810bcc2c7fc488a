// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/past_run.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "json/doc.h"
#include "result/limits.h"
#include "result/run_record_text.h"

static void texts_deinit(struct past_texts *texts)
{
	for (size_t i = 0; i < texts->list.n; i++)
		free(texts->list.at[i]);
	vec_deinit(&texts->list);
}

static void file_deinit(struct past_file *file)
{
	free(file->name);
	free(file->path);
	free(file->hash);
	free(file->build_id);
}

void past_run_deinit(struct past_run *run)
{
	char *texts[] = {
		run->test,
		run->id,
		run->name,
		run->suite,
		run->source,
		run->topology,
		run->scheduler,
		run->timestamp,
		run->run_id,
		run->kernel.id,
		run->kernel.release,
		run->kernel.build_id,
		run->kernel.source,
		run->why,
		run->kept_dir,
		run->problem,
		run->rerun.test,
		run->rerun.topology,
		run->rerun.kernel_id,
		run->rerun.kernel_build_id,
		run->rerun.command,
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	for (size_t i = 0; i < run->parts.n; i++) {
		free(run->parts.at[i].text);
		free(run->parts.at[i].file);
	}
	vec_deinit(&run->parts);
	texts_deinit(&run->notes);
	texts_deinit(&run->sysctls);
	texts_deinit(&run->rerun.kernel_args);
	texts_deinit(&run->rerun.scheduler_argv);
	file_deinit(&run->rerun.binary);
	for (size_t i = 0; i < run->rerun.files.n; i++)
		file_deinit(&run->rerun.files.at[i]);
	vec_deinit(&run->rerun.files);
	*run = (struct past_run){ 0 };
}

static struct error *wrong(const char *member, const char *what)
{
	return base_error(BASE_PARSE, 0, "`%s` %s", member, what);
}

static struct error *copy_text(const struct json_value *value, const char *member, char **ret)
{
	struct json_text text = json_string(value);

	if (!text.at)
		return wrong(member, "is no text");
	if (text.n > RECORD_TEXT_BYTES_LIMIT)
		return base_error(BASE_LIMIT, 0, "`%s` is longer than %d bytes", member,
				  RECORD_TEXT_BYTES_LIMIT);
	/* It would be cut there, and become another path or argument. */
	if (memchr(text.at, '\0', text.n))
		return wrong(member, "holds a NUL");
	*ret = xstrndup(text.at, text.n);
	return NULL;
}

/* Absent and null are the same: nobody knew. */
static const struct json_value *find_known(const struct json_value *object, const char *member)
{
	const struct json_value *value = json_find(object, member);

	return value && json_type_of(value) != JSON_NULL ? value : NULL;
}

struct text_row {
	const char *member;
	char **into;
	bool required;
};

static struct error *read_texts(const struct json_value *object, const struct text_row *rows,
				size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct json_value *value = find_known(object, rows[i].member);
		struct error *err = NULL;

		if (value)
			err = copy_text(value, rows[i].member, rows[i].into);
		else if (rows[i].required)
			err = wrong(rows[i].member, "is missing");
		if (err)
			return err;
	}
	return NULL;
}

static struct error *read_number(const struct json_value *object, const char *member, uint64_t *ret)
{
	const struct json_value *value = find_known(object, member);

	if (value && !json_get_u64(value, ret))
		return wrong(member, "is no number that is whole and not negative");
	return NULL;
}

/* An iterator over nothing when it is absent. */
static struct error *open_list(const struct json_value *object, const char *member,
			       struct json_iter *ret)
{
	const struct json_value *value = find_known(object, member);

	if (value && json_type_of(value) != JSON_ARRAY)
		return wrong(member, "is no list");
	if (value && json_length(value) > RECORD_LIST_LIMIT)
		return base_error(BASE_LIMIT, 0, "`%s` has more than %d elements", member,
				  RECORD_LIST_LIMIT);
	*ret = value ? json_iter_over(value) : (struct json_iter){ 0 };
	return NULL;
}

static struct error *read_text_list(const struct json_value *object, const char *member,
				    struct past_texts *ret)
{
	struct json_iter it;
	struct error *err = open_list(object, member, &it);

	while (!err && json_iter_next(&it)) {
		char *text = NULL;

		err = copy_text(it.value, member, &text);
		if (!err)
			vec_push(&ret->list, text);
	}
	return err;
}

static struct error *read_file(const struct json_value *object, struct past_file *ret)
{
	const struct text_row rows[] = {
		{ "name", &ret->name, false },
		{ "path", &ret->path, true },
		{ "hash", &ret->hash, false },
		{ "build_id", &ret->build_id, false },
	};

	return read_texts(object, rows, ARRAY_SIZE(rows));
}

static struct error *read_files(const struct json_value *rerun, struct past_run *run)
{
	struct json_iter it;
	struct error *err = open_list(rerun, "files", &it);

	while (!err && json_iter_next(&it)) {
		struct past_file file = { 0 };

		err = read_file(it.value, &file);
		/* Also half a file: the run owns what was read of it. */
		vec_push(&run->rerun.files, file);
	}
	return err;
}

static struct error *read_rerun(const struct json_value *rerun, struct past_run *run)
{
	const struct text_row rows[] = {
		{ "test", &run->rerun.test, false },
		{ "topology", &run->rerun.topology, false },
		{ "kernel_id", &run->rerun.kernel_id, false },
		{ "kernel_build_id", &run->rerun.kernel_build_id, false },
		{ "command", &run->rerun.command, false },
	};
	const struct json_value *binary = find_known(rerun, "binary");
	struct error *err = read_texts(rerun, rows, ARRAY_SIZE(rows));

	if (!err && binary)
		err = read_file(binary, &run->rerun.binary);
	if (!err)
		err = read_number(rerun, "memory_bytes", &run->rerun.memory_bytes);
	if (!err)
		err = read_text_list(rerun, "kernel_args", &run->rerun.kernel_args);
	if (!err)
		err = read_text_list(rerun, "scheduler_argv", &run->rerun.scheduler_argv);
	return err ? err : read_files(rerun, run);
}

static struct error *read_head(const struct json_value *root, struct past_run *run)
{
	const struct text_row rows[] = {
		{ "test_name", &run->test, true },	 { "variant_id", &run->id, true },
		{ "name", &run->name, false },		 { "suite", &run->suite, false },
		{ "source", &run->source, false },	 { "topology", &run->topology, false },
		{ "scheduler", &run->scheduler, false }, { "timestamp", &run->timestamp, false },
		{ "run_id", &run->run_id, false },
	};
	const struct text_row kernel_rows[] = {
		{ "id", &run->kernel.id, false },
		{ "release", &run->kernel.release, false },
		{ "build_id", &run->kernel.build_id, false },
		{ "source", &run->kernel.source, false },
	};
	const struct json_value *runner = json_find(root, "runner");
	struct error *err = read_texts(root, rows, ARRAY_SIZE(rows));

	if (!err)
		err = read_texts(json_find(root, "kernel"), kernel_rows, ARRAY_SIZE(kernel_rows));
	if (!err)
		err = read_text_list(root, "sysctls", &run->sysctls);
	if (!err)
		err = read_number(runner, "pid", &run->runner_pid);
	if (!err)
		err = read_number(runner, "start_time_jiffies", &run->runner_start_jiffies);
	return err ? err : read_rerun(json_find(root, "rerun"), run);
}

static struct error *read_reason(const struct json_value *object, enum ktstr_reason *ret_reason,
				 enum ktstr_verdict *ret_verdict)
{
	struct json_text verdict = json_string(json_find(object, "verdict"));
	struct json_text reason = json_string(json_find(object, "reason"));

	if (!verdict.at || !verdict_find(verdict.at, verdict.n, ret_verdict))
		return wrong("verdict", "is missing or no word of this version");
	if (!reason.at || !reason_find(reason.at, reason.n, ret_reason))
		return wrong("reason", "is missing or no word of this version");
	if (reason_verdict(*ret_reason) != *ret_verdict)
		return base_error(BASE_PARSE, 0, "the reason %s does not give the verdict %s",
				  reason_word(*ret_reason), verdict_word(*ret_verdict));
	return NULL;
}

static struct error *read_part(const struct json_value *object, struct outcome_part *ret)
{
	const struct text_row rows[] = {
		{ "text", &ret->text, true },
		{ "file", &ret->file, false },
	};
	enum ktstr_verdict verdict;
	struct error *err = read_reason(object, &ret->reason, &verdict);
	uint64_t line = 0;

	if (!err)
		err = read_texts(object, rows, ARRAY_SIZE(rows));
	if (!err)
		err = read_number(object, "line", &line);
	if (!err && line > INT32_MAX)
		err = wrong("line", "is too large");
	ret->line = (int)line;
	return err;
}

static struct error *read_parts(const struct json_value *root, struct past_run *run)
{
	struct json_iter it;
	struct error *err = open_list(root, "parts", &it);

	while (!err && json_iter_next(&it)) {
		struct outcome_part part = { 0 };

		err = read_part(it.value, &part);
		vec_push(&run->parts, part);
	}
	return error_wrap(err, "parts");
}

static struct error *read_outcome(const struct json_value *root, struct past_run *run)
{
	const struct text_row rows[] = {
		{ "why", &run->why, true },
		{ "kept_dir", &run->kept_dir, false },
		{ "record_problem", &run->problem, false },
	};
	struct error *err = read_reason(root, &run->reason, &run->verdict);

	if (!err)
		err = read_texts(root, rows, ARRAY_SIZE(rows));
	if (!err)
		err = read_number(root, "wall_ms", &run->wall_ms);
	run->has_wall = !err && find_known(root, "wall_ms");
	if (!err)
		err = read_parts(root, run);
	return err ? err : read_text_list(root, "notes", &run->notes);
}

static struct error *read_state(const struct json_value *root, bool *ret_finished)
{
	struct json_text state = json_string(json_find(root, "state"));
	uint64_t schema;

	if (json_type_of(root) != JSON_OBJECT || !json_get_u64(json_find(root, "schema"), &schema))
		return base_error(BASE_PARSE, 0, "no record of a test run: it has no `schema`");
	if (schema != RUN_RECORD_SCHEMA)
		return base_error(BASE_PARSE, 0,
				  "written by another version: its schema is %llu, known is %d",
				  (unsigned long long)schema, RUN_RECORD_SCHEMA);
	*ret_finished = json_text_is(state, "finished");
	if (!*ret_finished && !json_text_is(state, "started"))
		return wrong("state", "is neither \"started\" nor \"finished\"");
	return NULL;
}

struct error *past_run_parse(const char *text, size_t n, const char *label, struct past_run *ret)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_past_run_ struct past_run run = { 0 };
	struct error *err = json_doc_parse(text, n, label, &doc);
	const struct json_value *root;

	if (err)
		return err;
	root = json_doc_root(doc);
	err = read_state(root, &run.finished);
	if (!err)
		err = read_head(root, &run);
	if (!err && run.finished)
		err = read_outcome(root, &run);
	if (err)
		return error_wrap(err, "%s", label);
	*ret = run;
	run = (struct past_run){ 0 };
	return NULL;
}

struct error *past_run_read(const char *path, struct past_run *ret)
{
	/* Not blocking: opening a FIFO would wait for a writer that never comes. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err;
	struct stat st;

	if (fd < 0)
		return base_error(errno == ENOENT ? BASE_ABSENT : BASE_IO, errno, "open %s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return base_error(BASE_IO, 0, "%s is not a regular file", path);
	err = io_read_fd(fd, path, RECORD_BYTES_LIMIT, &text);
	return err ? err : past_run_parse(strbuf_str(&text), text.n, path, ret);
}
