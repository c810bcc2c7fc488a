// SPDX-License-Identifier: LGPL-2.1-or-later
/* Dispatch queues and the tasks of sched_ext that wait in them for a CPU. */
#include "dump/scx.h"

#include "base/alloc.h"
#include "dump/rows.h"
#include "kmem/walk.h"

enum {
	/* enum scx_ent_flags, Linux 6.12: runnable_at is to be set when it is looked at next. */
	TASK_RESET_RUNNABLE_AT = 1 << 2,
	MS_PER_SECOND = 1000,
};

struct row {
	uint64_t address;
	struct dump_text comm;
	struct dump_member pid, slice, vtime, weight, cpu;
	struct dump_member age_jiffies, age_ms; /* KMEM_READ_UNKNOWN: it has no age */
	struct dump_member dsq;
	char comm_bytes[64];
};

static const struct dump_column columns[] = {
	{ .key = "comm", DUMP_TEXT(row, comm) },
	{ .key = "pid", DUMP_FIELD(row, pid, TASK_PID) },
	{ .key = "slice_ns", DUMP_FIELD(row, slice, SCX_TASK_SLICE) },
	{ .key = "vtime", DUMP_FIELD(row, vtime, SCX_TASK_VTIME) },
	{ .key = "weight", DUMP_FIELD(row, weight, SCX_TASK_WEIGHT) },
	{ .key = "cpu", DUMP_FIELD(row, cpu, TASK_CPU) },
	{ .key = "age_jiffies", DUMP_MEMBER(row, age_jiffies) },
	{ .key = "age_ms", DUMP_MEMBER(row, age_ms) },
	{ .key = "dsq", DUMP_MEMBER_HEX(row, dsq) },
	{ .key = "address", DUMP_HEX(row, address) },
};

static void read_age(struct dump_scx_view *view, uint64_t task, struct row *row)
{
	struct dump_member flags = dump_read(view->kmem, KMEM_F_SCX_TASK_FLAGS, task);
	struct dump_member since = dump_read(view->kmem, KMEM_F_SCX_TASK_SINCE, task);
	struct dump_member age = { .status = flags.status ? flags.status : since.status }, ms;

	if (!view->clock.known ||
	    (!age.status && (flags.value & TASK_RESET_RUNNABLE_AT || !since.value)))
		age.status = KMEM_READ_UNKNOWN;
	/* A tick may come between the two. */
	if (!age.status && view->clock.jiffies > since.value)
		age.value = view->clock.jiffies - since.value;
	ms = age;
	if (!view->clock.hz || __builtin_mul_overflow(age.value, MS_PER_SECOND, &ms.value))
		ms.status = KMEM_READ_UNKNOWN;
	else
		ms.value /= view->clock.hz;
	row->age_jiffies = age;
	row->age_ms = ms;
}

/* The id of the queue in which it is; KMEM_READ_UNKNOWN: it is in none. */
static struct dump_member read_dsq_id(struct dump_scx_view *view, uint64_t task)
{
	struct dump_member dsq = dump_read(view->kmem, KMEM_F_SCX_TASK_DSQ, task);

	if (!dsq.status && !dsq.value)
		dsq.status = KMEM_READ_UNKNOWN;
	return dsq.status ? dsq : dump_read(view->kmem, KMEM_F_SCX_DSQ_ID, dsq.value);
}

/* "  slice 5 ns", "  slice ?"; nothing when this kernel does not have it. */
static void add_part(struct strbuf *line, const char *what, const struct dump_member *member,
		     const char *unit)
{
	if (!member->status)
		strbuf_appendf(line, "  %s %llu %s", what, (unsigned long long)member->value, unit);
	else if (member->status != KMEM_READ_UNKNOWN)
		strbuf_appendf(line, "  %s ?", what);
}

void dump_scx_show_task(struct dump_scx_view *view, uint64_t task, bool dsq)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	struct row row = { .address = task, .dsq = { .status = KMEM_READ_UNKNOWN } };

	dump_row_read(view->kmem, task, columns, ARRAY_SIZE(columns), &row);
	row.comm.status = kmem_get_text(view->kmem, KMEM_F_TASK_COMM, task, row.comm_bytes,
					sizeof(row.comm_bytes));
	row.comm.text = row.comm_bytes;
	read_age(view, task, &row);
	if (dsq)
		row.dsq = read_dsq_id(view, task);
	dump_open(view->sink, NULL);
	dump_row_add(view->sink, columns, ARRAY_SIZE(columns), &row);
	dump_close(view->sink);
	dump_task_name(view->kmem, task, &line);
	if (!row.age_ms.status)
		add_part(&line, "runnable for", &row.age_ms, "ms");
	else
		add_part(&line, "runnable for", &row.age_jiffies, "jiffies");
	add_part(&line, "slice", &row.slice, "ns");
	if (!row.dsq.status)
		strbuf_appendf(&line, "  in queue %#llx", (unsigned long long)row.dsq.value);
	else if (dsq)
		strbuf_append(&line, row.dsq.status == KMEM_READ_UNKNOWN ? "  in no queue"
									 : "  in queue ?");
	dump_line(view->sink, "%s", strbuf_str(&line));
}

