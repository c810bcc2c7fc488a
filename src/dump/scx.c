// SPDX-License-Identifier: LGPL-2.1-or-later
/* sched_ext: the scheduler that is loaded, its CPUs and its queues. */
#include "dump/scx.h"

#include <string.h>

#include "btf/layout.h"
#include "dump/kernel_read.h"
#include "dump/member.h"
#include "kmem/list.h"
#include "text/escape.h"

enum {
	TEXT_BYTES = 1024, /* SCX_EXIT_MSG_LEN */
	/* SCX_WATCHDOG_MAX_TIMEOUT, when the scheduler does not say. */
	DEFAULT_TIMEOUT_MS = 30000,
	HIGHEST_HZ = 10000,
	MOST_EVENTS = 256,
};

static bool read_number(struct scx_view *view, enum kmem_field_id id, uint64_t base, uint64_t *ret)
{
	return kmem_field_read(&view->kmem->fields, &view->kmem->space, id, base, ret) ==
	       KMEM_READ_OK;
}

static bool read_variable(struct scx_view *view, const char *name, unsigned int width,
			  uint64_t *ret)
{
	struct dump_member variable = dump_read_variable(view->kmem, name, width);

	*ret = variable.value;
	return variable.status == KMEM_READ_OK;
}

static void add_number(struct scx_view *view, const char *key, uint64_t value)
{
	if (view->sink->json)
		json_add_u64(view->sink->json, key, value);
}

/* Into JSON; true: it could be read. */
static bool add_member(struct scx_view *view, const char *key, const struct dump_member *member)
{
	if (view->sink->json)
		dump_member_json(view->sink->json, key, member);
	return member->status == KMEM_READ_OK;
}

/*
 * The kernel does not say how often it ticks, but it has the watchdog's time twice: as the
 * scheduler gave it and in ticks.
 */
static void read_clock(struct scx_view *view)
{
	uint64_t ms, ticks;

	view->clock.known = read_variable(view, "jiffies_64", 8, &view->clock.jiffies);
	if (!view->root || !read_number(view, KMEM_F_SCX_OPS_TIMEOUT, view->root, &ms) ||
	    (!read_number(view, KMEM_F_SCX_WATCHDOG, view->root, &ticks) &&
	     !read_variable(view, "scx_watchdog_timeout", 8, &ticks)))
		return;
	if (!ms)
		ms = DEFAULT_TIMEOUT_MS;
	if (ticks && ticks <= UINT64_MAX / 1000 && ticks * 1000 / ms <= HIGHEST_HZ)
		view->clock.hz = ticks * 1000 / ms;
}

static void show_state(struct scx_view *view)
{
	_cleanup_strbuf_ struct strbuf word = STRBUF_INIT;
	struct dump_member state = dump_read_variable(view->kmem, "scx_enable_state_var", 4);

	dump_enum_word(view->kmem, "scx_enable_state", "SCX_", state.value, &word);
	if (view->sink->json)
		dump_text_json(view->sink->json, "state", state.status, strbuf_str(&word));
	else if (state.status != KMEM_READ_UNKNOWN)
		dump_line(view->sink, "state: %s", state.status ? "?" : strbuf_str(&word));
}

static void show_text(struct scx_view *view, enum kmem_field_id id, uint64_t base, const char *key)
{
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;
	struct dump_member at = dump_read(view->kmem, id, base);
	enum kmem_status status = at.status;
	char text[TEXT_BYTES] = "";

	if (!status && at.value)
		status = kmem_read_text(&view->kmem->space, at.value, text, sizeof(text));
	/* There is none. */
	if (!status && !text[0])
		return;
	if (view->sink->json) {
		dump_text_json(view->sink->json, key, status, text);
	} else if (status != KMEM_READ_UNKNOWN) {
		text_escape(&safe, status ? "?" : text);
		dump_line(view->sink, "exit %s: %s", key, strbuf_str(&safe));
	}
}

static void show_exit(struct scx_view *view)
{
	struct json_writer *json = view->sink->json;
	_cleanup_strbuf_ struct strbuf word = STRBUF_INIT;
	struct dump_member kind = dump_read(view->kmem, KMEM_F_SCX_EXIT_KIND, view->root);
	struct dump_member info = dump_read(view->kmem, KMEM_F_SCX_EXIT_INFO, view->root);

	if (kind.status) {
		if (json)
			(void)dump_is_read(json, "exit", kind.status);
		dump_line(view->sink, "exit: ?");
		return;
	}
	dump_enum_word(view->kmem, "scx_exit_kind", "SCX_EXIT_", kind.value, &word);
	dump_line(view->sink, "exit: %s", strbuf_str(&word));
	if (json) {
		json_key(json, "exit");
		json_begin_object(json);
		json_add_u64(json, "kind", kind.value);
		json_add_string(json, "word", strbuf_str(&word));
	}
	if (kind.value && !info.status && info.value) {
		struct dump_member code = dump_read_signed(view->kmem, KMEM_F_SCX_EXIT_CODE,
							   info.value);

		(void)add_member(view, "code", &code);
		show_text(view, KMEM_F_SCX_EXIT_REASON, info.value, "reason");
		show_text(view, KMEM_F_SCX_EXIT_MSG, info.value, "message");
	} else if (kind.value && info.status) {
		if (json)
			(void)dump_is_read(json, "code", info.status);
		dump_line(view->sink, "exit reason: ?");
	}
	if (json)
		json_end_object(json);
}

