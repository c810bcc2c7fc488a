// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/small_file.h"

#include <fcntl.h>

#include "base/io.h"

bool small_file_read(int dir, const char *file, struct strbuf *into)
{
	_cleanup_close_ int fd = openat(dir, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_error_ struct error *err = NULL;

	strbuf_clear(into);
	if (fd < 0)
		return false;
	err = io_read_fd(fd, file, SMALL_FILE_BYTES, into);
	return !err;
}

struct reading reading_read(int dir, const char *file)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!small_file_read(dir, file, &text))
		return (struct reading){ 0 };
	return reading_parse(strbuf_str(&text), text.n);
}

struct limit limit_read(int dir, const char *file)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!small_file_read(dir, file, &text))
		return (struct limit){ 0 };
	return limit_parse(strbuf_str(&text), text.n);
}

uint32_t text_read(int dir, const char *file, struct intern *names)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	return small_file_read(dir, file, &text) ? text_intern(strbuf_str(&text), text.n, names)
						 : 0;
}

void named_readings_read(int dir, const char *file, struct intern *names,
			 struct named_readings *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	*ret = (struct named_readings){ 0 };
	if (small_file_read(dir, file, &text))
		named_readings_parse(strbuf_str(&text), text.n, names, ret);
}
