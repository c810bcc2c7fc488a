// SPDX-License-Identifier: LGPL-2.1-or-later
/* Processes named in a run directory, told from those that got their number later. */
#include "procfs/task.h"
#include "vm/run/run.h"

struct vm_run_process vm_run_process_of(pid_t pid)
{
	struct vm_run_process process = { .pid = pid };
	_cleanup_error_ struct error *gone = NULL;
	struct procfs_stat stat;

	gone = procfs_stat_read("/proc", pid, &stat);
	if (!gone)
		process.start_time_jiffies = stat.start_time_jiffies;
	return process;
}

bool vm_run_process_lives(const struct vm_run_process *process)
{
	_cleanup_error_ struct error *gone = NULL;
	struct procfs_stat stat;

	if (process->pid <= 0)
		return false;
	gone = procfs_stat_read("/proc", process->pid, &stat);
	if (gone || stat.state == 'Z' || stat.state == 'X')
		return false;
	return !process->start_time_jiffies ||
	       stat.start_time_jiffies == process->start_time_jiffies;
}
