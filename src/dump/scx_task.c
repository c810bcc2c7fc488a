// SPDX-License-Identifier: LGPL-2.1-or-later
/* A task of sched_ext that waits for a CPU. */
#include "dump/kernel_read.h"
#include "dump/scx.h"

enum {
	/* enum scx_ent_flags, Linux 6.12: runnable_at is to be set when it is looked at next. */
	TASK_RESET_RUNNABLE_AT = 1 << 2,
	MS_PER_SECOND = 1000,
};

struct waiting {
	bool has_age, has_ms;
	uint64_t age_jiffies, age_ms;
};

static struct waiting read_age(struct scx_view *view, uint64_t task)
{
	struct kmem *kmem = view->kmem;
	struct waiting waiting = { 0 };
	uint64_t flags, since;

	if (!view->clock.known ||
	    kmem_field_read(&kmem->fields, &kmem->space, KMEM_F_SCX_TASK_FLAGS, task, &flags) !=
		    KMEM_READ_OK ||
	    kmem_field_read(&kmem->fields, &kmem->space, KMEM_F_SCX_TASK_SINCE, task, &since) !=
		    KMEM_READ_OK ||
	    flags & TASK_RESET_RUNNABLE_AT || !since)
		return waiting;
	/* A tick may come between the two. */
	waiting.has_age = true;
	waiting.age_jiffies = view->clock.jiffies > since ? view->clock.jiffies - since : 0;
	waiting.has_ms = view->clock.hz && !__builtin_mul_overflow(waiting.age_jiffies,
								   MS_PER_SECOND, &waiting.age_ms);
	if (waiting.has_ms)
		waiting.age_ms /= view->clock.hz;
	return waiting;
}

static bool read_dsq_id(struct scx_view *view, uint64_t task, uint64_t *ret)
{
	struct kmem *kmem = view->kmem;
	uint64_t dsq;

	return kmem_field_read(&kmem->fields, &kmem->space, KMEM_F_SCX_TASK_DSQ, task, &dsq) ==
		       KMEM_READ_OK &&
	       dsq &&
	       kmem_field_read(&kmem->fields, &kmem->space, KMEM_F_SCX_DSQ_ID, dsq, ret) ==
		       KMEM_READ_OK;
}

static const struct {
	enum kmem_field_id id;
	const char *key;
} numbers[] = {
	{ KMEM_F_TASK_PID, "pid" },	    { KMEM_F_SCX_TASK_SLICE, "slice_ns" },
	{ KMEM_F_SCX_TASK_VTIME, "vtime" }, { KMEM_F_SCX_TASK_WEIGHT, "weight" },
	{ KMEM_F_TASK_CPU, "cpu" },
};

static void write_task(struct scx_view *view, uint64_t task, const struct waiting *waiting,
		       const uint64_t *dsq)
{
	struct json_writer *json = view->sink->json;
	struct kmem *kmem = view->kmem;
	char comm[64];

	json_begin_object(json);
	if (kmem_field_read_text(&kmem->fields, &kmem->space, KMEM_F_TASK_COMM, task, comm,
				 sizeof(comm)) == KMEM_READ_OK)
		json_add_string(json, "comm", comm);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		uint64_t value;

		if (kmem_field_read(&kmem->fields, &kmem->space, numbers[i].id, task, &value) ==
		    KMEM_READ_OK)
			json_add_u64(json, numbers[i].key, value);
	}
	if (waiting->has_age)
		json_add_u64(json, "age_jiffies", waiting->age_jiffies);
	if (waiting->has_ms)
		json_add_u64(json, "age_ms", waiting->age_ms);
	if (dsq)
		dump_add_hex(json, "dsq", *dsq);
	dump_add_hex(json, "address", task);
	json_end_object(json);
}

void scx_show_task(struct scx_view *view, uint64_t task, bool dsq)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	struct waiting waiting = read_age(view, task);
	uint64_t id, slice;
	bool in_dsq = dsq && read_dsq_id(view, task, &id);

	if (view->sink->json) {
		write_task(view, task, &waiting, in_dsq ? &id : NULL);
		return;
	}
	dump_task_name(view->kmem, task, &line);
	if (waiting.has_ms)
		strbuf_appendf(&line, "  runnable for %llu ms", (unsigned long long)waiting.age_ms);
	else if (waiting.has_age)
		strbuf_appendf(&line, "  runnable for %llu jiffies",
			       (unsigned long long)waiting.age_jiffies);
	if (kmem_field_read(&view->kmem->fields, &view->kmem->space, KMEM_F_SCX_TASK_SLICE, task,
			    &slice) == KMEM_READ_OK)
		strbuf_appendf(&line, "  slice %llu ns", (unsigned long long)slice);
	if (in_dsq)
		strbuf_appendf(&line, "  in queue %#llx", (unsigned long long)id);
	else if (dsq)
		strbuf_append(&line, "  in no queue");
	dump_lines(view->sink, strbuf_str(&line));
}
