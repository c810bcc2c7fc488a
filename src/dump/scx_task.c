// SPDX-License-Identifier: LGPL-2.1-or-later
/* A task of sched_ext that waits for a CPU. */
#include "dump/member.h"
#include "dump/rows.h"
#include "dump/scx.h"

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
