// SPDX-License-Identifier: LGPL-2.1-or-later
/* A task of sched_ext that waits for a CPU. */
#include "dump/kernel_read.h"
#include "dump/member.h"
#include "dump/scx.h"

enum {
	/* enum scx_ent_flags, Linux 6.12: runnable_at is to be set when it is looked at next. */
	TASK_RESET_RUNNABLE_AT = 1 << 2,
	MS_PER_SECOND = 1000,
};

/* KMEM_READ_UNKNOWN: it has no age. */
struct waiting {
	struct dump_member age_jiffies, age_ms;
};

static struct waiting read_age(struct scx_view *view, uint64_t task)
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
	return (struct waiting){ age, ms };
}

/* The id of the queue in which it is; KMEM_READ_UNKNOWN: it is in none. */
static struct dump_member read_dsq_id(struct scx_view *view, uint64_t task)
{
	struct dump_member dsq = dump_read(view->kmem, KMEM_F_SCX_TASK_DSQ, task);

	if (!dsq.status && !dsq.value)
		dsq.status = KMEM_READ_UNKNOWN;
	return dsq.status ? dsq : dump_read(view->kmem, KMEM_F_SCX_DSQ_ID, dsq.value);
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
		       const struct dump_member *dsq)
{
	struct json_writer *json = view->sink->json;
	struct kmem *kmem = view->kmem;
	char comm[64] = "";
	enum kmem_status named = kmem_field_read_text(&kmem->fields, &kmem->space, KMEM_F_TASK_COMM,
						      task, comm, sizeof(comm));

	json_begin_object(json);
	dump_text_json(json, "comm", named, comm);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct dump_member number = dump_read(kmem, numbers[i].id, task);

		dump_member_json(json, numbers[i].key, &number);
	}
	dump_member_json(json, "age_jiffies", &waiting->age_jiffies);
	dump_member_json(json, "age_ms", &waiting->age_ms);
	dump_member_json_hex(json, "dsq", dsq);
	dump_add_hex(json, "address", task);
	json_end_object(json);
}

void scx_show_task(struct scx_view *view, uint64_t task, bool dsq)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	struct waiting waiting = read_age(view, task);
	struct dump_member id = { .status = KMEM_READ_UNKNOWN }, slice;

	if (dsq)
		id = read_dsq_id(view, task);
	if (view->sink->json) {
		write_task(view, task, &waiting, &id);
		return;
	}
	dump_task_name(view->kmem, task, &line);
	if (!waiting.age_ms.status)
		strbuf_appendf(&line, "  runnable for %llu ms",
			       (unsigned long long)waiting.age_ms.value);
	else if (!waiting.age_jiffies.status)
		strbuf_appendf(&line, "  runnable for %llu jiffies",
			       (unsigned long long)waiting.age_jiffies.value);
	else if (waiting.age_jiffies.status != KMEM_READ_UNKNOWN)
		strbuf_append(&line, "  runnable for ?");
	slice = dump_read(view->kmem, KMEM_F_SCX_TASK_SLICE, task);
	if (!slice.status)
		strbuf_appendf(&line, "  slice %llu ns", (unsigned long long)slice.value);
	else if (slice.status != KMEM_READ_UNKNOWN)
		strbuf_append(&line, "  slice ?");
	if (!id.status)
		strbuf_appendf(&line, "  in queue %#llx", (unsigned long long)id.value);
	else if (dsq)
		strbuf_append(&line,
			      id.status == KMEM_READ_UNKNOWN ? "  in no queue" : "  in queue ?");
	dump_lines(view->sink, strbuf_str(&line));
}
