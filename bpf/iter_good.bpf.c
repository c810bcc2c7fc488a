// SPDX-License-Identifier: GPL-2.0-only
/* An iterator for tests: the number of each thread, and of its process. */
#include "kernel_task.h"

SEC("iter/task") int iter_good(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	int numbers[2];

	if (!task)
		return 0;
	numbers[0] = task->thread_pid->numbers[0].nr;
	numbers[1] = task->group_leader->thread_pid->numbers[0].nr;
	bpf_seq_write(ctx->meta->seq, numbers, sizeof(numbers));
	return 0;
}

char iter_good_license[] SEC("license") = "GPL";
