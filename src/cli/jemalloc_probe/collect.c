// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "probe/probe.h"
#include "procfs/task.h"
#include "procfs/thread_files.h"

#define PROC_ROOT "/proc"

static struct error *first_identity(pid_t pid, struct procfs_exe_identity *ret)
{
	struct error *err = procfs_exe_identity_read(PROC_ROOT, pid, ret);
	_cleanup_error_ struct error *cause = err;

	if (!err)
		return NULL;
	if (!procfs_pid_exists(PROC_ROOT, pid))
		return probe_attach_error(PROBE_ATTACH_PID_MISSING, 0, "pid %d does not exist",
					  pid);
	return probe_attach_error(PROBE_ATTACH_READLINK_FAILURE, error_errno(cause),
				  "pid %d exists, but its executable cannot be read", pid);
}

/* After an exec, or under a pid given to another process, the offsets found mean nothing. */
static struct error *same_identity(pid_t pid, const struct procfs_exe_identity *before,
				   const char *when)
{
	struct procfs_exe_identity now;
	_cleanup_error_ struct error *cause = procfs_exe_identity_read(PROC_ROOT, pid, &now);

	if (cause && !procfs_pid_exists(PROC_ROOT, pid))
		return probe_attach_error(PROBE_ATTACH_EXE_IDENTITY_CHANGED, error_errno(cause),
					  "pid %d ended %s: its executable is gone", pid, when);
	if (cause)
		return probe_attach_error(PROBE_ATTACH_EXE_IDENTITY_CHANGED, error_errno(cause),
					  "pid %d: its executable can no longer be read %s", pid,
					  when);
	if (now.dev == before->dev && now.ino == before->ino)
		return NULL;
	return probe_attach_error(
		PROBE_ATTACH_EXE_IDENTITY_CHANGED, 0,
		"pid %d: the executable changed %s (was dev=%#llx ino=%llu, is dev=%#llx "
		"ino=%llu); it ran another program or the pid was reused, TLS offsets "
		"invalid",
		pid, when, (unsigned long long)before->dev, (unsigned long long)before->ino,
		(unsigned long long)now.dev, (unsigned long long)now.ino);
}

/*
 * Running the same program again leaves its file the same, but not its memory.
 * A process that ended is not this case: its threads say so themselves.
 */
static struct error *same_memory(const struct probe *probe, pid_t pid, const char *when)
{
	struct procfs_exe_identity now;
	_cleanup_error_ struct error *ended = NULL;

	if (!probe_target_was_replaced(probe))
		return NULL;
	ended = procfs_exe_identity_read(PROC_ROOT, pid, &now);
	if (ended)
		return NULL;
	return probe_attach_error(
		PROBE_ATTACH_EXE_IDENTITY_CHANGED, 0,
		"pid %d ran exec %s: its memory was replaced, TLS offsets invalid", pid, when);
}

/* The numbers of a thread's pid would be those of its whole process. */
static struct error *refuse_thread(pid_t pid)
{
	pid_t process;
	_cleanup_error_ struct error *unknown = procfs_status_pid_read(PROC_ROOT, pid, "Tgid",
								       &process);

	if (unknown || process == pid)
		return NULL;
	return fatal_error(FATAL_OTHER, 0, "%d is a thread of process %d; use --pid %d", pid,
			   process, process);
}

/*
 * A process that ended leaves what was read of it before; nothing at all is an error. Takes the
 * error.
 */
static struct error *keep_if_ended(pid_t pid, struct error *err, struct probe_report *report)
{
	struct procfs_exe_identity now;
	_cleanup_error_ struct error *gone = NULL;

	if (!err || report->snapshots.n == 0)
		return err;
	gone = procfs_exe_identity_read(PROC_ROOT, pid, &now);
	if (!gone || (error_errno(gone) != ENOENT && error_errno(gone) != ESRCH))
		return err;
	error_free(err);
	report->target_ended = report->interrupted = true;
	return NULL;
}

static struct error *take_one(struct probe *probe, pid_t pid, struct probe_report *report)
{
	struct probe_snapshot snapshot;
	_cleanup_error_ struct error *err = probe_take_snapshot(probe, &snapshot);

