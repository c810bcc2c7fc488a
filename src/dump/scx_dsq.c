// SPDX-License-Identifier: LGPL-2.1-or-later
/* Dispatch queues and the tasks in them. */
#include "base/alloc.h"
#include "dump/member.h"
#include "dump/scx.h"
#include "kmem/walk.h"

enum {
	/* enum scx_dsq_lnode_flags, Linux 6.12: a place that an iterator keeps, no task. */
	LINK_IS_CURSOR = 1,
	MOST_EMPTY_IDS = 8,
	MOST_NODES = 1024, /* MAX_NUMNODES of x86 with CONFIG_NODES_SHIFT=10 */
};

struct dsq_walk {
	struct dump_scx_view *view;
	uint64_t link, flags; /* in task_struct */
	uint64_t n_cursors;
};

static bool take_task(void *context, uint64_t link)
{
	struct dsq_walk *w = context;
	uint64_t task = link - w->link, flags;

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
	struct dsq_walk w = { .view = view, .link = kmem_offset(kmem, KMEM_F_SCX_TASK_LINK) };
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
		if (!kmem_cpus_is_possible(&kmem->cpus, cpu))
			continue;
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
