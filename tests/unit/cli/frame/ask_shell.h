/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a real shell answers: the only reader of a completion that counts. */
#ifndef KTSTR_TESTS_CLI_ASK_SHELL_H
#define KTSTR_TESTS_CLI_ASK_SHELL_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "unit.h"

/* Standard output of the command, which must succeed. */
static inline char *ask_shell(const char *const argv[])
{
	struct strbuf answer = STRBUF_INIT;
	int out[2], status;
	pid_t pid;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	close(out[1]);
	assert_success(io_read_fd(out[0], argv[0], 1 << 16, &answer));
	close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return answer.at ? strbuf_take(&answer) : xstrdup("");
}

/* Some shells are not on every machine. */
static inline bool has_shell(const char *name)
{
	_cleanup_free_ char *path = xasprintf("/usr/bin/%s", name);

	return access(path, X_OK) == 0;
}

#endif
