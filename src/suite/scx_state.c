// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/scheduler.h"

#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/slice.h"
#include "suite/limits.h"

char *suite_scx_state_read_file(const char *sched_ext, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", sched_ext, name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, SUITE_LIMIT_SYSFS, &text);

	if (err)
		return NULL;
	while (text.n && text.at[text.n - 1] == '\n')
		text.at[--text.n] = '\0';
	return strbuf_take(&text);
}

void suite_scx_state_read(const char *sched_ext, struct suite_scx_state *ret)
{
	_cleanup_free_ char *name = suite_scx_state_read_file(sched_ext, "state");
	_cleanup_free_ char *seq = suite_scx_state_read_file(sched_ext, "enable_seq");

	*ret = (struct suite_scx_state){ 0 };
	if (name)
		snprintf(ret->name, sizeof(ret->name), "%s", name);
	if (seq)
		ret->has_enable_seq = slice_u64((struct slice){ seq, strlen(seq) },
						&ret->enable_seq);
}

bool suite_scx_state_is_enabled(const struct suite_scx_state *state)
{
	return strcmp(state->name, "enabled") == 0;
}

char *suite_scx_state_read_ops(const char *sched_ext)
{
	char *ops = suite_scx_state_read_file(sched_ext, "root/ops");

	if (ops && *ops && strcmp(ops, "(efault)") != 0)
		return ops;
	free(ops);
	return NULL;
}
