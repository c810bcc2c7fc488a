// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/payload.h"

#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"

/* As the kernel: longer lines are cut (BINPRM_BUF_SIZE, 256 since 5.1). */
enum { SCRIPT_LINE_BYTES = 256 };

/* The file that exec() would take; false when there is none. */
static bool find_program(const char *program, const char *path, struct strbuf *ret)
{
	while (!strchr(program, '/') && path) {
		size_t n = strcspn(path, ":");

		strbuf_clear(ret);
		strbuf_append_bytes(ret, n ? path : ".", n ? n : 1);
		strbuf_append_char(ret, '/');
		strbuf_append(ret, program);
		if (access(strbuf_str(ret), F_OK) == 0)
			return true;
		path = path[n] ? path + n + 1 : NULL;
	}
	strbuf_clear(ret);
	strbuf_append(ret, program);
	return strchr(program, '/') && access(program, F_OK) == 0;
}

/* The word behind "#!"; empty when the file is no script. */
static void read_interpreter(const char *path, char ret[static SCRIPT_LINE_BYTES])
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, SCRIPT_LINE_BYTES - 1);
	size_t from;

	if (n < 2 || memcmp(ret, "#!", 2) != 0) {
		ret[0] = '\0';
		return;
	}
	ret[n] = '\0';
	from = 2 + strspn(ret + 2, " \t");
	memmove(ret, ret + from, strlen(ret + from) + 1);
	ret[strcspn(ret, " \t\n")] = '\0';
}

void suite_payload_missing_explain(const char *program, const char *path, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf found = STRBUF_INIT;
	char interpreter[SCRIPT_LINE_BYTES];

	if (!find_program(program, path, &found)) {
		strbuf_appendf(into, "there is no program %s here: name it in .files of the test",
			       program);
		return;
	}
	read_interpreter(strbuf_str(&found), interpreter);
	if (strchr(interpreter, '\r'))
		strbuf_appendf(into, "%s is a script whose first line ends with a carriage return",
			       strbuf_str(&found));
	else if (interpreter[0])
		strbuf_appendf(
			into,
			"%s is a script and its interpreter %s is not here: name the "
			"interpreter in .files of the test, and begin the script with its path in "
			"the guest",
			strbuf_str(&found), interpreter);
	else
		strbuf_appendf(into,
			       "%s is here, but the loader it asks for is not: link it statically, "
			       "or name it in .files of the test, which brings its libraries",
			       strbuf_str(&found));
}
