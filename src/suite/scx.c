// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/scheduler.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/slice.h"

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

#define SWITCH "events/sched_ext/sched_ext_dump/enable"

static bool write_switch(const char *tracing, const char *value)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", tracing, SWITCH);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, value, strlen(value)) > 0;
}

bool suite_scx_dump_enable(const char *tracing)
{
	return write_switch(tracing, "1");
}

void suite_scx_dump_disable(const char *tracing)
{
	(void)write_switch(tracing, "0");
}

void suite_scx_dump_lines(const char *trace, struct strbuf *into)
{
	static const char mark[] = " sched_ext_dump: ";

	while (*trace) {
		size_t n = strcspn(trace, "\n");
		const char *found = memmem(trace, n, mark, strlen(mark));

		if (found) {
			found += strlen(mark);
			strbuf_append_bytes(into, found, n - (size_t)(found - trace));
			strbuf_append_char(into, '\n');
		}
		trace += n + (trace[n] == '\n');
	}
}

void suite_scx_dump_read(const char *tracing, size_t limit_bytes, struct strbuf *into)
{
	_cleanup_free_ char *path = xasprintf("%s/trace_pipe", tracing);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	_cleanup_strbuf_ struct strbuf trace = STRBUF_INIT;
	char bytes[16384];
	ssize_t n;

	while (fd >= 0 && trace.n < limit_bytes) {
		n = read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		strbuf_append_bytes(&trace, bytes, (size_t)n);
	}
	suite_scx_dump_lines(strbuf_str(&trace), into);
}
