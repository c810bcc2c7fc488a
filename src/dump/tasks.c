// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Every thread of every process, in the order of the kernel's lists: init_task.tasks links the
 * processes, signal->thread_head the threads of each. Idle tasks are in neither; `rq` shows them.
 */
#include "dump/tasks.h"

#include "dump/rows.h"
#include "kmem/walk.h"

/* As include/linux/sched.h and fs/proc/array.c of Linux have them. */
enum {
	STATE_REPORTED = 0x7f,
	STATE_UNINTERRUPTIBLE = 0x2,
	STATE_NOLOAD = 0x400,
	STATE_RTLOCK_WAIT = 0x1000,
	STATE_FROZEN = 0x8000,
};

char dump_task_state(uint64_t state, uint64_t exit_state)
{
	static const char letters[] = "RSDTtXZP";
	const uint64_t idle = STATE_UNINTERRUPTIBLE | STATE_NOLOAD;
	uint64_t shown = (state | exit_state) & STATE_REPORTED;

	if ((state & idle) == idle)
		return 'I';
	if (state & (STATE_RTLOCK_WAIT | STATE_FROZEN))
		shown = STATE_UNINTERRUPTIBLE;
	return letters[shown ? 64 - __builtin_clzll(shown) : 0];
}

const char *dump_task_policy(uint64_t policy)
{
	static const char *const words[] = { "other", "fifo", "rr",	  "batch",
					     "iso",   "idle", "deadline", "ext" };

	return policy < ARRAY_SIZE(words) ? words[policy] : NULL;
}

struct thread {
	uint64_t address;
	struct dump_member pid, tgid, ppid, state_bits, exit_state, cpu, on_cpu, policy, prio;
	struct dump_member rt_priority, runtime, utime, stime, nvcsw, nivcsw;
	struct dump_task_sched sched;
	struct dump_text comm, state, class, cpus, cgroup;
	const char *state_text, *policy_name, *policy_text;
	char comm_bytes[32], state_bytes[2];
	struct strbuf cgroup_path, policy_number;
};

static const struct dump_column columns[] = {
	{ .key = "address", DUMP_HEX(thread, address) },
	{ DUMP_PLACED("pid", "PID", 1, 0), DUMP_FIELD_SIGNED(thread, pid, TASK_PID) },
	{ DUMP_PLACED("tgid", "TGID", 2, 0), DUMP_FIELD_SIGNED(thread, tgid, TASK_TGID) },
	{ DUMP_PLACED("ppid", "PPID", 3, 0), DUMP_MEMBER(thread, ppid) },
	{ DUMP_PLACED("comm", "COMM", 14, 0), DUMP_TEXT(thread, comm) },
	{ .key = "state", DUMP_TEXT(thread, state) },
	{ .title = "S", .place = 4, DUMP_STRING(thread, state_text) },
	{ .key = "state_bits", DUMP_FIELD(thread, state_bits, TASK_STATE) },
	{ .key = "exit_state", DUMP_FIELD(thread, exit_state, TASK_EXIT_STATE) },
	{ DUMP_PLACED("cpu", "CPU", 5, 0), DUMP_FIELD(thread, cpu, TASK_CPU) },
	{ .key = "on_cpu", DUMP_FIELD(thread, on_cpu, TASK_ON_CPU) },
	{ DUMP_PLACED("on_rq", "ON_RQ", 6, 0), DUMP_MEMBER(thread, sched.on_rq) },
	{ DUMP_PLACED("cpus_allowed", "CPUS", 7, 0), DUMP_TEXT(thread, cpus) },
	{ DUMP_PLACED("class", "CLASS", 8, 0), DUMP_TEXT(thread, class) },
	{ .key = "policy", DUMP_FIELD(thread, policy, TASK_POLICY) },
	{ .key = "policy_name", DUMP_STRING(thread, policy_name) },
	{ .title = "POLICY", .place = 9, DUMP_STRING(thread, policy_text) },
	{ DUMP_PLACED("prio", "PRIO", 10, 0), DUMP_FIELD_SIGNED(thread, prio, TASK_PRIO) },
	{ DUMP_PLACED("rt_priority", "RTPRIO", 11, 0),
	  DUMP_FIELD(thread, rt_priority, TASK_RT_PRIORITY) },
	{ DUMP_PLACED("runtime_ns", "RUNTIME (ns)", 12, 0),
	  DUMP_FIELD(thread, runtime, TASK_RUNTIME) },
	{ DUMP_PLACED("waiting_ns", "WAITING (ns)", 13, 0), DUMP_MEMBER(thread, sched.waiting_ns) },
	{ .key = "runnable_jiffies", DUMP_MEMBER(thread, sched.runnable_jiffies) },
	{ .key = "utime_ns", DUMP_FIELD(thread, utime, TASK_UTIME) },
	{ .key = "stime_ns", DUMP_FIELD(thread, stime, TASK_STIME) },
	{ .key = "voluntary_switches", DUMP_FIELD(thread, nvcsw, TASK_NVCSW) },
	{ .key = "involuntary_switches", DUMP_FIELD(thread, nivcsw, TASK_NIVCSW) },
	{ DUMP_PLACED("cgroup", "CGROUP", 15, 0), DUMP_TEXT(thread, cgroup) },
};