static void show_bypass(struct scx_view *view)
{
	struct dump_member depth = dump_read(view->kmem, KMEM_F_SCX_BYPASS_DEPTH, view->root);

	if (depth.status == KMEM_READ_UNKNOWN)
		depth = dump_read_variable(view->kmem, "scx_bypass_depth", 4);
	if (add_member(view, "bypass_depth", &depth) && depth.value)
		dump_line(view->sink, "bypass: depth %llu", (unsigned long long)depth.value);
	else if (depth.status && depth.status != KMEM_READ_UNKNOWN)
		dump_line(view->sink, "bypass: depth ?");
}

/* Each CPU counts for itself. When one of them cannot be read there is no sum. */
static struct dump_member sum_event(struct scx_view *view, uint64_t pcpu, uint64_t offset)
{
	struct kmem *kmem = view->kmem;
	struct dump_member sum = { .status = kmem->no_cpus ? KMEM_READ_UNREADABLE : KMEM_READ_OK,
				   .is_signed = true };
	uint64_t at, value;

	for (uint32_t cpu = 0; !sum.status && cpu < kmem->cpus.n; cpu++) {
		if (!kmem_cpus_is_possible(&kmem->cpus, cpu) ||
		    !kmem_cpus_address(&kmem->cpus, cpu, pcpu, &at))
			continue;
		sum.status = kmem_read_u64(&kmem->space, at + offset, &value);
		if (!sum.status)
			sum.value += value;
	}
	return sum;
}

/* As many counters as this kernel has, by the names it gives them. */
static void show_events(struct scx_view *view)
{
	const struct kmem_field *field = &view->kmem->fields.at[KMEM_F_SCX_PCPU_EVENTS];
	const struct btf *btf = kmem_types(view->kmem);
	struct json_writer *json = view->sink->json;
	struct dump_member pcpu = dump_read(view->kmem, KMEM_F_SCX_PCPU, view->root);
	struct btf_type type;

	if (!btf || !field->known || pcpu.status == KMEM_READ_UNKNOWN ||
	    btf_resolve(btf, field->place.type, &type) != BTF_ANSWER_OK)
		return;
	if (pcpu.status) {
		if (json)
			(void)dump_is_read(json, "events", pcpu.status);
		dump_line(view->sink, "events: ?");
		return;
	}
	if (json) {
		json_key(json, "events");
		json_begin_object(json);
	}
	for (uint32_t i = 0; i < type.n && i < MOST_EVENTS; i++) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
		struct btf_member member;
		struct dump_member sum;

		if (!btf_get_member(btf, &type, i, &member) || member.bits)
			continue;
		sum = sum_event(view, pcpu.value, field->place.offset + member.bit_offset / 8);
		text_escape(&name, member.name);
		if (json)
			dump_member_json(json, strbuf_str(&name), &sum);
		else if (sum.status)
			dump_line(view->sink, "event %s: ?", strbuf_str(&name));
		else if (sum.value)
			dump_line(view->sink, "event %s: %lld", strbuf_str(&name),
				  (long long)sum.value);
	}
	if (json)
		json_end_object(json);
}

static void show_scheduler(struct scx_view *view)
{
	struct kmem *kmem = view->kmem;
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;
	char name[256] = "";
	enum kmem_status named = kmem_field_read_text(
		&kmem->fields, &kmem->space, KMEM_F_SCX_OPS_NAME, view->root, name, sizeof(name));
	struct dump_member timeout = dump_read(kmem, KMEM_F_SCX_OPS_TIMEOUT, view->root);
	struct dump_member flags = dump_read(kmem, KMEM_F_SCX_OPS_FLAGS, view->root);

	text_escape(&safe, named ? "?" : name);
	dump_line(view->sink, "scheduler: %s", strbuf_str(&safe));
	if (view->sink->json)
		dump_text_json(view->sink->json, "ops", named, name);
	if (add_member(view, "timeout_ms", &timeout))
		dump_line(view->sink, "watchdog: %llu ms",
			  (unsigned long long)(timeout.value ? timeout.value : DEFAULT_TIMEOUT_MS));
	if (view->sink->json)
		dump_member_json_hex(view->sink->json, "ops_flags", &flags);
	show_exit(view);
	show_bypass(view);
	show_events(view);
}

