// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/remote.h"

#include <errno.h>
#include <sys/uio.h>

/* The kernel refuses more ranges in one call. */
enum { BATCH = 1024 };

int probe_remote_errno(enum probe_remote_status status)
{
	switch (status) {
	case PROBE_REMOTE_OK:
		return 0;
	case PROBE_REMOTE_FAULT:
		return EFAULT;
	case PROBE_REMOTE_GONE:
		return ESRCH;
	case PROBE_REMOTE_DENIED:
		return EPERM;
	}
	return EINVAL;
}

static enum probe_remote_status status_of_errno(int errnum)
{
	if (errnum == ESRCH)
		return PROBE_REMOTE_GONE;
	if (errnum == EPERM || errnum == EACCES || errnum == ENOSYS)
		return PROBE_REMOTE_DENIED;
	return PROBE_REMOTE_FAULT;
}

static void set_all(struct probe_remote_range *ranges, size_t n, enum probe_remote_status status)
{
	for (size_t i = 0; i < n; i++)
		ranges[i].status = status;
}

/*
 * How many ranges from the front are settled after a call that moved `moved`
 * bytes: the whole ones are OK, the first that is not whole is a fault.
 */
static size_t settle(struct probe_remote_range *ranges, size_t n, size_t moved)
{
	for (size_t i = 0; i < n; i++) {
		if (moved < ranges[i].n) {
			ranges[i].status = PROBE_REMOTE_FAULT;
			return i + 1;
		}
		moved -= ranges[i].n;
		ranges[i].status = PROBE_REMOTE_OK;
	}
	return n;
}

static void process_read_many(const struct probe_remote *remote, struct probe_remote_range *ranges,
			      size_t n)
{
	const struct probe_remote_process *process = (const struct probe_remote_process *)remote;
	size_t done = 0;

	while (done < n) {
		struct iovec local[BATCH], foreign[BATCH];
		size_t batch = n - done < BATCH ? n - done : BATCH;
		ssize_t moved;

		for (size_t i = 0; i < batch; i++) {
			struct probe_remote_range *range = &ranges[done + i];

			local[i] = (struct iovec){ range->into, range->n };
			foreign[i] = (struct iovec){ (void *)(uintptr_t)range->address, range->n };
		}
		moved = process_vm_readv(process->pid, local, batch, foreign, batch, 0);
		if (moved >= 0) {
			done += settle(ranges + done, batch, (size_t)moved);
			continue;
		}
		if (status_of_errno(errno) != PROBE_REMOTE_FAULT) {
			set_all(ranges + done, n - done, status_of_errno(errno));
			return;
		}
		ranges[done++].status = PROBE_REMOTE_FAULT;
	}
}

void probe_remote_process_init(struct probe_remote_process *process, pid_t pid)
{
	*process = (struct probe_remote_process){ { process_read_many }, pid };
}