enum {
	/* enum scx_dsq_lnode_flags, Linux 6.12: a place that an iterator keeps, no task. */
	LINK_IS_CURSOR = 1,
	MOST_EMPTY_IDS = 8,
	MOST_NODES = 1024, /* MAX_NUMNODES of x86 with CONFIG_NODES_SHIFT=10 */
};

struct dsq_walk {
	struct dump_scx_view *view;
	uint64_t n_cursors;
};

static bool take_task(void *context, uint64_t link)
{
	struct dsq_walk *w = context;
	uint64_t task = link - kmem_offset(w->view->kmem, KMEM_F_SCX_TASK_LINK), flags;

	if (kmem_get(w->view->kmem, KMEM_F_SCX_TASK_LINK_FLAGS, task, &flags) == KMEM_READ_OK &&
	    flags & LINK_IS_CURSOR)
		w->n_cursors++;
	else
		dump_scx_show_task(w->view, task, false);
	return true;
}

/* Nobody waits in it, and its list says the same. */
static bool is_empty(struct kmem *kmem, uint64_t address, uint64_t n)
{
	uint64_t head = address + kmem_offset(kmem, KMEM_F_SCX_DSQ_LIST), next;

	return n == 0 && kmem_read_u64(&kmem->space, head, &next) == KMEM_READ_OK && next == head;
}

static const char *const origins[DUMP_SCX_N_ORIGINS] = { "local cpu", "bypass cpu", "global node",
							 "user" };

/* In text all of them are one line. */
static void count_empty(struct dump_scx_view *view, const char *origin, uint64_t id)
{
	for (size_t i = 0; i < DUMP_SCX_N_ORIGINS; i++)
		view->empty.n[i] += strcmp(origin, origins[i]) == 0;
	if (strcmp(origin, "user") == 0 && view->empty.n_ids++ < MOST_EMPTY_IDS)
		strbuf_appendf(&view->empty.ids, " %#llx", (unsigned long long)id);
}

/* "6 empty queues: 4 local cpu, 1 global node, 1 user, id 0x1" */
static void say_empty(struct dump_scx_view *view)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	const struct dump_scx_empty *empty = &view->empty;
	uint64_t all = 0;

	for (size_t i = 0; i < DUMP_SCX_N_ORIGINS; i++) {
		if (empty->n[i])
			strbuf_appendf(&line, "%s %llu %s", all ? "," : "",
				       (unsigned long long)empty->n[i], origins[i]);
		all += empty->n[i];
	}
	if (all)
		dump_line(view->sink, "%llu empty queues:%s%s%s%s", (unsigned long long)all,
			  strbuf_str(&line), empty->n_ids ? ", id" : "", strbuf_str(&empty->ids),
			  empty->n_ids > MOST_EMPTY_IDS ? " …" : "");
}

static void show_tasks(struct dump_scx_view *view, uint64_t address)
{
	struct kmem *kmem = view->kmem;
	struct dsq_walk w = { .view = view };
	struct kmem_walk walk = dump_scx_walk(view);

	view->sink->indent += 2;
	dump_open_list(view->sink, "tasks");
	kmem_list(&kmem->space, address + kmem_offset(kmem, KMEM_F_SCX_DSQ_LIST), &walk, take_task,
		  &w);
	walk.n -= w.n_cursors;
	walk.n_shown -= w.n_cursors;
	dump_close_list(view->sink);
	dump_walk(view->sink, "tasks", &walk);
	view->sink->indent -= 2;
}

/* Address is that of struct scx_dispatch_q; `number` of the CPU or node, -1: it has an id. */
static void show_dsq(struct dump_scx_view *view, const char *origin, int64_t number,
		     uint64_t address)
{
	struct kmem *kmem = view->kmem;
	struct dump_sink *sink = view->sink;
	_cleanup_free_ char *name = number >= 0
					    ? xasprintf("queue %s %lld", origin, (long long)number)
					    : xasprintf("queue %s", origin);
	uint64_t id = 0, n = 0;
	_cleanup_error_ struct error *err = dump_kernel_member(kmem, KMEM_F_SCX_DSQ_ID, address,
							       &id);

	if (!err)
		err = dump_kernel_member(kmem, KMEM_F_SCX_DSQ_NR, address, &n);
	if (sink->text && !err && is_empty(kmem, address, n)) {
		count_empty(view, origin, id);
		return;
	}
	dump_open(sink, NULL);
	dump_add_string(sink, "origin", origin);
	if (number >= 0)
		dump_add_u64(sink, "number", (uint64_t)number);
	if (err) {
		dump_unavailable(sink, "unavailable", name, error_message(err));
	} else {
		dump_add_hex(sink, "id", id);
		dump_add_u64(sink, "nr", n);
		dump_line(sink, "%s, id %#llx: %llu tasks", name, (unsigned long long)id,
			  (unsigned long long)n);
		show_tasks(view, address);
	}
	dump_close(sink);
}

