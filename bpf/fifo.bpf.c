// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fixture: one queue for all CPUs, first in, first out. It shows nothing new about
 * scheduling; tests of the harness need a scheduler that works, and the same one failing
 * in every way a scheduler can.
 */
#include "scx.h"
#include "fifo.h"

enum {
	FIFO_DSQ = 0,
};

const volatile struct fifo_settings settings SEC(".rodata.settings");
volatile struct fifo_state state SEC(".bss.state");

static inline bool is_faulty(enum fifo_fault fault)
{
	return settings.fault == fault && state.is_faulty;
}

static inline __u64 slice_of(const struct task_struct *p)
{
	if (settings.fault == FIFO_FAULT_LOPSIDED && p->pid % 2 == 0)
		return settings.slice_ns * FIFO_LOPSIDED_FACTOR;
	return settings.slice_ns;
}

static char error_text[] = "error on purpose";

static inline void fail_on_purpose(void)
{
	unsigned long long values[] = { 0 }; /* none is wanted, but the kernel asks for some */

	if (is_faulty(FIFO_FAULT_ERROR))
		scx_bpf_error_bstr(error_text, values, sizeof(values));
}

static char race_text[] = "two wake-ups met: %d was overwritten by %d";

/*
 * The classic mistake: the task at hand is kept in one variable for all CPUs. Nothing happens
 * unless another CPU wakes up a task between the write and the last look at it.
 */
static inline void race_on_purpose(const struct task_struct *p)
{
	int pid = p->pid;

	if (!is_faulty(FIFO_FAULT_RACE))
		return;
	state.waking_pid = pid;
	for (int i = 0; i < FIFO_RACE_STEPS; i++) {
		int seen = state.waking_pid;

		if (seen != pid) {
			unsigned long long values[] = { pid, seen };

			scx_bpf_error_bstr(race_text, values, sizeof(values));
			return;
		}
	}
}

enum { LOOPS_MAX = 1 << 23 }; /* BPF_MAX_LOOPS, 5.17 */

/* In instructions that an emulator executes quickly. */
static long do_nothing(__u64 i, void *context)
{
	__asm__ volatile(".rept 480\nr1 = r1\n.endr" ::: "r1");
	return 0;
}

static long loop_inside(__u64 i, void *context)
{
	bpf_loop(LOOPS_MAX, do_nothing, NULL, 0);
	return 0;
}

/* Years: the kernel calls us with a runqueue locked, and nothing interrupts this CPU. */
static inline void spin_on_purpose(void)
{
	if (is_faulty(FIFO_FAULT_SPIN))
		bpf_loop(LOOPS_MAX, loop_inside, NULL, 0);
}

SEC("struct_ops/fifo_select_cpu")
__s32 BPF_PROG(fifo_select_cpu, struct task_struct *p, __s32 prev_cpu, __u64 wake_flags)
{
	bool is_idle = 0;
	__s32 cpu;

	race_on_purpose(p);
	cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle && !is_faulty(FIFO_FAULT_STARVE))
		scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, slice_of(p), 0);
	return cpu;
}

SEC("struct_ops/fifo_enqueue")
void BPF_PROG(fifo_enqueue, struct task_struct *p, __u64 enq_flags)
{
	/*
	 * A stall that leaves the machine able to speak: only those who compute are kept.
	 * Tasks that wake up are served, and so are kernel threads; one of them is the watchdog's.
	 */
	if (is_faulty(FIFO_FAULT_STALL) && !p->scx.slice && !(p->flags & PF_KTHREAD)) {
		__sync_fetch_and_add(&state.kept, 1);
		return;
	}
	/* One that does not: nothing in the machine runs until the kernel ends us. */
	if (is_faulty(FIFO_FAULT_STARVE) && !(p->flags & PF_KTHREAD)) {
		__sync_fetch_and_add(&state.kept, 1);
		return;
	}
	scx_bpf_dsq_insert(p, FIFO_DSQ, slice_of(p), enq_flags);
}

SEC("struct_ops/fifo_dispatch")
void BPF_PROG(fifo_dispatch, __s32 cpu, struct task_struct *prev)
{
	fail_on_purpose();
	spin_on_purpose();
	scx_bpf_dsq_move_to_local(FIFO_DSQ);
}

SEC("struct_ops.s/fifo_init")
__s32 BPF_PROG(fifo_init)
{
	/* Dead code for the verifier unless the fault is set: settings are constant. */
	if (settings.fault == FIFO_FAULT_VERIFIER)
		return state.exit_dump[state.kept];
	if (settings.fault == FIFO_FAULT_INIT)
		return -22; /* EINVAL */
	return scx_bpf_create_dsq(FIFO_DSQ, -1);
}

SEC("struct_ops/fifo_exit")
void BPF_PROG(fifo_exit, struct scx_exit_info *info)
{
	struct fifo_state *to = (struct fifo_state *)&state;

	bpf_probe_read_kernel_str(to->exit_reason, sizeof(to->exit_reason), info->reason);
	bpf_probe_read_kernel_str(to->exit_message, sizeof(to->exit_message), info->msg);
	bpf_probe_read_kernel_str(to->exit_dump, sizeof(to->exit_dump), info->dump);
	to->exit_code = info->exit_code;
	/* An exchange orders the writes before it. */
	__sync_lock_test_and_set(&to->exit_kind, info->kind);
}

SEC(".struct_ops.link")
struct sched_ext_ops fifo_ops = {
	.select_cpu = (void *)fifo_select_cpu,
	.enqueue = (void *)fifo_enqueue,
	.dispatch = (void *)fifo_dispatch,
	.init = (void *)fifo_init,
	.exit = (void *)fifo_exit,
	.timeout_ms = 20000,
	.name = "ktfifo",
};

char fifo_license[] SEC("license") = "GPL";
