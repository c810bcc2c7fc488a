// SPDX-License-Identifier: LGPL-2.1-or-later
/* sched_ext: the scheduler that is loaded, its CPUs and its queues. */
#include "dump/scx.h"

#include <string.h>

#include "base/alloc.h"
#include "btf/layout.h"
#include "dump/member.h"
#include "dump/rows.h"
#include "kmem/walk.h"
#include "text/terminal.h"

enum {
	TEXT_BYTES = 1024, /* SCX_EXIT_MSG_LEN */
	/* SCX_WATCHDOG_MAX_TIMEOUT, when the scheduler does not say. */
	DEFAULT_TIMEOUT_MS = 30000,
	HIGHEST_HZ = 10000,
	MOST_EVENTS = 256,
};

/*
 * The kernel does not say how often it ticks, but it has the watchdog's time twice: as the
 * scheduler gave it and in ticks.
 */
static void read_clock(struct dump_scx_view *view)
{
	struct dump_member jiffies = dump_read_variable(view->kmem, "jiffies_64", 8), ticks;
	uint64_t ms;

	view->clock.known = !jiffies.status;
	view->clock.jiffies = jiffies.value;
	if (!view->root || kmem_get(view->kmem, KMEM_F_SCX_OPS_TIMEOUT, view->root, &ms))
		return;
	ticks = dump_read(view->kmem, KMEM_F_SCX_WATCHDOG, view->root);
	if (ticks.status)
		ticks = dump_read_variable(view->kmem, "scx_watchdog_timeout", 8);
	if (!ms)
		ms = DEFAULT_TIMEOUT_MS;
	if (!ticks.status && ticks.value <= UINT64_MAX / 1000 &&
	    ticks.value * 1000 / ms <= HIGHEST_HZ)
		view->clock.hz = ticks.value * 1000 / ms;
}

/* "label: text"; what cannot be read is "?", what this kernel does not have is left out. */
static void show_text(struct dump_scx_view *view, const char *key, const char *label,
		      enum kmem_status status, const char *text)
{
	dump_add_text(view->sink, key, status, text);
	if (status != KMEM_READ_UNKNOWN)
		dump_line(view->sink, "%s: %s", label, status ? "?" : text);
}

static void show_state(struct dump_scx_view *view)
{
	_cleanup_strbuf_ struct strbuf word = STRBUF_INIT;
	struct dump_member state = dump_read_variable(view->kmem, "scx_enable_state_var", 4);

	dump_enum_name(view->kmem, "scx_enable_state", "SCX_", state.value, &word);
	show_text(view, "state", "state", state.status, strbuf_str(&word));
}

static void show_exit_text(struct dump_scx_view *view, enum kmem_field_id id, uint64_t base,
			   const char *key, const char *label)
{
	struct dump_member at = dump_read(view->kmem, id, base);
	enum kmem_status status = at.status;
	char text[TEXT_BYTES] = "";

	if (!status && at.value)
		status = kmem_read_text(&view->kmem->space, at.value, text, sizeof(text));
	if (status || text[0])
		show_text(view, key, label, status, text);
}

static void show_exit(struct dump_scx_view *view)
{
	struct dump_sink *sink = view->sink;
	_cleanup_strbuf_ struct strbuf word = STRBUF_INIT;
	struct dump_member kind = dump_read(view->kmem, KMEM_F_SCX_EXIT_KIND, view->root);
	struct dump_member info = dump_read(view->kmem, KMEM_F_SCX_EXIT_INFO, view->root);

	if (!dump_is_read(sink, "exit", kind.status)) {
		dump_line(sink, "exit: ?");
		return;
	}
	dump_enum_name(view->kmem, "scx_exit_kind", "SCX_EXIT_", kind.value, &word);
	dump_line(sink, "exit: %s", strbuf_str(&word));
	dump_open(sink, "exit");
	dump_add_u64(sink, "kind", kind.value);
	dump_add_string(sink, "word", strbuf_str(&word));
	if (kind.value && !info.status && info.value) {
		struct dump_member code = dump_read_signed(view->kmem, KMEM_F_SCX_EXIT_CODE,
							   info.value);

		dump_add_member(sink, "code", &code);
		show_exit_text(view, KMEM_F_SCX_EXIT_REASON, info.value, "reason", "exit reason");
		show_exit_text(view, KMEM_F_SCX_EXIT_MSG, info.value, "message", "exit message");
	} else if (kind.value && !dump_is_read(sink, "code", info.status)) {
		dump_line(sink, "exit reason: ?");
	}
	dump_close(sink);
}