/* Queues that may be there but cannot be found. */
static void say_missing(struct dump_scx_view *view, const char *origin, const char *why)
{
	_cleanup_free_ char *label = xasprintf("queues of %s", origin);

	dump_open(view->sink, NULL);
	dump_add_string(view->sink, "origin", origin);
	dump_unavailable(view->sink, "unavailable", label, why);
	dump_close(view->sink);
}

static void show_of_cpus(struct dump_scx_view *view)
{
	struct kmem *kmem = view->kmem;
	const struct kmem_field *fields = kmem->fields.at;
	enum kmem_status status = KMEM_READ_OK;
	uint64_t pcpu = 0, at;

	if (view->root)
		status = kmem_get(kmem, KMEM_F_SCX_PCPU, view->root, &pcpu);
	if (status)
		pcpu = 0;
	if (status && fields[KMEM_F_SCX_PCPU_BYPASS_DSQ].known)
		say_missing(view, "bypass", kmem_status_name(status));
	for (uint32_t cpu = 0; cpu < kmem->cpus.n; cpu++) {
		if (kmem_cpus_address(&kmem->cpus, cpu, view->runqueues, &at)) {
			show_dsq(view, "local cpu", cpu,
				 at + fields[KMEM_F_SCX_RQ_LOCAL].place.offset);
			if (fields[KMEM_F_SCX_RQ_BYPASS].known)
				show_dsq(view, "bypass cpu", cpu,
					 at + fields[KMEM_F_SCX_RQ_BYPASS].place.offset);
		}
		if (pcpu && fields[KMEM_F_SCX_PCPU_BYPASS_DSQ].known &&
		    kmem_cpus_address(&kmem->cpus, cpu, pcpu, &at))
			show_dsq(view, "bypass cpu", cpu,
				 at + fields[KMEM_F_SCX_PCPU_BYPASS_DSQ].place.offset);
	}
}

/* One for each memory node: pointers to queues, later to structs that begin with one. */
static void show_of_nodes(struct dump_scx_view *view)
{
	struct kmem *kmem = view->kmem;
	const struct kmem_field *inner = &kmem->fields.at[KMEM_F_SCX_PNODE_GLOBAL_DSQ];
	enum kmem_field_id id = kmem->fields.at[KMEM_F_SCX_PNODE].known ? KMEM_F_SCX_PNODE
									: KMEM_F_SCX_GLOBAL_DSQS;
	struct dump_member array = dump_read(kmem, id, view->root);
	uint64_t at, n_nodes = 1;

	if (id == KMEM_F_SCX_PNODE && !inner->known)
		array.status = KMEM_READ_UNKNOWN;
	/* A kernel for one node has no such variable. */
	error_free(kmem_variable(kmem, "nr_node_ids", 4, &n_nodes));
	for (uint64_t node = 0; !array.status && node < n_nodes && node < MOST_NODES; node++) {
		array.status = kmem_read_u64(&kmem->space, array.value + 8 * node, &at);
		if (array.status)
			break;
		/* Numbers of nodes that do not exist. */
		if (!at)
			continue;
		show_dsq(view, "global node", (int64_t)node,
			 at + (id == KMEM_F_SCX_PNODE ? inner->place.offset : 0));
	}
	if (array.status)
		say_missing(view, "nodes", kmem_status_name(array.status));
}

static bool take_dsq(void *context, uint64_t link)
{
	struct dump_scx_view *view = context;

	show_dsq(view, "user", -1, link - kmem_offset(view->kmem, KMEM_F_SCX_DSQ_NODE));
	return true;
}

static struct error *show_of_scheduler(struct dump_scx_view *view, struct kmem_walk *walk)
{
	uint64_t hash, node;
	struct error *err = dump_kernel_offset(view->kmem, KMEM_F_SCX_DSQ_HASH, &hash);

	if (!err)
		err = dump_kernel_offset(view->kmem, KMEM_F_SCX_DSQ_NODE, &node);
	if (!err)
		err = kmem_rhashtable(&view->kmem->space, &view->kmem->fields, view->root + hash,
				      walk, take_dsq, view);
	return err;
}

void dump_scx_show_dsqs(struct dump_scx_view *view)
{
	struct dump_sink *sink = view->sink;
	struct kmem_walk walk = dump_scx_walk(view);
	_cleanup_error_ struct error *err = NULL;

	dump_open_list(sink, "dsqs");
	show_of_cpus(view);
	if (view->root) {
		show_of_nodes(view);
		err = show_of_scheduler(view, &walk);
	}
	dump_close_list(sink);
	say_empty(view);
	strbuf_deinit(&view->empty.ids);
	if (!view->root)
		return;
	if (err) {
		dump_unavailable(sink, "user_dsqs_unavailable", "queues of the scheduler",
				 error_message(err));
		return;
	}
	dump_open(sink, "user_dsqs");
	dump_walk(sink, "queues of the scheduler", &walk);
	dump_close(sink);
}
