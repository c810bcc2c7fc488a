// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/system.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/io.h"
#include "procfs/task.h"

enum { POLL_MS = 10, NAMED = 20 };

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* A zombie holds no resources; it is reaped by its parent or by us. */
static bool lives(pid_t pid)
{
	struct procfs_stat stat;
	_cleanup_error_ struct error *err = procfs_stat_read("/proc", pid, &stat);

	return !err && stat.state != 'Z' && stat.state != 'X';
}

static void add(struct suite_cgroup_pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->rows.n; i++)
		if (pids->rows.at[i] == pid)
			return;
	if (pid > 0 && pid != getpid() && lives(pid))
		vec_push(&pids->rows, pid);
}

void suite_leftover_find(int subtree_fd, struct suite_cgroup_pids *ret)
{
	struct suite_cgroup_pids found = { 0 }, listed = { 0 };
	_cleanup_free_ char *path = xasprintf("/proc/self/task/%d/children", getpid());
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char *at, *word, *rest = NULL;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	if (subtree_fd >= 0)
		suite_cgroup_list(subtree_fd, &listed);
	for (size_t i = 0; i < listed.rows.n; i++)
		add(&found, listed.rows.at[i]);
	vec_deinit(&listed.rows);
	error_free(io_read_file(path, SUITE_LIMIT_PIDS_BYTES, &text));
	for (at = text.at; text.at && (word = strtok_r(at, " \n", &rest)); at = NULL)
		add(&found, atoi(word));
	*ret = found;
}

static bool none(int subtree_fd)
{
	struct suite_cgroup_pids pids;
	bool empty;

	suite_leftover_find(subtree_fd, &pids);
	empty = pids.rows.n == 0;
	vec_deinit(&pids.rows);
	return empty;
}

bool suite_leftover_wait(int subtree_fd, uint64_t limit_ms)
{
	uint64_t until = clock_monotonic_ns() + limit_ms * NS_PER_MS;

	while (!none(subtree_fd)) {
		if (clock_monotonic_ns() >= until)
			return false;
		sleep_ms(POLL_MS);
	}
	return true;
}

bool suite_leftover_kill(int subtree_fd, uint64_t limit_ms)
{
	uint64_t until = clock_monotonic_ns() + limit_ms * NS_PER_MS;

	for (;;) {
		struct suite_cgroup_pids pids;
		bool empty;

		/* By the kernel at once, so that nothing forks faster than we kill. */
		if (subtree_fd >= 0)
			error_free(suite_cgroup_kill(subtree_fd, limit_ms));
		suite_leftover_find(subtree_fd, &pids);
		empty = pids.rows.n == 0;
		for (size_t i = 0; i < pids.rows.n; i++)
			kill(pids.rows.at[i], SIGKILL);
		vec_deinit(&pids.rows);
		if (empty || clock_monotonic_ns() >= until)
			return empty;
		sleep_ms(POLL_MS);
	}
}

void suite_leftover_report(int subtree_fd, const char *what, struct suite_report_writer *report)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct suite_cgroup_pids pids;

	suite_leftover_find(subtree_fd, &pids);
	for (size_t i = 0; i < pids.rows.n && i < NAMED; i++) {
		struct procfs_stat stat = { .comm = "?", .state = '?' };

		error_free(procfs_stat_read("/proc", pids.rows.at[i], &stat));
		strbuf_appendf(&text, "%s%d (%s, state %c)", i ? ", " : "", pids.rows.at[i],
			       stat.comm, stat.state);
	}
	if (pids.rows.n)
		suite_report_partf(report, KTSTR_REASON_LEFTOVER, "%s (%zu): %s%s", what,
				   pids.rows.n, strbuf_str(&text),
				   pids.rows.n > NAMED ? " and more" : "");
	vec_deinit(&pids.rows);
}
