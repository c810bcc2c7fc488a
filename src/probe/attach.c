// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/probe.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "probe/objects.h"
#include "probe/state.h"

DEFINE_ERROR_DOMAIN(probe_attach, PROBE_ATTACH, PROBE_ATTACH_ERRORS);
DEFINE_ERROR_DOMAIN(probe_thread, PROBE_THREAD, PROBE_THREAD_ERRORS);

/* How often, and after which pause, a program is looked at again that is still being loaded. */
enum { START_ATTEMPTS = 5 };
#define START_PAUSE_NS (2 * NS_PER_MS)

#define WORD_ROW(id, word) [id] = word,

const char *probe_evidence_name(enum probe_evidence evidence)
{
	static const char *const words[] = { PROBE_EVIDENCES(WORD_ROW) };

	return words[evidence];
}

const char *probe_use_name(enum probe_use use)
{
	static const char *const words[] = { PROBE_USES(WORD_ROW) };

	return words[use];
}

const char *probe_method_name(enum probe_method method)
{
	static const char *const words[] = { PROBE_METHODS(WORD_ROW) };

	return words[method];
}

/* What was found of a process that is another one by now, or none, says nothing about it. */
static struct error *explain_end(const struct probe *probe, const char *proc_root,
				 struct error *err)
{
	_cleanup_error_ struct error *cause = err;
	struct procfs_exe_identity identity;
	_cleanup_error_ struct error *ended = NULL;

	if (error_is(err, &base_error_domain, BASE_CANCELLED) ||
	    !procfs_address_space_is_gone(&probe->space))
		return take_ptr(cause);
	ended = procfs_exe_identity_read(proc_root, probe->pid, &identity);
	if (ended)
		return probe_attach_error(PROBE_ATTACH_PID_MISSING, 0,
					  "process %d ended while its files were read",
					  (int)probe->pid);
	return probe_attach_error(PROBE_ATTACH_EXE_IDENTITY_CHANGED, 0,
				  "process %d ran exec while its files were read", (int)probe->pid);
}

static struct error *find_all(struct probe *probe, const char *proc_root,
			      const struct probe_options *options, size_t *ret_n_objects)
{
	struct probe_objects objects = { 0 };
	struct error *err = probe_objects_read(proc_root, probe->pid, options->source,
					       options->cancel, &objects);

	if (err)
		return err;
	*ret_n_objects = objects.rows.n;
	probe->no_glibc = probe_glibc_layout_read(&objects, &probe->glibc);
	probe->has_glibc = !probe->no_glibc;
	err = probe_resolve_jemalloc(probe, &objects, options);
	probe_objects_deinit(&objects);
	return err;
}

/* A program that was just started has not all of its libraries yet. */
static bool grew_meanwhile(const struct probe *probe, const char *proc_root, size_t n_before)
{
	struct probe_objects objects = { 0 };
	_cleanup_error_ struct error *gone = probe_objects_list(proc_root, probe->pid, &objects);
	bool grew = !gone && objects.rows.n != n_before;

	if (!gone)
		probe_objects_deinit(&objects);
	return grew;
}

static struct error *find_patiently(struct probe *probe, const char *proc_root,
				    const struct probe_options *options)
{
	for (int attempt = 1;; attempt++) {
		size_t n_objects = 0;
		struct error *err = find_all(probe, proc_root, options, &n_objects);

		if (!err || n_objects == 0 || attempt == START_ATTEMPTS ||
		    error_is(err, &base_error_domain, BASE_CANCELLED) ||
		    !cancel_sleep(probe->cancel, START_PAUSE_NS) ||
		    !grew_meanwhile(probe, proc_root, n_objects))
			return err;
		error_free(err);
		error_free(take_ptr(probe->no_glibc));
	}
}

struct error *probe_attach(pid_t pid, const struct probe_options *options, struct probe **ret)
{
	const char *proc_root = options->proc_root ? options->proc_root : "/proc";
	_cleanup_(cleanup_probe) struct probe *probe = xnew(struct probe);
	bool had_memory;
	struct error *err;

	probe->pid = pid;
	probe->stop = options->stop;
	probe->cancel = probe->tracer.cancel = options->cancel;
	probe_remote_process_init(&probe->memory, pid);
	/* Before anything is read: whatever is found must belong to this memory. */
	procfs_address_space_open(proc_root, pid, &probe->space);
	had_memory = !procfs_address_space_is_gone(&probe->space);
	/* A process whose threads cannot be listed says so with its first snapshot. */
	{
		_cleanup_error_ struct error *unlisted = procfs_task_dir_open(proc_root, pid,
									      &probe->tasks);

		if (!unlisted)
			probe_known_threads_init(&probe->known, &probe->tasks, pid);
	}
	err = find_patiently(probe, proc_root, options);
	if (err)
		return had_memory ? explain_end(probe, proc_root, err) : err;
	*ret = take_ptr(probe);
	return NULL;
}

void probe_free(struct probe *probe)
{
	if (!probe)
		return;
	probe_tracer_deinit(&probe->tracer);
	probe_known_threads_deinit(&probe->known);
	procfs_task_dir_close(&probe->tasks);
	procfs_address_space_close(&probe->space);
	error_free(probe->no_glibc);
	free(probe->object_path);
	free(probe->offsets_source);
	for (size_t i = 0; i < probe->others.n; i++) {
		free(probe->others.at[i].path);
		free(probe->others.at[i].unread);
	}
	vec_deinit(&probe->others);
	free(probe);
}

bool probe_target_was_replaced(const struct probe *probe)
{
	return procfs_address_space_is_gone(&probe->space);
}

enum probe_evidence probe_evidence(const struct probe *probe)
{
	return probe->evidence;
}

const char *probe_object_path(const struct probe *probe)
{
	return probe->object_path;
}

const char *probe_offsets_source(const struct probe *probe)
{
	return probe->offsets_source;
}

size_t probe_others(const struct probe *probe, const struct probe_other **ret)
{
	*ret = probe->others.at;
	return probe->others.n;
}

uint64_t probe_stopped_threads(const struct probe *probe)
{
	return probe->tracer.stopped_threads;
}

uint64_t probe_stopped_ns(const struct probe *probe)
{
	return probe->tracer.stopped_ns;
}