static void show_bypass(struct dump_scx_view *view)
{
	struct dump_member depth = dump_read(view->kmem, KMEM_F_SCX_BYPASS_DEPTH, view->root);

	if (depth.status == KMEM_READ_UNKNOWN)
		depth = dump_read_variable(view->kmem, "scx_bypass_depth", 4);
	dump_add_member(view->sink, "bypass_depth", &depth);
	if (!depth.status && depth.value)
		dump_line(view->sink, "bypass: depth %llu", (unsigned long long)depth.value);
	else if (depth.status && depth.status != KMEM_READ_UNKNOWN)
		dump_line(view->sink, "bypass: depth ?");
}

/* Each CPU counts for itself. When one of them cannot be read there is no sum. */
static struct dump_member sum_event(struct dump_scx_view *view, uint64_t pcpu, uint64_t offset)
{
	struct kmem *kmem = view->kmem;
	struct dump_member sum = { .status = kmem->no_cpus ? KMEM_READ_UNREADABLE : KMEM_READ_OK,
				   .is_signed = true };
	uint64_t at, value;

	for (uint32_t cpu = 0; !sum.status && cpu < kmem->cpus.n; cpu++) {
		if (!kmem_cpus_address(&kmem->cpus, cpu, pcpu, &at))
			continue;
		sum.status = kmem_read_u64(&kmem->space, at + offset, &value);
		if (!sum.status)
			sum.value += value;
	}
	return sum;
}

/* As many counters as this kernel has, by the names it gives them. */
static void show_events(struct dump_scx_view *view)
{
	const struct kmem_field *field = &view->kmem->fields.at[KMEM_F_SCX_PCPU_EVENTS];
	const struct btf *btf = kmem_types(view->kmem);
	struct dump_sink *sink = view->sink;
	struct dump_member pcpu = dump_read(view->kmem, KMEM_F_SCX_PCPU, view->root);
	struct btf_type type;

	if (!btf || !field->known || pcpu.status == KMEM_READ_UNKNOWN ||
	    btf_resolve(btf, field->place.type, &type) != BTF_ANSWER_OK)
		return;
	if (!dump_is_read(sink, "events", pcpu.status)) {
		dump_line(sink, "events: ?");
		return;
	}
	dump_open(sink, "events");
	for (uint32_t i = 0; i < type.n && i < MOST_EVENTS; i++) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
		struct btf_member member;
		struct dump_member sum;

		if (!btf_get_member(btf, &type, i, &member) || member.bits)
			continue;
		sum = sum_event(view, pcpu.value, field->place.offset + member.bit_offset / 8);
		text_escape(&name, member.name);
		dump_add_member(sink, strbuf_str(&name), &sum);
		if (sum.status)
			dump_line(sink, "event %s: ?", strbuf_str(&name));
		else if (sum.value)
			dump_line(sink, "event %s: %lld", strbuf_str(&name), (long long)sum.value);
	}
	dump_close(sink);
}

static void show_scheduler(struct dump_scx_view *view)
{
	struct kmem *kmem = view->kmem;
	char name[256] = "";
	enum kmem_status named = kmem_get_text(kmem, KMEM_F_SCX_OPS_NAME, view->root, name,
					       sizeof(name));
	struct dump_member timeout = dump_read(kmem, KMEM_F_SCX_OPS_TIMEOUT, view->root);
	struct dump_member flags = dump_read(kmem, KMEM_F_SCX_OPS_FLAGS, view->root);

	show_text(view, "ops", "scheduler", named, name);
	dump_add_member(view->sink, "timeout_ms", &timeout);
	if (!timeout.status)
		dump_line(view->sink, "watchdog: %llu ms",
			  (unsigned long long)(timeout.value ? timeout.value : DEFAULT_TIMEOUT_MS));
	dump_add_member_hex(view->sink, "ops_flags", &flags);
	show_exit(view);
	show_bypass(view);
	show_events(view);
}

static bool take_runnable(void *context, uint64_t link)
{
	struct dump_scx_view *view = context;

	dump_scx_show_task(view, link - kmem_offset(view->kmem, KMEM_F_SCX_TASK_RUNNABLE), true);
	return true;
}

struct kmem_walk dump_scx_walk(struct dump_scx_view *view)
{
	struct kmem_walk walk = dump_walk_wanted(view->sink,
						 dump_wanted(view->request, view->sink));

	walk.steps_left = &view->steps_left;
	return walk;
}

struct cpu_row {
	uint64_t nr_running;
	struct dump_text flags, curr;
	struct dump_member released, ops_qseq, clock;
};

static const struct dump_column cpu_columns[] = {
	{ .key = "nr_running", DUMP_U64(cpu_row, nr_running) },
	{ .key = "flags", DUMP_TEXT(cpu_row, flags) },
	{ .key = "released", DUMP_FIELD_BOOL(cpu_row, released, SCX_RQ_RELEASED) },
	{ .key = "ops_qseq", DUMP_FIELD(cpu_row, ops_qseq, SCX_RQ_QSEQ) },
	{ .key = "clock_ns", DUMP_FIELD(cpu_row, clock, SCX_RQ_CLOCK) },
	{ .key = "curr", DUMP_TEXT(cpu_row, curr) },
};

