// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Every thread of every process, in the order of the kernel's lists: init_task.tasks links the
 * processes, signal->thread_head the threads of each. Idle tasks are in neither; `rq` shows them.
 */
#include "dump/tasks.h"

#include "dump/cgroup.h"
#include "dump/member.h"
#include "dump/task_sched.h"
#include "kmem/list.h"

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

static const struct table_column columns[] = {
	{ .title = "PID", .right = true },
	{ .title = "TGID", .right = true },
	{ .title = "PPID", .right = true },
	{ .title = "S" },
	{ .title = "CPU", .right = true },
	{ .title = "ON_RQ", .right = true },
	{ .title = "CPUS" },
	{ .title = "CLASS" },
	{ .title = "POLICY" },
	{ .title = "PRIO", .right = true },
	{ .title = "RTPRIO", .right = true },
	{ .title = "RUNTIME (ns)", .right = true },
	{ .title = "WAITING (ns)", .right = true },
	{ .title = "COMM" },
	{ .title = "CGROUP" },
};

struct look {
	struct kmem *kmem;
	struct dump_scheduler scheduler;
	struct table *table;
	struct json_writer *json;
	struct kmem_walk threads;
	struct kmem_walk processes;
	uint64_t n_unreadable; /* processes whose threads cannot be listed */
};

struct thread {
	struct dump_member pid, tgid, state, exit_state, cpu, on_cpu, policy, prio, rt_priority;
	struct dump_member runtime, utime, stime, nvcsw, nivcsw;
	struct dump_member ppid;
	struct dump_task_sched sched;
	enum kmem_status comm_status;
	char comm[32];
	enum kmem_status cgroup_status;
	struct strbuf cgroup;
};

/* As /proc tells it: the process of the parent. */
static struct dump_member read_ppid(struct kmem *kmem, uint64_t task)
{
	struct dump_member parent = dump_read(kmem, KMEM_F_TASK_PARENT, task);

	return parent.status ? parent : dump_read_signed(kmem, KMEM_F_TASK_TGID, parent.value);
}

