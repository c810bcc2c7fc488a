// SPDX-License-Identifier: LGPL-2.1-or-later
/* Kernel stacks: of one task by its number, of those with a name, or of all. */
#include <stdlib.h>
#include <string.h>

#include "dump/member.h"
#include "dump/stack.h"
#include "kmem/walk.h"

/* TASK_COMM_LEN of Linux, less the NUL. */
enum { TASK_NAME_CHARS = 15 };

struct view {
	struct dump_stacks stacks;
	struct dump_sink *sink;
	struct kmem_walk threads; /* of the list that is walked now */
	enum which { STACKS_ALL, STACKS_OF_PID, STACKS_OF_NAME } which;
	uint64_t pid;
	const char *name;
	uint64_t n_shown, n, wanted;
	uint64_t steps_left;   /* of all lists */
	uint64_t n_unreadable; /* tasks, also those that idle, of which not even the number is known
				*/
};

static void show_frame(struct view *v, const struct dump_frame *frame)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct dump_sink *sink = v->sink;
	struct dump_code_name found;
	bool named = dump_code_name(&v->stacks.code, frame->ip, frame->is_return, &found);

	if (named)
		dump_code_format(&found, &name);
	else
		strbuf_appendf(&name, "0x%llx", (unsigned long long)frame->ip);
	dump_line(sink, "%s%s", frame->guessed ? "? " : "", strbuf_str(&name));
	dump_open(sink, NULL);
	dump_add_hex(sink, "ip", frame->ip);
	dump_add_hex(sink, "sp", frame->sp);
	if (named) {
		dump_add_string(sink, "symbol", found.symbol);
		dump_add_u64(sink, "offset", found.offset);
		if (found.bytes)
			dump_add_u64(sink, "size", found.bytes);
		dump_add_string(sink, "module", found.module);
	}
	dump_add_bool(sink, "reliable", !frame->guessed);
	dump_close(sink);
}

/* NULL: it is whole. */
static const char *end_word(const struct dump_stack *stack)
{
	return stack->end == DUMP_STACK_BROKEN	? stack->reason
	       : stack->end == DUMP_LIMIT_STACK ? "there are more frames"
						: NULL;
}

static const char *const state_words[] = { [DUMP_STACK_ASLEEP] = "asleep",
					   [DUMP_STACK_ON_CPU] = "on-cpu",
					   [DUMP_STACK_IN_USER] = "user" };
static const char *const switching_words[] = {
	[DUMP_SWITCHING_IN] = "in", [DUMP_SWITCHING_OUT] = "out"
};

static void show_place(struct dump_sink *sink, const struct dump_stack_place *place)
{
	bool asleep = place->state == DUMP_STACK_ASLEEP;
	const char *switching = switching_words[place->switching];

	dump_add_string(sink, "state", state_words[place->state]);
	dump_add_string(sink, "switching", switching);
	if (!asleep || switching)
		dump_add_u64(sink, "cpu", place->cpu);
	if (!asleep)
		dump_line(sink, "on CPU %u%s%s%s", place->cpu,
			  place->state == DUMP_STACK_IN_USER ? ", outside the kernel" : "",
			  switching ? ", being switched " : "", switching ? switching : "");
	else if (switching)
		dump_line(sink, "off CPU, being switched %s on CPU %u", switching, place->cpu);
}

static void show_stack(struct view *v, uint64_t task)
{
	struct dump_sink *sink = v->sink;
	_cleanup_free_ struct dump_stack *stack = xnew(struct dump_stack);
	struct dump_stack_place place;
	_cleanup_error_ struct error *err = dump_task_stack(&v->stacks, task, stack, &place);
	const char *why = err ? error_message(err) : end_word(stack);

	if (!err)
		show_place(sink, &place);
	dump_add_string(sink, err ? "unavailable" : "incomplete", why);
	dump_open_list(sink, "frames");
	for (size_t i = 0; i < stack->n; i++)
		show_frame(v, &stack->frames[i]);
	dump_close_list(sink);
	if (why)
		dump_line(sink, "%s: %s", err ? "unavailable" : "incomplete", why);
}

static void show_task(struct view *v, uint64_t task, uint64_t pid, int64_t idle_cpu)
{
	struct dump_sink *sink = v->sink;
	char comm[32] = "";
	enum kmem_status named = kmem_get_text(v->stacks.kmem, KMEM_F_TASK_COMM, task, comm,
					       sizeof(comm));

	/* The kernel cuts names; what is asked for is cut in the same way. */
	if (v->which == STACKS_OF_NAME &&
	    (named != KMEM_READ_OK || strncmp(comm, v->name, TASK_NAME_CHARS) != 0))
		return;
	v->n++;
	/* Do not format text that no line is left for. */
	if (!sink->json && !sink->lines_left) {
		sink->lines_lost++;
		return;
	}
	if ((v->wanted && v->n_shown == v->wanted) || dump_sink_is_full(sink))
		return;
	v->n_shown++;
	dump_open(sink, NULL);
	dump_add_u64(sink, "pid", pid);
	if (idle_cpu >= 0)
		dump_add_u64(sink, "idle_of_cpu", (uint64_t)idle_cpu);
	dump_add_text(sink, "comm", named, comm);
	dump_line(sink, "%llu %s", (unsigned long long)pid, named ? "(unknown)" : comm);
	sink->indent += 2;
	show_stack(v, task);
	sink->indent -= 2;
	dump_close(sink);
}

/* A number is that of one task, a name may be that of several. */
static bool is_found(const struct view *v)
{
	return v->which == STACKS_OF_PID && v->n;
}