/* Both lists of the kernel while they are walked. */
struct look {
	struct kmem *kmem;
	struct dump_scheduler scheduler;
	struct dump_rows rows;
	struct kmem_walk threads, processes;
	uint64_t n_unreadable; /* processes whose threads cannot be listed */
};

/* As in /proc: the process of the parent. */
static struct dump_member read_ppid(struct kmem *kmem, uint64_t task)
{
	struct dump_member parent = dump_read(kmem, KMEM_F_TASK_PARENT, task);

	return parent.status ? parent : dump_read_signed(kmem, KMEM_F_TASK_TGID, parent.value);
}

static void read_words(struct thread *t)
{
	enum kmem_status state = t->state_bits.status ? t->state_bits.status : t->exit_state.status;

	if (!state)
		t->state_bytes[0] = dump_task_state(t->state_bits.value, t->exit_state.value);
	t->state = (struct dump_text){ state, t->state_bytes };
	t->state_text = state ? "?" : t->state_bytes;
	t->policy_name = t->policy.status ? NULL : dump_task_policy(t->policy.value);
	t->policy_text = t->policy_name;
	if (t->policy.status && t->policy.status != KMEM_READ_UNKNOWN)
		t->policy_text = "?";
	if (t->policy.status || t->policy_name)
		return;
	strbuf_appendf(&t->policy_number, "%llu", (unsigned long long)t->policy.value);
	t->policy_text = strbuf_str(&t->policy_number);
}

static void read_thread(const struct dump_scheduler *scheduler, uint64_t task, struct thread *t)
{
	struct kmem *kmem = scheduler->kmem;

	t->address = task;
	dump_row_read(kmem, task, columns, ARRAY_SIZE(columns), t);
	t->comm.status = kmem_get_text(kmem, KMEM_F_TASK_COMM, task, t->comm_bytes,
				       sizeof(t->comm_bytes));
	t->comm.text = t->comm_bytes;
	t->ppid = read_ppid(kmem, task);
	dump_task_sched_read(scheduler, task, &t->sched);
	t->cpus = (struct dump_text){ t->sched.cpus_status, strbuf_str(&t->sched.cpus) };
	t->class = (struct dump_text){ t->sched.class_status, t->sched.class };
	t->cgroup.status = dump_cgroup_path(kmem, task, &t->cgroup_path);
	t->cgroup.text = strbuf_str(&t->cgroup_path);
	read_words(t);
}

static void free_thread(struct thread *t)
{
	strbuf_deinit(&t->cgroup_path);
	strbuf_deinit(&t->policy_number);
	dump_task_sched_deinit(&t->sched);
}

static bool on_thread(void *context, uint64_t link)
{
	struct look *look = context;
	uint64_t task = link - kmem_offset(look->kmem, KMEM_F_TASK_THREAD_NODE);
	struct thread thread = { 0 };

	if (!kmem_walk_step(&look->threads))
		return false;
	if (!kmem_walk_shows(&look->threads))
		return true;
	read_thread(&look->scheduler, task, &thread);
	dump_rows_add(&look->rows, &thread);
	free_thread(&thread);
	return true;
}

static bool on_process(void *context, uint64_t link)
{
	struct look *look = context;
	uint64_t task = link - kmem_offset(look->kmem, KMEM_F_TASK_TASKS);
	struct dump_member signal = dump_read(look->kmem, KMEM_F_TASK_SIGNAL, task);
	struct kmem_walk walk = { 0 };

	if (!signal.status) {
		kmem_list(&look->kmem->space,
			  signal.value + kmem_offset(look->kmem, KMEM_F_SIGNAL_THREAD_HEAD), &walk,
			  on_thread, look);
		signal.status = walk.end == KMEM_WALK_UNREADABLE ? walk.status : KMEM_READ_OK;
		look->threads.n_bad_backlinks += walk.n_bad_backlinks;
	}
	if (signal.status || walk.end == KMEM_WALK_CYCLE)
		look->n_unreadable++;
	return look->threads.end != KMEM_WALK_LIMITED;
}

static void walk_all(struct look *look, uint64_t init_task)
{
	kmem_walk_begin(&look->threads);
	kmem_list(&look->kmem->space, init_task + kmem_offset(look->kmem, KMEM_F_TASK_TASKS),
		  &look->processes, on_process, look);
	/* The list of processes is what can have broken off. */
	kmem_walk_join(&look->threads, &look->processes);
}

struct error *dump_tasks(struct kmem *kmem, const struct dump_request *request,
			 struct dump_sink *sink)
{
	struct look look = { .kmem = kmem,
			     .threads = dump_walk_wanted(sink, dump_wanted(request, sink)) };
	uint64_t init_task;
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_TASKS);

	if (!err)
		err = kmem_symbol(kmem, "init_task", &init_task);
	if (err)
		return err;
	dump_scheduler_init(&look.scheduler, kmem);
	dump_rows_begin(&look.rows, sink, "tasks", columns, ARRAY_SIZE(columns));
	walk_all(&look, init_task);
	dump_rows_end(&look.rows);
	dump_add_u64(sink, "processes", look.processes.n);
	if (look.n_unreadable)
		dump_add_u64(sink, "broken_processes", look.n_unreadable);
	if (look.n_unreadable)
		dump_line(sink, "threads of %llu processes cannot be listed",
			  (unsigned long long)look.n_unreadable);
	dump_walk(sink, "threads", &look.threads);
	return NULL;
}
