// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/io.h"
#include "procfs/task.h"
#include "procfs/thread_files.h"

DEFINE_ERROR_DOMAIN(fatal, FATAL, FATAL_ERRORS);

const char *fatal_tag(const struct error *err)
{
	const struct error_domain *domain = error_domain_of(err);

	if (domain == &probe_attach_error_domain || domain == &fatal_error_domain)
		return error_tag(err);
	return fatal_error_domain.kinds[FATAL_OTHER].tag;
}

enum { PTRACE_SCOPE_MAX_BYTES = 16 };

/* '0' to '3', or 0 when the kernel has no Yama. See Documentation/admin-guide/LSM/Yama.rst. */
static char read_ptrace_scope(const char *proc_root)
{
	_cleanup_free_ char *path = xasprintf("%s/sys/kernel/yama/ptrace_scope", proc_root);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, PTRACE_SCOPE_MAX_BYTES, &text);

	return err ? 0 : strbuf_str(&text)[0];
}

/* 0 when it is not traced, or that is unknown. */
static pid_t tracer_of(const char *proc_root, pid_t pid)
{
	pid_t tracer = 0;
	_cleanup_error_ struct error *unknown = procfs_status_pid_read(proc_root, pid, "TracerPid",
								       &tracer);

	return tracer;
}

void hint_permission(const char *proc_root, pid_t pid, struct strbuf *into)
{
	char scope = read_ptrace_scope(proc_root);
	pid_t tracer = tracer_of(proc_root, pid);

	/* A second tracer is refused to everybody, and to root for no other reason. */
	if (tracer) {
		strbuf_appendf(into, "it is traced by process %d already; only one can trace it",
			       (int)tracer);
		return;
	}

	if (scope >= '1' && scope <= '3')
		strbuf_appendf(into, "kernel.yama.ptrace_scope is %c: ", scope);
	switch (scope) {
	case '3':
		strbuf_append(into, "no process may read another one until the next boot");
		return;
	case '2':
		strbuf_append(into, "only CAP_SYS_PTRACE may read another process");
		return;
	case '1':
		strbuf_append(into, "a process may be read by its ancestors and with "
				    "CAP_SYS_PTRACE only");
		return;
	default:
		strbuf_append(into,
			      "reading another user's process, or one that changed its "
			      "privileges, needs CAP_SYS_PTRACE (root has it, unless a container "
			      "took it away)");
	}
}

/* A main thread may end before the others: then the process lives, but has no exe of its own. */
static bool has_other_threads(const char *proc_root, pid_t pid)
{
	struct procfs_task_dir tasks = { 0 };
	struct procfs_id_list list = { 0 };
	_cleanup_error_ struct error *err = procfs_task_dir_open(proc_root, pid, &tasks);
	bool several;

	if (!err)
		err = procfs_task_dir_list(&tasks, &list);
	several = !err && list.ids.n > 1;
	procfs_id_list_deinit(&list);
	procfs_task_dir_close(&tasks);
	return several;
}

void hint_exe(const char *proc_root, pid_t pid, int errnum, struct strbuf *into)
{
	struct procfs_stat stat;
	struct error *err;

	if (errnum == EACCES || errnum == EPERM) {
		hint_permission(proc_root, pid, into);
		return;
	}
	if (errnum != ENOENT)
		return;
	err = procfs_stat_read(proc_root, pid, &stat);
	if (!err && stat.state == 'Z' && has_other_threads(proc_root, pid))
		strbuf_append(into, "its main thread has ended while others run on; such a process "
				    "cannot be opened through its pid");
	else if (!err && stat.state == 'Z')
		strbuf_append(into, "the process has ended and waits for its parent (a zombie)");
	else if (!err)
		strbuf_append(into, "a kernel thread has no executable");
	error_free(err);
}