	if (error_is(err, &base_error_domain, BASE_CANCELLED)) {
		report->interrupted = true;
		return NULL;
	}
	if (err)
		return fatal_error(FATAL_TID_ENUMERATION_FAILURE, 0, "pid %d: %s", pid,
				   error_message(err));
	report->interrupted = snapshot.interrupted;
	report->n_threads += snapshot.n_threads;
	vec_push(&report->snapshots, snapshot);
	return NULL;
}

/* Whether one more snapshot, as large as the last, fits into one result. */
static bool has_room(const struct probe_config *config, const struct probe_report *report)
{
	size_t n = report->snapshots.n;
	size_t max = config->threads_max ? config->threads_max : REPORT_THREADS_MAX;

	return n == 0 || report->n_threads + report->snapshots.at[n - 1].n_threads <= max;
}

static struct error *take_all(struct probe *probe, const struct probe_config *config,
			      const struct cancel *cancel,
			      const struct procfs_exe_identity *identity,
			      struct probe_report *report)
{
	for (uint32_t i = 0; i < config->snapshots; i++) {
		struct error *err;

		report->limited = !has_room(config, report);
		if (report->limited || cancel_requested(cancel) ||
		    (i > 0 && !probe_wait(probe, config->interval_ms * NS_PER_MS))) {
			report->interrupted = true;
			return NULL;
		}
		err = i > 0 ? same_identity(config->pid, identity, "between snapshots") : NULL;
		if (!err)
			err = take_one(probe, config->pid, report);
		if (!err)
			err = same_memory(probe, config->pid, "while it was read");
		if (err || report->interrupted)
			return keep_if_ended(config->pid, err, report);
	}
	return NULL;
}

/* Which jemalloc is read, and why that one. */
static void note_object(const struct probe *probe, struct probe_report *report)
{
	const struct probe_facts facts = probe_facts(probe);

	report->evidence = probe_evidence_name(facts.evidence);
	report->object = xstrdup(facts.object_path);
	report->offsets_from = xstrdup(facts.offsets_source);
	for (size_t i = 0; i < facts.n_others; i++) {
		struct probe_other other = facts.others[i];

		other.path = xstrdup(other.path);
		other.unread = other.unread ? xstrdup(other.unread) : NULL;
		vec_push(&report->others, other);
	}
}

static struct error *collect(const struct probe_config *config, const struct cancel *cancel,
			     struct strbuf *details, struct probe_report *report)
{
	struct probe_options options = {
		.stop = config->ptrace	    ? PROBE_STOP_ALWAYS
			: config->no_ptrace ? PROBE_STOP_NEVER
					    : PROBE_STOP_IF_NEEDED,
		.cancel = cancel,
		.object = config->object,
		.details = details,
	};
	_cleanup_(cleanup_probe) struct probe *probe = NULL;
	struct procfs_exe_identity identity;
	struct error *err;

	if (config->pid == getpid())
		return fatal_error(FATAL_SELF_PROBE_REJECTED, 0,
				   "refusing to probe self: pid %d is this very process; a process "
				   "cannot trace itself, name another one",
				   config->pid);
	err = first_identity(config->pid, &identity);
	if (!err)
		err = refuse_thread(config->pid);
	if (err)
		return err;
	err = probe_attach(config->pid, &options, &probe);
	if (error_is(err, &base_error_domain, BASE_CANCELLED)) {
		error_free(err);
		report->interrupted = true;
		return NULL;
	}
	if (err)
		return err;
	note_object(probe, report);
	err = same_identity(config->pid, &identity, "during ELF/DWARF parse");
	if (!err)
		err = take_all(probe, config, cancel, &identity, report);
	report->interrupted |= !probe_finish(probe);
	report->stopped_threads = probe_facts(probe).stopped_threads;
	report->stopped_ns_total = probe_facts(probe).stopped_ns;
	return err;
}

struct error *probe_collect(const struct probe_config *config, const struct cancel *cancel,
			    struct strbuf *details, struct probe_report *ret)
{
	struct probe_report report = {
		.pid = config->pid,
		.started_at_unix_sec = clock_unix_sec(),
		.started_ns = clock_monotonic_ns(),
		.interval_ms = config->interval_ms,
	};
	struct error *err = collect(config, cancel, details, &report);

	if (err) {
		probe_report_deinit(&report);
		return err;
	}
	*ret = report;
	return NULL;
}
