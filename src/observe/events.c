// SPDX-License-Identifier: LGPL-2.1-or-later
#include "observe/events.h"

DEFINE_ERROR_DOMAIN(observe, OBSERVE, OBSERVE_ERRORS);

static const char *const switch_params[] = { "prev", "next", NULL };

/* clang-format off */
const struct observe_event_row observe_events[OBSERVE_N_KINDS] = {
	[OBSERVE_SWITCH] = { "switch", "__switch_to_asm", switch_params, {
		{ "prev_pid", "prev", KMEM_F_TASK_PID },
		{ "prev_comm", "prev", KMEM_F_TASK_COMM },
		{ "prev_state", "prev", KMEM_F_TASK_STATE },
		{ "prev_prio", "prev", KMEM_F_TASK_PRIO },
		{ "next_pid", "next", KMEM_F_TASK_PID },
		{ "next_comm", "next", KMEM_F_TASK_COMM },
		{ "next_prio", "next", KMEM_F_TASK_PRIO },
	} },
	[OBSERVE_WAKE] = { "wake", "ttwu_do_activate", NULL, {
		{ "pid", "p", KMEM_F_TASK_PID },
		{ "comm", "p", KMEM_F_TASK_COMM },
		{ "prio", "p", KMEM_F_TASK_PRIO },
		{ "target_cpu", "rq", KMEM_F_RQ_CPU },
		{ "waker_pid", "current", KMEM_F_TASK_PID },
		{ "waker_comm", "current", KMEM_F_TASK_COMM },
		{ "flags", "wake_flags", OBSERVE_ITSELF },
	} },
	[OBSERVE_NEW] = { "new", "wake_up_new_task", NULL, {
		{ "pid", "p", KMEM_F_TASK_PID },
		{ "comm", "p", KMEM_F_TASK_COMM },
		{ "parent_pid", "current", KMEM_F_TASK_PID },
	} },
	[OBSERVE_ENQUEUE] = { "enqueue", "enqueue_task", NULL, {
		{ "pid", "p", KMEM_F_TASK_PID },
		{ "target_cpu", "rq", KMEM_F_RQ_CPU },
		{ "flags", "flags", OBSERVE_ITSELF },
	} },
	[OBSERVE_DEQUEUE] = { "dequeue", "dequeue_task", NULL, {
		{ "pid", "p", KMEM_F_TASK_PID },
		{ "target_cpu", "rq", KMEM_F_RQ_CPU },
		{ "flags", "flags", OBSERVE_ITSELF },
	} },
	[OBSERVE_MIGRATE] = { "migrate", "set_task_cpu", NULL, {
		{ "pid", "p", KMEM_F_TASK_PID },
		{ "comm", "p", KMEM_F_TASK_COMM },
		{ "orig_cpu", "p", KMEM_F_TASK_CPU },
		{ "dest_cpu", "new_cpu", OBSERVE_ITSELF },
	} },
	[OBSERVE_EXEC] = { "exec", "begin_new_exec", NULL, {
		{ "pid", "current", KMEM_F_TASK_PID },
		{ "comm", "current", KMEM_F_TASK_COMM },
	} },
	[OBSERVE_EXIT] = { "exit", "do_exit", NULL, {
		{ "pid", "current", KMEM_F_TASK_PID },
		{ "comm", "current", KMEM_F_TASK_COMM },
		{ "code", "code", OBSERVE_ITSELF },
	} },
};
/* clang-format on */
