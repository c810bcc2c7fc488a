// SPDX-License-Identifier: LGPL-2.1-or-later
#include "host/accounting.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/io.h"
#include "host/limits.h"

#define WORD(id, word) word,
const char *const host_delayacct_names[] = { HOST_DELAYACCT_STATES(WORD) };
const char *const host_xacct_names[] = { HOST_XACCT_STATES(WORD) };
#undef WORD

static bool has_line(const char *text, size_t n, const char *line)
{
	size_t line_n = strlen(line);

	for (const char *at = text, *end = text + n; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		if ((size_t)(stop - at) == line_n && memcmp(at, line, line_n) == 0)
			return true;
		at = newline ? newline + 1 : end;
	}
	return false;
}

enum host_xacct host_xacct_parse(const char *text, size_t n)
{
	if (has_line(text, n, "CONFIG_TASK_XACCT=y"))
		return HOST_XACCT_ON;
	if (has_line(text, n, "# CONFIG_TASK_XACCT is not set"))
		return HOST_XACCT_OFF;
	return HOST_XACCT_UNKNOWN;
}

/* Compressed or not. False when it cannot be read whole. */
static bool read_config(const char *path, struct strbuf *into)
{
	gzFile file = gzopen(path, "re");
	char part[65536];
	int n;

	if (!file)
		return false;
	while ((n = gzread(file, part, sizeof(part))) > 0 &&
	       into->n + (size_t)n <= HOST_LIMIT_FILE_BYTES)
		strbuf_append_bytes(into, part, (size_t)n);
	/* A file that was cut in the middle fails only when it is closed. */
	return gzclose(file) == Z_OK && n == 0;
}

static enum host_xacct read_xacct(const char *root)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/config.gz", root);
	_cleanup_free_ char *release = xasprintf("%s/proc/sys/kernel/osrelease", root);
	_cleanup_free_ char *boot = NULL;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;

	if (read_config(path, &text))
		return host_xacct_parse(strbuf_str(&text), text.n);
	err = io_read_file(release, HOST_LIMIT_FILE_BYTES, &name);
	if (err)
		return HOST_XACCT_UNKNOWN;
	boot = xasprintf("%s/boot/config-%.*s", root, (int)strcspn(strbuf_str(&name), "/\n"),
			 strbuf_str(&name));
	strbuf_clear(&text);
	if (read_config(boot, &text))
		return host_xacct_parse(strbuf_str(&text), text.n);
	return HOST_XACCT_UNKNOWN;
}

static enum host_delayacct read_delayacct(const char *root)
{
	_cleanup_free_ char *folder = xasprintf("%s/proc/sys/kernel", root);
	_cleanup_free_ char *path = xasprintf("%s/task_delayacct", folder);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, HOST_LIMIT_FILE_BYTES, &text);

	if (err && (error_errno(err) != ENOENT || access(folder, F_OK) != 0))
		return HOST_DELAYACCT_UNKNOWN;
	while (text.n && strchr(" \t\n", text.at[text.n - 1]))
		text.at[--text.n] = '\0';
	/* The switch is there since Linux 5.14 in every kernel that can count. */
	if (err || text.n == 0)
		return HOST_DELAYACCT_CONFIG_OFF;
	return strcmp(text.at, "1") == 0 ? HOST_DELAYACCT_ON : HOST_DELAYACCT_RUNTIME_OFF;
}

void host_accounting_read(const char *root, struct host_accounting *ret)
{
	*ret = (struct host_accounting){ read_delayacct(root), read_xacct(root) };
}
