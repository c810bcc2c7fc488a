// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/link/exec.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/slice.h"

enum {
	LINE_SHOWN = 240,
	LOG_MOST_BYTES = 16 << 20,
	LOG_KEPT_BYTES = 4 << 20,
	BLOCK = 4096,
};

static const struct {
	const char *text;
	enum vm_console_sign sign;
} signs[] = {
	{ "Kernel panic - not syncing: Out of memory", VM_CONSOLE_OOM_PANIC },
	{ "Kernel panic - not syncing: System is deadlocked on memory", VM_CONSOLE_OOM_PANIC },
	{ "Kernel panic - not syncing", VM_CONSOLE_PANIC },
	{ "BUG: soft lockup", VM_CONSOLE_STALL },
	{ "Watchdog detected hard LOCKUP", VM_CONSOLE_STALL },
	{ "BUG: workqueue lockup", VM_CONSOLE_STALL },
	{ "self-detected stall on CPU", VM_CONSOLE_STALL },
	{ "detected stalls on CPUs", VM_CONSOLE_STALL },
	{ "detected expedited stalls on CPUs", VM_CONSOLE_STALL },
	{ "blocked for more than", VM_CONSOLE_STALL },
	{ "Oops: ", VM_CONSOLE_OOPS },
	{ "BUG: unable to handle", VM_CONSOLE_OOPS },
	{ "BUG: kernel NULL pointer dereference", VM_CONSOLE_OOPS },
	/* Until 6.9 most faults did not call themselves an oops, but all are numbered. */
	{ " [#1] ", VM_CONSOLE_OOPS },
	{ "kernel BUG at ", VM_CONSOLE_OOPS },
	{ "Out of memory: Killed process", VM_CONSOLE_OOM },
	{ "Memory cgroup out of memory: Killed process", VM_CONSOLE_OOM },
	{ "ktstr-agent: fatal:", VM_CONSOLE_AGENT },
};

static void append_clean(struct strbuf *into, struct slice line)
{
	while (line.n && (line.at[line.n - 1] == '\r' || line.at[line.n - 1] == ' '))
		line.n--;
	for (size_t i = 0; i < line.n && i < LINE_SHOWN; i++)
		strbuf_append_char(into,
				   line.at[i] >= 0x20 && line.at[i] < 0x7f ? line.at[i] : '?');
}

static enum vm_console_sign sign_of(struct slice line)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (memmem(line.at, line.n, signs[i].text, strlen(signs[i].text)))
			return signs[i].sign;
	return VM_CONSOLE_QUIET;
}

enum vm_console_sign vm_console_read_signs(const char *text, size_t n, struct strbuf *into)
{
	enum vm_console_sign gravest = VM_CONSOLE_QUIET;
	struct slice rest = { text, n }, line, found = { text, 0 };

	while (slice_take_line(&rest, &line)) {
		enum vm_console_sign sign = sign_of(line);

		if (sign > gravest) {
			gravest = sign;
			found = line;
		}
	}
	append_clean(into, found);
	return gravest;
}

/* The number after "Killed process "; 0: there is none. */
static uint32_t killed_process(struct slice line)
{
	static const char mark[] = "Killed process ";
	const char *at = memmem(line.at, line.n, mark, strlen(mark));
	struct slice rest;
	uint64_t pid;

	if (!at)
		return 0;
	at += strlen(mark);
	rest = (struct slice){ at, (size_t)(line.at + line.n - at) };
	return slice_take_u64(&rest, &pid) && pid <= UINT32_MAX ? (uint32_t)pid : 0;
}

size_t vm_console_read_oom_pids(const char *text, size_t n, uint32_t *ret, size_t most)
{
	struct slice rest = { text, n }, line;
	size_t found = 0;

	while (found < most && slice_take_line(&rest, &line)) {
		uint32_t pid = sign_of(line) == VM_CONSOLE_OOM ? killed_process(line) : 0;

		if (pid)
			ret[found++] = pid;
	}
	return found;
}

uint64_t vm_console_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

void vm_console_trim(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || (uint64_t)st.st_blocks * 512 <= LOG_MOST_BYTES)
		return;
	/* A file system that knows no holes keeps it all: nothing better can be done there. */
	(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			(st.st_size - LOG_KEPT_BYTES) / BLOCK * BLOCK);
}

struct error *vm_console_read_from(const char *path, uint64_t from, size_t limit_bytes,
				   struct strbuf *into)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t before = into->n;
	char buf[8192];

	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0)
		return base_error(BASE_IO, errno, "cannot read the console log %s", path);
	while (into->n - before < limit_bytes) {
		size_t left = limit_bytes - (into->n - before);
		ssize_t n = pread(fd, buf, left < sizeof(buf) ? left : sizeof(buf),
				  (off_t)(from + (into->n - before)));

		if (n < 0)
			return base_error(BASE_IO, errno, "cannot read the console log %s", path);
		if (n == 0)
			break;
		strbuf_append_bytes(into, buf, (size_t)n);
	}
	return NULL;
}

struct error *vm_console_read_tail(const char *path, size_t limit_bytes, struct strbuf *into)
{
	uint64_t size = vm_console_size(path);
	size_t before = into->n, cut;
	struct error *err;
	char *nl;

	if (size <= limit_bytes)
		return vm_console_read_from(path, 0, limit_bytes, into);
	/* One byte more shows whether the first line is complete. */
	err = vm_console_read_from(path, size - limit_bytes - 1, limit_bytes + 1, into);
	if (err || into->n == before)
		return err;
	/* An incomplete first line is dropped. */
	nl = memchr(into->at + before, '\n', into->n - before);
	cut = nl ? (size_t)(nl + 1 - (into->at + before)) : into->n - before;
	memmove(into->at + before, into->at + before + cut, into->n - before - cut);
	into->n -= cut;
	into->at[into->n] = 0;
	return NULL;
}