static void show_runqueue(struct dump_scx_view *view, uint32_t cpu, uint64_t rq)
{
	struct kmem *kmem = view->kmem;
	struct dump_sink *sink = view->sink;
	_cleanup_free_ char *label = xasprintf("cpu %u", cpu);
	_cleanup_strbuf_ struct strbuf flags = STRBUF_INIT, curr = STRBUF_INIT;
	struct kmem_walk walk = dump_scx_walk(view);
	struct dump_member task = dump_read(kmem, KMEM_F_RQ_CURR, rq);
	struct cpu_row row = { 0 };
	uint64_t bits;

	if (kmem_get(kmem, KMEM_F_SCX_RQ_NR, rq, &row.nr_running) ||
	    kmem_get(kmem, KMEM_F_SCX_RQ_FLAGS, rq, &bits)) {
		dump_unavailable(sink, "unavailable", label, "its runqueue cannot be read");
		return;
	}
	dump_flag_names(kmem, "scx_rq_flags", "SCX_RQ_", bits, &flags);
	if (!task.status)
		dump_task_name(kmem, task.value, &curr);
	dump_row_read(kmem, rq, cpu_columns, ARRAY_SIZE(cpu_columns), &row);
	row.flags.text = strbuf_str(&flags);
	row.curr = (struct dump_text){ task.status, strbuf_str(&curr) };
	dump_row_add(sink, cpu_columns, ARRAY_SIZE(cpu_columns), &row);
	dump_line(sink, "%s: %llu runnable, %s runs, flags %s", label,
		  (unsigned long long)row.nr_running, task.status ? "?" : row.curr.text,
		  row.flags.text);
	sink->indent += 2;
	dump_open_list(sink, "runnable");
	kmem_list(&kmem->space, rq + kmem_offset(kmem, KMEM_F_SCX_RQ_RUNNABLE), &walk,
		  take_runnable, view);
	dump_close_list(sink);
	dump_walk(sink, "runnable", &walk);
	sink->indent -= 2;
}

static void show_cpus(struct dump_scx_view *view)
{
	struct kmem *kmem = view->kmem;
	uint64_t rq;

	dump_open_list(view->sink, "cpus");
	for (uint32_t cpu = 0; cpu < kmem->cpus.n; cpu++) {
		if (!kmem_cpus_address(&kmem->cpus, cpu, view->runqueues, &rq))
			continue;
		dump_open(view->sink, NULL);
		dump_add_u64(view->sink, "cpu", cpu);
		show_runqueue(view, cpu, rq);
		dump_close(view->sink);
	}
	dump_close_list(view->sink);
	if (kmem->no_cpus)
		dump_unavailable(view->sink, "cpus_unavailable", "CPUs and their queues",
				 error_message(kmem->no_cpus));
}

/* Two kinds of kernels lack all of it, and each has one reason. */
static struct error *check_kernel(const struct kmem *kmem)
{
	if (!kmem->fields.at[KMEM_F_SCX_TASK_FLAGS].known)
		return kmem_error(KMEM_NO_FIELD, 0, "this kernel is built without sched_ext");
	if (!kmem->fields.at[KMEM_F_SCX_OPS_NAME].known)
		return kmem_error(
			KMEM_NO_FIELD, 0,
			"this kernel has a sched_ext from before Linux 6.17, whose state is not read");
	return NULL;
}

struct error *dump_scx(struct kmem *kmem, const struct dump_request *request,
		       struct dump_sink *sink)
{
	struct dump_scx_view view = {
		.kmem = kmem, .request = request, .sink = sink, .steps_left = KMEM_LIMIT_WALK
	};
	struct error *err = check_kernel(kmem);

	if (!err)
		err = kmem_fields_require(&kmem->fields, KMEM_VIEW_SCX);
	if (!err)
		err = kmem_fields_require(&kmem->fields, KMEM_VIEW_TASKS);
	if (!err)
		err = kmem_variable(kmem, "scx_root", 8, &view.root);
	if (!err)
		err = kmem_symbol(kmem, "runqueues", &view.runqueues);
	if (err)
		return err;
	read_clock(&view);
	show_state(&view);
	if (view.root)
		show_scheduler(&view);
	else
		dump_line(sink, "no scheduler is loaded");
	if (view.clock.known)
		dump_add_u64(sink, "jiffies", view.clock.jiffies);
	if (view.clock.hz)
		dump_add_u64(sink, "hz", view.clock.hz);
	show_cpus(&view);
	dump_scx_show_dsqs(&view);
	return NULL;
}
