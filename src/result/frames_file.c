// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/frames.h"

#include <unistd.h>

#include "base/io.h"
#include "result/limits.h"
#include "result/new_file.h"

struct error *result_frames_write(const char *dir, const char *path,
				  const struct result_frames *frames)
{
	_cleanup_result_new_file_ struct result_new_file file = { .fd = -1 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err;

	result_frames_format(frames, &text);
	err = result_new_file_init(&file, dir, RESULT_NEW_FILE_UNNAMED, text.at, text.n);
	if (err)
		return err;
	err = result_new_file_publish(&file, path);
	if (!err || error_errno(err) != EEXIST)
		return err;
	/* Of a record that was removed. */
	error_free(err);
	unlink(path);
	return result_new_file_publish(&file, path);
}

struct error *result_frames_read(const char *path, struct result_frames *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = io_read_regular(path, 0, RESULT_LIMIT_FRAMES_BYTES, &text);

	return err ? err : result_frames_parse(strbuf_str(&text), text.n, path, ret);
}