static bool take_thread(void *context, uint64_t link)
{
	struct view *v = context;
	struct kmem *kmem = v->stacks.kmem;
	uint64_t task = link - kmem_offset(kmem, KMEM_F_TASK_THREAD_NODE), pid;

	if (kmem_get(kmem, KMEM_F_TASK_PID, task, &pid) != KMEM_READ_OK)
		v->n_unreadable++;
	else if (v->which != STACKS_OF_PID || pid == v->pid)
		show_task(v, task, pid, -1);
	return !is_found(v);
}

static bool take_process(void *context, uint64_t link)
{
	struct view *v = context;
	struct kmem *kmem = v->stacks.kmem;
	uint64_t task = link - kmem_offset(kmem, KMEM_F_TASK_TASKS), signal;
	/* All lists together have as many steps as one: rings through each other end as well. */
	struct kmem_walk threads = { .steps_left = &v->steps_left };

	if (kmem_get(kmem, KMEM_F_TASK_SIGNAL, task, &signal) != KMEM_READ_OK) {
		v->n_unreadable++;
		return true;
	}
	kmem_list(&kmem->space, signal + kmem_offset(kmem, KMEM_F_SIGNAL_THREAD_HEAD), &threads,
		  take_thread, v);
	if (threads.end != KMEM_WALK_WHOLE && threads.end != KMEM_WALK_STOPPED)
		v->threads = threads;
	return !is_found(v);
}

static void show_idle(struct view *v)
{
	struct kmem *kmem = v->stacks.kmem;
	uint64_t runqueues = 0, rq, task;
	_cleanup_error_ struct error *err = kmem_symbol(kmem, "runqueues", &runqueues);

	for (uint32_t cpu = 0; !err && cpu < kmem->cpus.n; cpu++) {
		if (!kmem_cpus_is_online(&kmem->cpus, cpu) ||
		    !kmem_cpus_address(&kmem->cpus, cpu, runqueues, &rq))
			continue;
		if (kmem_get(kmem, KMEM_F_RQ_IDLE, rq, &task) == KMEM_READ_OK)
			show_task(v, task, 0, cpu);
		else
			v->n_unreadable++;
	}
}

static struct error *show_tasks(struct view *v)
{
	struct kmem *kmem = v->stacks.kmem;
	struct kmem_walk walk = { .steps_left = &v->steps_left };
	uint64_t first;
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_TASKS);

	if (!err)
		err = kmem_symbol(kmem, "init_task", &first);
	if (err)
		return err;
	if (v->which != STACKS_OF_PID || v->pid == 0)
		show_idle(v);
	if (v->which == STACKS_OF_PID && v->pid == 0)
		return NULL;
	kmem_list(&kmem->space, first + kmem_offset(kmem, KMEM_F_TASK_TASKS), &walk, take_process,
		  v);
	if (walk.end != KMEM_WALK_WHOLE && walk.end != KMEM_WALK_STOPPED)
		v->threads = walk;
	return NULL;
}

/* A number of a task is decimal; all else is a name, but for "all". */
static struct error *parse_which(struct view *v, const char *text)
{
	char *end;
	unsigned long long value;

	v->which = STACKS_ALL;
	if (!text || strcmp(text, "all") == 0)
		return NULL;
	if (!*text)
		return base_error(BASE_PARSE, 0, "the name of a task is empty");
	v->which = STACKS_OF_NAME;
	v->name = text;
	if (strspn(text, "0123456789") != strlen(text))
		return NULL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || value > INT32_MAX)
		return base_error(BASE_PARSE, 0, "\"%s\" is not a number of a task", text);
	v->which = STACKS_OF_PID;
	v->pid = value;
	return NULL;
}

static void show_end(struct view *v)
{
	struct dump_sink *sink = v->sink;
	_cleanup_strbuf_ struct strbuf how = STRBUF_INIT;

	kmem_walk_format(&v->threads, &how);
	dump_add_u64(sink, "shown", v->n_shown);
	dump_add_u64(sink, "total", v->n);
	if (v->n_shown < v->n)
		dump_line(sink, "stacks: shown %llu of %llu", (unsigned long long)v->n_shown,
			  (unsigned long long)v->n);
	dump_say(sink, "incomplete", "a list of tasks is incomplete",
		 v->threads.end == KMEM_WALK_WHOLE ? NULL : strbuf_str(&how));
	dump_say_count(sink, "unreadable", v->n_unreadable, "tasks cannot be read");
}

struct error *dump_stack(struct kmem *kmem, const struct dump_request *request,
			 struct dump_sink *sink)
{
	struct view v = { .sink = sink,
			  .wanted = request->max_entries,
			  .steps_left = KMEM_LIMIT_WALK };
	struct error *err = parse_which(&v, request->argument);

	if (!err)
		err = dump_stacks_init(&v.stacks, kmem, request);
	if (err)
		return err;
	dump_open_list(sink, "stacks");
	err = show_tasks(&v);
	dump_close_list(sink);
	if (!err && v.which != STACKS_ALL && v.n == 0 &&
	    (v.n_unreadable || v.threads.end != KMEM_WALK_WHOLE))
		err = kmem_error(KMEM_UNREAD, 0,
				 "no task %s was found, but not all tasks can be read",
				 request->argument);
	else if (!err && v.which != STACKS_ALL && v.n == 0)
		err = base_error(BASE_ABSENT, 0, "there is no task %s", request->argument);
	if (!err)
		show_end(&v);
	dump_stacks_deinit(&v.stacks);
	return err;
}
