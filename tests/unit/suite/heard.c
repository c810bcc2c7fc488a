// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite/heard.h"

#include <sys/mman.h>

#include "unit.h"

#include "base/io.h"

void heard_init(struct heard *heard)
{
	*heard = (struct heard){ .file = memfd_create("report", MFD_CLOEXEC) };
	assert_true(heard->file >= 0);
	suite_report_writer_init(&heard->report, dup(heard->file), 0);
}

void heard_deinit(struct heard *heard)
{
	suite_report_writer_deinit(&heard->report);
	close(heard->file);
	free(heard->text);
}

const char *heard_text(struct heard *heard)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	off_t at = lseek(heard->file, 0, SEEK_SET);

	assert_int_equal(at, 0);
	assert_success(io_read_fd(heard->file, "report", 64 << 20, &text));
	free(heard->text);
	heard->text = strdup(strbuf_str(&text));
	return heard->text;
}