static void read_thread(const struct dump_scheduler *scheduler, uint64_t task, struct thread *t)
{
	struct kmem *kmem = scheduler->kmem;
	const struct {
		struct dump_member *to;
		enum kmem_field_id field;
		bool is_signed;
	} members[] = {
		{ &t->pid, KMEM_F_TASK_PID, true },
		{ &t->tgid, KMEM_F_TASK_TGID, true },
		{ &t->state, KMEM_F_TASK_STATE, false },
		{ &t->exit_state, KMEM_F_TASK_EXIT_STATE, false },
		{ &t->cpu, KMEM_F_TASK_CPU, false },
		{ &t->on_cpu, KMEM_F_TASK_ON_CPU, false },
		{ &t->policy, KMEM_F_TASK_POLICY, false },
		{ &t->prio, KMEM_F_TASK_PRIO, true },
		{ &t->rt_priority, KMEM_F_TASK_RT_PRIORITY, false },
		{ &t->runtime, KMEM_F_TASK_RUNTIME, false },
		{ &t->utime, KMEM_F_TASK_UTIME, false },
		{ &t->stime, KMEM_F_TASK_STIME, false },
		{ &t->nvcsw, KMEM_F_TASK_NVCSW, false },
		{ &t->nivcsw, KMEM_F_TASK_NIVCSW, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		*members[i].to = members[i].is_signed
					 ? dump_read_signed(kmem, members[i].field, task)
					 : dump_read(kmem, members[i].field, task);
	t->comm_status = kmem_field_read_text(&kmem->fields, &kmem->space, KMEM_F_TASK_COMM, task,
					      t->comm, sizeof(t->comm));
	t->cgroup_status = dump_cgroup_path(kmem, task, &t->cgroup);
	t->ppid = read_ppid(kmem, task);
	dump_task_sched_read(scheduler, task, &t->sched);
}

static void free_thread(struct thread *t)
{
	strbuf_deinit(&t->cgroup);
	dump_task_sched_deinit(&t->sched);
}

static void text_cell(struct table *table, enum kmem_status status, const char *text)
{
	if (status == KMEM_READ_UNKNOWN)
		table_add(table, NULL);
	else
		table_add(table, status ? "?" : text);
}

static bool known_state(const struct thread *t)
{
	return !t->state.status && !t->exit_state.status;
}

static void show_cells(struct table *table, const struct thread *t)
{
	const char *policy = t->policy.status ? NULL : dump_task_policy(t->policy.value);

	dump_member_cell(table, &t->pid);
	dump_member_cell(table, &t->tgid);
	dump_member_cell(table, &t->ppid);
	table_addf(table, "%c",
		   known_state(t) ? dump_task_state(t->state.value, t->exit_state.value) : '?');
	dump_member_cell(table, &t->cpu);
	dump_member_cell(table, &t->sched.on_rq);
	text_cell(table, t->sched.cpus_status, strbuf_str(&t->sched.cpus));
	text_cell(table, t->sched.class_status, t->sched.class);
	if (policy)
		table_add(table, policy);
	else
		dump_member_cell(table, &t->policy);
	dump_member_cell(table, &t->prio);
	dump_member_cell(table, &t->rt_priority);
	dump_member_cell(table, &t->runtime);
	dump_member_cell(table, &t->sched.waiting_ns);
	table_add(table, t->comm_status ? "?" : t->comm);
	text_cell(table, t->cgroup_status, strbuf_str(&t->cgroup));
}

static void show_object(struct json_writer *json, uint64_t task, const struct thread *t)
{
	const char state[] = { known_state(t) ? dump_task_state(t->state.value, t->exit_state.value)
					      : 0,
			       0 };

	json_begin_object(json);
	dump_add_hex(json, "address", task);
	dump_member_json(json, "pid", &t->pid);
	dump_member_json(json, "tgid", &t->tgid);
	dump_member_json(json, "ppid", &t->ppid);
	dump_text_json(json, "comm", t->comm_status, t->comm);
	dump_text_json(json, "state", t->state.status ? t->state.status : t->exit_state.status,
		       state);
	dump_member_json(json, "state_bits", &t->state);
	dump_member_json(json, "exit_state", &t->exit_state);
	dump_member_json(json, "cpu", &t->cpu);
	dump_member_json(json, "on_cpu", &t->on_cpu);
	dump_member_json(json, "on_rq", &t->sched.on_rq);
	dump_text_json(json, "cpus_allowed", t->sched.cpus_status, strbuf_str(&t->sched.cpus));
	dump_text_json(json, "class", t->sched.class_status, t->sched.class);
	dump_member_json(json, "policy", &t->policy);
	json_add_string(json, "policy_name",
			t->policy.status ? NULL : dump_task_policy(t->policy.value));
	dump_member_json(json, "prio", &t->prio);
	dump_member_json(json, "rt_priority", &t->rt_priority);
	dump_member_json(json, "runtime_ns", &t->runtime);
	dump_member_json(json, "waiting_ns", &t->sched.waiting_ns);
	dump_member_json(json, "runnable_jiffies", &t->sched.runnable_jiffies);
	dump_member_json(json, "utime_ns", &t->utime);
	dump_member_json(json, "stime_ns", &t->stime);
	dump_member_json(json, "voluntary_switches", &t->nvcsw);
	dump_member_json(json, "involuntary_switches", &t->nivcsw);
	dump_text_json(json, "cgroup", t->cgroup_status, strbuf_str(&t->cgroup));
	json_end_object(json);
}

static bool on_thread(void *context, uint64_t link)
{
	struct look *look = context;
	uint64_t task = link - look->kmem->fields.at[KMEM_F_TASK_THREAD_NODE].place.offset;
	struct thread thread = { 0 };

	if (!kmem_walk_step(&look->threads))
		return false;
	if (!kmem_walk_shows(&look->threads))
		return true;
	read_thread(&look->scheduler, task, &thread);
	if (look->json)
		show_object(look->json, task, &thread);
	else
		show_cells(look->table, &thread);
	free_thread(&thread);
	return true;
}

static bool on_process(void *context, uint64_t link)
{
	struct look *look = context;
	const struct kmem_fields *fields = &look->kmem->fields;
	uint64_t task = link - fields->at[KMEM_F_TASK_TASKS].place.offset;
	struct dump_member signal = dump_read(look->kmem, KMEM_F_TASK_SIGNAL, task);
	struct kmem_walk walk = { 0 };

	if (!signal.status) {
		kmem_list(&look->kmem->space,
			  signal.value + fields->at[KMEM_F_SIGNAL_THREAD_HEAD].place.offset, &walk,
			  on_thread, look);
		signal.status = walk.end == KMEM_WALK_UNREADABLE ? walk.status : KMEM_READ_OK;
		look->threads.n_crooked += walk.n_crooked;
	}
	if (signal.status || walk.end == KMEM_WALK_CYCLE)
		look->n_unreadable++;
	return look->threads.end != KMEM_WALK_LIMIT;
}

static void walk_all(struct look *look, uint64_t init_task)
{
	kmem_walk_begin(&look->threads);
	kmem_list(&look->kmem->space,
		  init_task + look->kmem->fields.at[KMEM_F_TASK_TASKS].place.offset,
		  &look->processes, on_process, look);
	look->threads.n_crooked += look->processes.n_crooked;
	/* The list of processes is what can have broken off. */
	if (look->processes.end != KMEM_WALK_WHOLE && look->threads.end == KMEM_WALK_WHOLE) {
		look->threads.end = look->processes.end;
		look->threads.status = look->processes.status;
		look->threads.failed = look->processes.failed;
	}
}

struct error *dump_tasks(struct kmem *kmem, const struct dump_request *request,
			 struct dump_sink *sink)
{
	struct look look = { .kmem = kmem,
			     .json = sink->json,
			     .threads = dump_walk_wanted(sink, dump_wanted(request, sink)) };
	uint64_t init_task;
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_TASKS);

	if (!err)
		err = kmem_symbol(kmem, "init_task", &init_task);
	if (err)
		return err;
	dump_scheduler_init(&look.scheduler, kmem);
	if (sink->json) {
		json_key(sink->json, "tasks");
		json_begin_array(sink->json);
		walk_all(&look, init_task);
		json_end_array(sink->json);
		json_add_u64(sink->json, "processes", look.processes.n);
		if (look.n_unreadable)
			json_add_u64(sink->json, "broken_processes", look.n_unreadable);
	} else {
		_cleanup_(cleanup_table) struct table *table = table_new(columns,
									 ARRAY_SIZE(columns));

		look.table = table;
		walk_all(&look, init_task);
		dump_table(sink, table);
		if (look.n_unreadable)
			dump_line(sink, "threads of %llu processes cannot be listed",
				  (unsigned long long)look.n_unreadable);
	}
	dump_walk(sink, "threads", &look.threads);
	return NULL;
}
