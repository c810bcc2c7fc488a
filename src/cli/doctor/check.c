// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"

enum { CHECK_FILE_LIMIT = 4 << 20 };

const struct check doctor_checks[] = {
#define CHECK_ROW_(name, what) { #name, check_##name },
	DOCTOR_CHECKS(CHECK_ROW_)
#undef CHECK_ROW_
};
const size_t doctor_n_checks = ARRAY_SIZE(doctor_checks);

const char *check_state_name(enum check_state state)
{
	static const char *const words[CHECK_N_STATES] = { "ok", "limited", "missing" };

	return words[state];
}

void finding_deinit(struct finding *finding)
{
	strbuf_deinit(&finding->text);
	strbuf_deinit(&finding->fix);
}

static void PRINTF_LIKE(3, 0)
	replace(struct strbuf *into, const char *prefix, const char *fmt, va_list args)
{
	strbuf_clear(into);
	strbuf_append(into, prefix);
	strbuf_vappendf(into, fmt, args);
}

void finding_say(struct finding *finding, enum check_state state, const char *fmt, ...)
{
	va_list args;

	finding->state = state;
	strbuf_clear(&finding->fix);
	va_start(args, fmt);
	replace(&finding->text, "", fmt, args);
	va_end(args);
}

void finding_fix(struct finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	replace(&finding->fix, "", fmt, args);
	va_end(args);
}

void finding_fix_as_root(struct finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	replace(&finding->fix, geteuid() == 0 ? "" : "sudo ", fmt, args);
	va_end(args);
}

bool check_read(const char *root, const char *path, struct strbuf *into)
{
	_cleanup_free_ char *full = xasprintf("%s%s", root, path);
	_cleanup_close_ int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_error_ struct error *err = NULL;

	if (fd < 0)
		return false;
	err = io_read_fd(fd, full, CHECK_FILE_LIMIT, into);
	return !err;
}

bool check_exists(const char *root, const char *path)
{
	_cleanup_free_ char *full = xasprintf("%s%s", root, path);

	return access(full, F_OK) == 0;
}

char *check_os_release(const char *root, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t n = strlen(name);

	if (!check_read(root, "/etc/os-release", &text))
		return NULL;
	for (const char *line = strbuf_str(&text); *line; line += strspn(line, "\n")) {
		size_t length = strcspn(line, "\n");

		if (length > n && strncmp(line, name, n) == 0 && line[n] == '=') {
			const char *value = line + n + 1;
			size_t left = length - n - 1;

			if (left >= 2 && value[0] == '"' && value[left - 1] == '"')
				return xstrndup(value + 1, left - 2);
			return xstrndup(value, left);
		}
		line += length;
	}
	return NULL;
}
