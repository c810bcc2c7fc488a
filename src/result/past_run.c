// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/run_record.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/io.h"
#include "result/limits.h"

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
	/* Not blocking: opening a FIFO would wait for a writer that never comes. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err;
	struct stat st;

	if (fd < 0)
		return base_error(errno == ENOENT ? BASE_ABSENT : BASE_IO, errno, "open %s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return base_error(BASE_IO, 0, "%s is not a regular file", path);
	err = io_read_fd(fd, path, RESULT_LIMIT_RECORD_BYTES, &text);
	return err ? err : result_run_parse(strbuf_str(&text), text.n, path, ret);
}
