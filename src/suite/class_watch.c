// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/scenario.h"

#include "base/alloc.h"
#include "base/io.h"
#include "procfs/thread_files.h"
#include "suite/limits.h"

/* False when /proc does not say: "ext.enabled" is there since 6.12. */
static bool read_class(const char *proc, pid_t pid, bool *ret_is_ext)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/sched", proc, (int)pid);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, SUITE_LIMIT_SYSFS, &text);
	static const struct procfs_field enabled = { .key = "ext.enabled",
						     .form = PROCFS_FORM_FLAG };
	uint64_t is_ext = 0, known = 0;
	struct procfs_values values = { .into = &is_ext, .known = &known };

	if (err || !procfs_sched_fields((struct slice){ strbuf_str(&text), text.n },
					(struct procfs_fields){ &enabled, 1 }, &values))
		return false;
	*ret_is_ext = is_ext;
	return true;
}

void suite_class_watch_sample(struct suite_class_watch *watch, const char *proc, pid_t pid,
			      uint64_t cpu_ns)
{
	bool is_first = !watch->ext_samples && !watch->other_samples, is_ext;

	if (!read_class(proc, pid, &is_ext))
		return;
	if (!is_first && is_ext == watch->was_ext_ && cpu_ns > watch->cpu_ns_)
		*(is_ext ? &watch->ext_ns : &watch->other_ns) += cpu_ns - watch->cpu_ns_;
	*(is_ext ? &watch->ext_samples : &watch->other_samples) += 1;
	watch->was_ext_ = is_ext;
	watch->cpu_ns_ = cpu_ns;
}
