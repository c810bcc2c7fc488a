// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/alloc.h"
#include "dump/rows.h"

struct curr {
	struct dump_member address, pid, idle;
	struct dump_text comm;
	const char *unavailable;
	char comm_bytes[32];
};

struct row {
	uint64_t cpu;
	bool online;
	struct dump_member nr_running, cfs, rt, dl, scx, nr_switches, clock;
	struct curr curr;
	const char *cpu_text, *curr_text;
};

static const struct dump_column curr_columns[] = {
	{ .key = "address", DUMP_MEMBER_HEX(curr, address) },
	{ .key = "pid", DUMP_MEMBER(curr, pid) },
	{ .key = "comm", DUMP_TEXT(curr, comm) },
	{ .key = "unavailable", DUMP_STRING(curr, unavailable) },
	{ .key = "idle", DUMP_MEMBER_BOOL(curr, idle) },
};

static const struct dump_column columns[] = {
	{ .title = "CPU", .width = 1, DUMP_STRING(row, cpu_text) },
	{ .key = "cpu", DUMP_U64(row, cpu) },
	{ .key = "online", DUMP_BOOL(row, online) },
	{ .key = "nr_running", .title = "RUNNING", DUMP_FIELD(row, nr_running, RQ_NR_RUNNING) },
	{ .key = "cfs", .title = "CFS", DUMP_FIELD(row, cfs, RQ_CFS_NR) },
	{ .key = "rt", .title = "RT", DUMP_FIELD(row, rt, RQ_RT_NR) },
	{ .key = "dl", .title = "DL", DUMP_FIELD(row, dl, RQ_DL_NR) },
	{ .key = "scx", .title = "SCX", DUMP_FIELD(row, scx, RQ_SCX_NR) },
	{ .key = "nr_switches", .title = "SWITCHES", DUMP_FIELD(row, nr_switches, RQ_NR_SWITCHES) },
	{ .key = "clock", .title = "CLOCK (ns)", DUMP_FIELD(row, clock, RQ_CLOCK) },
	{ .key = "curr", DUMP_OBJECT(row, curr, curr_columns) },
	{ .title = "CURR", DUMP_STRING(row, curr_text) },
};

static void read_curr(struct kmem *kmem, uint64_t rq, struct curr *curr)
{
	struct dump_member idle = dump_read(kmem, KMEM_F_RQ_IDLE, rq);
	enum kmem_status status;

	curr->address = dump_read(kmem, KMEM_F_RQ_CURR, rq);
	curr->pid.status = status = curr->address.status;
	curr->idle.status = status ? status : idle.status;
	curr->idle.value = !curr->idle.status && curr->address.value == idle.value;
	if (!status) {
		curr->pid = dump_read_signed(kmem, KMEM_F_TASK_PID, curr->address.value);
		if (!curr->pid.status)
			curr->pid.status = kmem_get_text(kmem, KMEM_F_TASK_COMM,
							 curr->address.value, curr->comm_bytes,
							 sizeof(curr->comm_bytes));
	}
	curr->comm = (struct dump_text){ curr->pid.status, curr->comm_bytes };
	if (curr->pid.status)
		curr->unavailable = kmem_status_name(curr->pid.status);
}

static void show_rq(struct kmem *kmem, uint32_t cpu, uint64_t rq, struct dump_rows *rows)
{
	struct row row = { .cpu = cpu, .online = kmem_cpus_is_online(&kmem->cpus, cpu) };
	const struct curr *curr = &row.curr;
	_cleanup_free_ char *cpu_text = NULL, *curr_text = NULL;

	dump_row_read(kmem, rq, columns, ARRAY_SIZE(columns), &row);
	read_curr(kmem, rq, &row.curr);
	row.cpu_text = cpu_text = xasprintf("%u%s", cpu, row.online ? "" : " (offline)");
	row.curr_text = curr_text = curr->unavailable ? xasprintf("? (%s)", curr->unavailable)
						      : xasprintf("%s[%lld]%s", curr->comm_bytes,
								  (long long)curr->pid.value,
								  curr->idle.value ? " idle" : "");
	dump_rows_add(rows, &row);
}

struct error *dump_rq(struct kmem *kmem, const struct dump_request *request, struct dump_sink *sink)
{
	struct kmem_walk walk = dump_walk_wanted(sink, dump_wanted(request, sink));
	struct dump_rows rows;
	uint64_t runqueues, rq;
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_RQ);

	if (!err && kmem->cpus.n == 0)
		err = kmem_error(KMEM_UNREAD, 0, "the CPUs are not known: %s",
				 kmem->no_cpus ? error_message(kmem->no_cpus) : "there are none");
	if (!err)
		err = kmem_symbol(kmem, "runqueues", &runqueues);
	if (err)
		return err;
	kmem_walk_begin(&walk);
	dump_rows_begin(&rows, sink, "cpus", columns, ARRAY_SIZE(columns));
	for (uint32_t cpu = 0; cpu < kmem->cpus.n; cpu++) {
		if (kmem_cpus_address(&kmem->cpus, cpu, runqueues, &rq) && kmem_walk_shows(&walk))
			show_rq(kmem, cpu, rq, &rows);
	}
	dump_rows_end(&rows);
	dump_walk(sink, "CPUs", &walk);
	return NULL;
}