struct runnable {
	struct scx_view *view;
	uint64_t link;
};

static bool take_runnable(void *context, uint64_t link)
{
	const struct runnable *runnable = context;

	scx_show_task(runnable->view, link - runnable->link, true);
	return true;
}

struct kmem_walk scx_walk(struct scx_view *view)
{
	struct kmem_walk walk = dump_walk_wanted(view->sink,
						 dump_wanted(view->request, view->sink));

	walk.steps_left = &view->steps_left;
	return walk;
}

static void show_cpu(struct scx_view *view, uint32_t cpu, uint64_t rq)
{
	struct kmem *kmem = view->kmem;
	struct json_writer *json = view->sink->json;
	_cleanup_strbuf_ struct strbuf flags = STRBUF_INIT, curr = STRBUF_INIT;
	struct runnable runnable = { view, kmem->fields.at[KMEM_F_SCX_TASK_RUNNABLE].place.offset };
	struct kmem_walk walk = scx_walk(view);
	struct dump_member task = dump_read(kmem, KMEM_F_RQ_CURR, rq);
	uint64_t n, bits;
	bool known = read_number(view, KMEM_F_SCX_RQ_NR, rq, &n) &&
		     read_number(view, KMEM_F_SCX_RQ_FLAGS, rq, &bits);

	if (json) {
		json_begin_object(json);
		json_add_u64(json, "cpu", cpu);
	}
	if (!known) {
		if (json)
			json_add_string(json, "unavailable", "its runqueue cannot be read");
		dump_line(view->sink, "cpu %u: unavailable: its runqueue cannot be read", cpu);
		if (json)
			json_end_object(json);
		return;
	}
	dump_flag_words(kmem, "scx_rq_flags", "SCX_RQ_", bits, &flags);
	if (!task.status)
		dump_task_name(kmem, task.value, &curr);
	if (json) {
		json_add_u64(json, "nr_running", n);
		json_add_string(json, "flags", strbuf_str(&flags));
		struct dump_member released = dump_read(kmem, KMEM_F_SCX_RQ_RELEASED, rq);
		struct dump_member qseq = dump_read(kmem, KMEM_F_SCX_RQ_QSEQ, rq);
		struct dump_member clock = dump_read(kmem, KMEM_F_SCX_RQ_CLOCK, rq);

		if (dump_is_read(json, "released", released.status))
			json_add_bool(json, "released", released.value != 0);
		dump_member_json(json, "ops_qseq", &qseq);
		dump_member_json(json, "clock_ns", &clock);
		dump_text_json(json, "curr", task.status, strbuf_str(&curr));
		json_key(json, "runnable");
		json_begin_array(json);
	} else {
		dump_line(view->sink, "cpu %u: %llu runnable, %s runs, flags %s", cpu,
			  (unsigned long long)n, task.status ? "?" : strbuf_str(&curr),
			  strbuf_str(&flags));
		view->sink->indent += 2;
	}
	kmem_list(&kmem->space, rq + kmem->fields.at[KMEM_F_SCX_RQ_RUNNABLE].place.offset, &walk,
		  take_runnable, &runnable);
	if (json)
		json_end_array(json);
	dump_walk(view->sink, "runnable", &walk);
	if (json)
		json_end_object(json);
	else
		view->sink->indent -= 2;
}

static void show_cpus(struct scx_view *view)
{
	struct kmem *kmem = view->kmem;
	uint64_t rq;

	if (view->sink->json) {
		json_key(view->sink->json, "cpus");
		json_begin_array(view->sink->json);
	}
	for (uint32_t cpu = 0; cpu < kmem->cpus.n; cpu++) {
		if (kmem_cpus_is_possible(&kmem->cpus, cpu) &&
		    kmem_cpus_address(&kmem->cpus, cpu, view->runqueues, &rq))
			show_cpu(view, cpu, rq);
	}
	if (view->sink->json)
		json_end_array(view->sink->json);
	if (!kmem->no_cpus)
		return;
	if (view->sink->json)
		json_add_string(view->sink->json, "cpus_unavailable", error_message(kmem->no_cpus));
	dump_line(view->sink, "CPUs and their queues: unavailable: %s",
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
	struct scx_view view = {
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
		add_number(&view, "jiffies", view.clock.jiffies);
	if (view.clock.hz)
		add_number(&view, "hz", view.clock.hz);
	show_cpus(&view);
	scx_show_dsqs(&view);
	return NULL;
}
