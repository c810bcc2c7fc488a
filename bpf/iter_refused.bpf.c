// SPDX-License-Identifier: GPL-2.0-only
/* An iterator for tests that no verifier lets pass: it reads where a thread's number points to. */
#include "kernel_task.h"

SEC("iter/task") int iter_refused(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	return *(int *)(long)task->flags;
}

char iter_refused_license[] SEC("license") = "GPL";
