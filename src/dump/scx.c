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
	struct error *err = kmem_variable(view->kmem, name, width, ret);

	error_free(err);
	return !err;
}

static void add_number(struct scx_view *view, const char *key, uint64_t value)
{
	if (view->sink->json)
		json_add_u64(view->sink->json, key, value);
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
	uint64_t state;

	if (!read_variable(view, "scx_enable_state_var", 4, &state))
		return;
	dump_enum_word(view->kmem, "scx_enable_state", "SCX_", state, &word);
	if (view->sink->json)
		json_add_string(view->sink->json, "state", strbuf_str(&word));
	dump_line(view->sink, "state: %s", strbuf_str(&word));
}

static void show_text(struct scx_view *view, enum kmem_field_id id, uint64_t base, const char *key)
{
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;
	char text[TEXT_BYTES];
	uint64_t at;

	if (!read_number(view, id, base, &at) || !at ||
	    kmem_read_text(&view->kmem->space, at, text, sizeof(text)) != KMEM_READ_OK || !text[0])
		return;
	if (view->sink->json)
		json_add_string(view->sink->json, key, text);
	text_escape(&safe, text);
	dump_line(view->sink, "exit %s: %s", key, strbuf_str(&safe));
}

static void show_exit(struct scx_view *view)
{
	struct json_writer *json = view->sink->json;
	_cleanup_strbuf_ struct strbuf word = STRBUF_INIT;
	uint64_t kind, info, code;

	if (!read_number(view, KMEM_F_SCX_EXIT_KIND, view->root, &kind))
		return;
	dump_enum_word(view->kmem, "scx_exit_kind", "SCX_EXIT_", kind, &word);
	dump_line(view->sink, "exit: %s", strbuf_str(&word));
	if (json) {
		json_key(json, "exit");
		json_begin_object(json);
		json_add_u64(json, "kind", kind);
		json_add_string(json, "word", strbuf_str(&word));
	}
	if (kind && read_number(view, KMEM_F_SCX_EXIT_INFO, view->root, &info) && info) {
		if (read_number(view, KMEM_F_SCX_EXIT_CODE, info, &code) && json)
			json_add_i64(json, "code", (int64_t)code);
		show_text(view, KMEM_F_SCX_EXIT_REASON, info, "reason");
		show_text(view, KMEM_F_SCX_EXIT_MSG, info, "message");
	}
	if (json)
		json_end_object(json);
}

static void show_bypass(struct scx_view *view)
{
	uint64_t depth;

	if (!read_number(view, KMEM_F_SCX_BYPASS_DEPTH, view->root, &depth) &&
	    !read_variable(view, "scx_bypass_depth", 4, &depth))
		return;
	add_number(view, "bypass_depth", depth);
	if (depth)
		dump_line(view->sink, "bypass: depth %llu", (unsigned long long)depth);
}

/* Each CPU counts for itself. False: one of them cannot be read, so there is no sum. */
static bool sum_event(struct scx_view *view, uint64_t pcpu, uint64_t offset, int64_t *ret)
{
	struct kmem *kmem = view->kmem;
	uint64_t at, value, sum = 0;

	for (uint32_t cpu = 0; cpu < kmem->cpus.n; cpu++) {
		if (!kmem_cpus_is_possible(&kmem->cpus, cpu))
			continue;
		if (!kmem_cpus_address(&kmem->cpus, cpu, pcpu, &at) ||
		    kmem_read_u64(&kmem->space, at + offset, &value) != KMEM_READ_OK)
			return false;
		sum += value;
	}
	*ret = (int64_t)sum;
	return true;
}

/* As many counters as this kernel has, by the names it gives them. */
static void show_events(struct scx_view *view)
{
	const struct kmem_field *field = &view->kmem->fields.at[KMEM_F_SCX_PCPU_EVENTS];
	const struct btf *btf = kmem_types(view->kmem);
	struct json_writer *json = view->sink->json;
	struct btf_type type;
	uint64_t pcpu;

	if (!field->known || !read_number(view, KMEM_F_SCX_PCPU, view->root, &pcpu) ||
	    btf_resolve(btf, field->place.type, &type) != BTF_ANSWER_OK)
		return;
	if (json) {
		json_key(json, "events");
		json_begin_object(json);
	}
	for (uint32_t i = 0; i < type.n && i < MOST_EVENTS; i++) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
		struct btf_member member;
		int64_t sum;

		if (!btf_get_member(btf, &type, i, &member) || member.bits ||
		    !sum_event(view, pcpu, field->place.offset + member.bit_offset / 8, &sum))
			continue;
		text_escape(&name, member.name);
		if (json)
			json_add_i64(json, strbuf_str(&name), sum);
		else if (sum)
			dump_line(view->sink, "event %s: %lld", strbuf_str(&name), (long long)sum);
	}
	if (json)
		json_end_object(json);
}

static void show_scheduler(struct scx_view *view)
{
	struct kmem *kmem = view->kmem;
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;
	char name[256];
	uint64_t number;

	if (kmem_field_read_text(&kmem->fields, &kmem->space, KMEM_F_SCX_OPS_NAME, view->root, name,
				 sizeof(name)) == KMEM_READ_OK) {
		text_escape(&safe, name);
		dump_line(view->sink, "scheduler: %s", strbuf_str(&safe));
		if (view->sink->json)
			json_add_string(view->sink->json, "ops", name);
	}
	if (read_number(view, KMEM_F_SCX_OPS_TIMEOUT, view->root, &number)) {
		add_number(view, "timeout_ms", number);
		dump_line(view->sink, "watchdog: %llu ms",
			  (unsigned long long)(number ? number : DEFAULT_TIMEOUT_MS));
	}
	if (read_number(view, KMEM_F_SCX_OPS_FLAGS, view->root, &number) && view->sink->json)
		dump_add_hex(view->sink->json, "ops_flags", number);
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
	uint64_t n, bits, task, number;
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
	if (read_number(view, KMEM_F_RQ_CURR, rq, &task))
		dump_task_name(kmem, task, &curr);
	if (json) {
		json_add_u64(json, "nr_running", n);
		json_add_string(json, "flags", strbuf_str(&flags));
		if (read_number(view, KMEM_F_SCX_RQ_RELEASED, rq, &number))
			json_add_bool(json, "released", number != 0);
		if (read_number(view, KMEM_F_SCX_RQ_QSEQ, rq, &number))
			json_add_u64(json, "ops_qseq", number);
		if (read_number(view, KMEM_F_SCX_RQ_CLOCK, rq, &number))
			json_add_u64(json, "clock_ns", number);
		json_add_string(json, "curr", strbuf_str(&curr));
		json_key(json, "runnable");
		json_begin_array(json);
	} else {
		dump_line(view->sink, "cpu %u: %llu runnable, %s runs, flags %s", cpu,
			  (unsigned long long)n, strbuf_str(&curr), strbuf_str(&flags));
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
}

struct error *dump_scx(struct kmem *kmem, const struct dump_request *request,
		       struct dump_sink *sink)
{
	struct scx_view view = {
		.kmem = kmem, .request = request, .sink = sink, .steps_left = KMEM_LIMIT_WALK
	};
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_SCX);

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
