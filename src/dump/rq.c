// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/alloc.h"
#include "dump/dump.h"
#include "dump/member.h"
#include "text/table.h"

static const struct {
	const char *key;
	enum kmem_field_id field;
} numbers[] = {
	{ "nr_running", KMEM_F_RQ_NR_RUNNING },
	{ "cfs", KMEM_F_RQ_CFS_NR },
	{ "rt", KMEM_F_RQ_RT_NR },
	{ "dl", KMEM_F_RQ_DL_NR },
	{ "scx", KMEM_F_RQ_SCX_NR },
	{ "nr_switches", KMEM_F_RQ_NR_SWITCHES },
	{ "clock", KMEM_F_RQ_CLOCK },
};

static const struct table_column columns[] = {
	{ .title = "CPU", .right = true },
	{ .title = "RUNNING", .right = true },
	{ .title = "CFS", .right = true },
	{ .title = "RT", .right = true },
	{ .title = "DL", .right = true },
	{ .title = "SCX", .right = true },
	{ .title = "SWITCHES", .right = true },
	{ .title = "CLOCK (ns)", .right = true },
	{ .title = "CURR" },
};

static void show_curr(struct kmem *kmem, uint64_t rq, struct table *table, struct json_writer *json)
{
	struct dump_member curr = dump_read(kmem, KMEM_F_RQ_CURR, rq);
	struct dump_member idle = dump_read(kmem, KMEM_F_RQ_IDLE, rq);
	struct dump_member pid = { .status = curr.status };
	char comm[32] = "";
	bool is_idle = !curr.status && !idle.status && curr.value == idle.value;

	if (!curr.status) {
		pid = dump_read_signed(kmem, KMEM_F_TASK_PID, curr.value);
		if (!pid.status)
			pid.status = kmem_field_read_text(&kmem->fields, &kmem->space,
							  KMEM_F_TASK_COMM, curr.value, comm,
							  sizeof(comm));
	}
	if (table) {
		if (pid.status)
			table_addf(table, "? (%s)", kmem_status_word(pid.status));
		else
			table_addf(table, "%s[%lld]%s", comm, (long long)pid.value,
				   is_idle ? " idle" : "");
		return;
	}
	json_key(json, "curr");
	json_begin_object(json);
	dump_member_json_hex(json, "address", &curr);
	dump_member_json(json, "pid", &pid);
	dump_text_json(json, "comm", pid.status, comm);
	if (pid.status)
		json_add_string(json, "unavailable", kmem_status_word(pid.status));
	if (dump_is_read(json, "idle", curr.status ? curr.status : idle.status))
		json_add_bool(json, "idle", is_idle);
	json_end_object(json);
}

static void show_rq(struct kmem *kmem, uint32_t cpu, uint64_t rq, struct table *table,
		    struct json_writer *json)
{
	bool online = kmem_cpus_is_online(&kmem->cpus, cpu);

	if (json) {
		json_begin_object(json);
		json_add_u64(json, "cpu", cpu);
		json_add_bool(json, "online", online);
	} else {
		table_addf(table, "%u%s", cpu, online ? "" : " (offline)");
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct dump_member number = dump_read(kmem, numbers[i].field, rq);

		if (json)
			dump_member_json(json, numbers[i].key, &number);
		else
			dump_member_cell(table, &number);
	}
	show_curr(kmem, rq, table, json);
	if (json)
		json_end_object(json);
}

static void show_rqs(struct kmem *kmem, uint64_t runqueues, struct kmem_walk *walk,
		     struct table *table, struct json_writer *json)
{
	kmem_walk_begin(walk);
	for (uint32_t cpu = 0; cpu < kmem->cpus.n; cpu++) {
		uint64_t rq;

		if (!kmem_cpus_is_possible(&kmem->cpus, cpu) ||
		    !kmem_cpus_address(&kmem->cpus, cpu, runqueues, &rq))
			continue;
		if (kmem_walk_shows(walk))
			show_rq(kmem, cpu, rq, table, json);
	}
}

struct error *dump_rq(struct kmem *kmem, const struct dump_request *request, struct dump_sink *sink)
{
	struct kmem_walk walk = dump_walk_wanted(sink, dump_wanted(request, sink));
	uint64_t runqueues;
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_RQ);

	if (!err && kmem->cpus.n == 0)
		err = kmem_error(KMEM_UNREAD, 0, "the CPUs are not known: %s",
				 kmem->no_cpus ? error_message(kmem->no_cpus) : "there are none");
	if (!err)
		err = kmem_symbol(kmem, "runqueues", &runqueues);
	if (err)
		return err;
	if (sink->json) {
		json_key(sink->json, "cpus");
		json_begin_array(sink->json);
		show_rqs(kmem, runqueues, &walk, NULL, sink->json);
		json_end_array(sink->json);
	} else {
		_cleanup_(cleanup_table) struct table *table = table_new(columns,
									 ARRAY_SIZE(columns));

		show_rqs(kmem, runqueues, &walk, table, NULL);
		dump_table(sink, table);
	}
	dump_walk(sink, "CPUs", &walk);
	return NULL;
}
