// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/vm/list.h"

#include "json/writer.h"
#include "text/terminal.h"
#include "vm/clock.h"

/* Between the id and the state. */
enum { INFO_COLUMNS = 7 };

/* The clock that wrote the time may be ahead of ours. */
static uint64_t age_sec(const struct vm_run_info *info, uint64_t now_sec)
{
	return now_sec > info->started_at_sec ? now_sec - info->started_at_sec : 0;
}

/* 42s, 3m 20s, 2h 5m, 3d 4h */
static void format_age(struct strbuf *into, uint64_t sec)
{
	static const struct {
		uint64_t sec;
		const char *unit;
	} units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "m" }, { 1, "s" } };

	for (size_t i = 0; i + 1 < ARRAY_SIZE(units); i++) {
		if (sec < units[i].sec)
			continue;
		strbuf_appendf(into, "%llu%s %llu%s", (unsigned long long)(sec / units[i].sec),
			       units[i].unit,
			       (unsigned long long)(sec % units[i].sec / units[i + 1].sec),
			       units[i + 1].unit);
		return;
	}
	strbuf_appendf(into, "%llus", (unsigned long long)sec);
}

static void add_info(struct text_table *table, const struct vm_run_info *info, uint64_t now_sec)
{
	_cleanup_strbuf_ struct strbuf memory = STRBUF_INIT, age = STRBUF_INIT;

	if (info->memory_bytes)
		text_format_bytes(&memory, info->memory_bytes);
	if (info->started_at_sec)
		format_age(&age, age_sec(info, now_sec));
	text_table_addf(table, "%d", info->owner.pid);
	text_table_add_row(table, info->kernel_release ? info->kernel_release : info->kernel_id,
			   info->topology, memory.at, info->accel,
			   vm_clock_name(info->deterministic ? VM_CLOCK_VIRTUAL : VM_CLOCK_REAL),
			   age.at);
}

void vm_list_format_table(const struct vm_run_list *list, uint64_t now_sec,
			  const struct text_look *look, struct strbuf *into)
{
	_cleanup_text_table_ struct text_table *table = TEXT_TABLE("ID", ">OWNER", "~KERNEL",
								   "TOPOLOGY", ">MEMORY", "ACCEL",
								   "CLOCK", ">AGE", "STATE");

	if (list->entries.n == 0) {
		strbuf_append(into, "No VM is running.\n");
		return;
	}
	for (size_t i = 0; i < list->entries.n; i++) {
		const struct vm_run_entry *entry = &list->entries.at[i];

		text_table_add(table, entry->id);
		if (entry->info) {
			add_info(table, entry->info, now_sec);
		} else {
			for (size_t c = 0; c < INFO_COLUMNS; c++)
				text_table_add(table, NULL);
		}
		text_table_add(table, vm_run_state_name(entry->state));
	}
	text_table_format(table, look, into);
}

void vm_list_format_json(const struct vm_run_list *list, uint64_t now_sec, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_begin_object(&w);
	json_open_array(&w, "vms");
	for (size_t i = 0; i < list->entries.n; i++) {
		const struct vm_run_entry *entry = &list->entries.at[i];

		json_begin_object(&w);
		json_add_string(&w, "state", vm_run_state_name(entry->state));
		json_add_string(&w, "problem", entry->problem);
		if (entry->info) {
			json_add_u64(&w, "age_sec", age_sec(entry->info, now_sec));
			vm_run_info_write_members(entry->info, &w);
		} else {
			json_add_string(&w, "id", entry->id);
		}
		json_end_object(&w);
	}
	json_end_document(&w);
}
