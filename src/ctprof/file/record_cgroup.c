// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#include <string.h>

#include "ctprof/cgroup_rows.h"

static bool is_known(const struct procfs_cgroup_stats *stats, const struct ctprof_cgroup_row *row)
{
	const void *at = ctprof_cgroup_row_at(row, stats);

	return row->is_table ? ((const struct procfs_named_readings *)at)->known
			     : ((const struct procfs_reading *)at)->known;
}

static void write_reading(const struct ctprof_snapshot *snapshot,
			  const struct ctprof_cgroup_row *row, const struct procfs_reading *value,
			  struct json_writer *w)
{
	bool is_null = !value->known;

	switch (row->form) {
	case PROCFS_CGROUP_FORM_NICE:
		if (!is_null)
			json_write_i64(w, (int64_t)value->value);
		break;
	case PROCFS_CGROUP_FORM_TEXT:
		is_null = false;
		json_write_string(w, intern_text(&snapshot->strings, (uint32_t)value->value));
		break;
	case PROCFS_CGROUP_FORM_LINE:
	case PROCFS_CGROUP_FORM_NUMBER:
	case PROCFS_CGROUP_FORM_PERIOD:
		is_null = false;
		json_write_u64(w, value->known ? value->value
				  : row->form == PROCFS_CGROUP_FORM_PERIOD
					  ? PROCFS_CGROUP_DEFAULT_PERIOD_US
					  : 0);
		break;
	default:
		is_null |= value->unlimited && row->form != PROCFS_CGROUP_FORM_FLOOR;
		if (!is_null)
			json_write_u64(w, value->unlimited ? UINT64_MAX : value->value);
	}
	if (is_null)
		json_write_null(w);
}

static void write_row(const struct ctprof_snapshot *snapshot,
		      const struct procfs_cgroup_stats *stats, const struct ctprof_cgroup_row *row,
		      struct json_writer *w)
{
	json_key(w, row->key);
	if (row->is_table)
		ctprof_named_write(&snapshot->strings, ctprof_cgroup_row_at(row, stats), w);
	else
		write_reading(snapshot, row, ctprof_cgroup_row_at(row, stats), w);
}

/* Rows of one group: those that are always written, then the others. */
static size_t write_group(const struct ctprof_snapshot *snapshot,
			  const struct procfs_cgroup_stats *stats, size_t first,
			  struct json_writer *w)
{
	size_t end = first;

	json_open_object(w, ctprof_cgroup_rows[first].group);
	for (int always = 1; always >= 0; always--) {
		for (end = first; end < CTPROF_N_CGROUP_ROWS; end++) {
			const struct ctprof_cgroup_row *row = &ctprof_cgroup_rows[end];

			if (strcmp(row->group, ctprof_cgroup_rows[first].group) != 0)
				break;
			if (row->always == always && (always || is_known(stats, row)))
				write_row(snapshot, stats, row, w);
		}
	}
	json_end_object(w);
	return end;
}

void ctprof_cgroup_stats_write(const struct ctprof_snapshot *snapshot,
			       const struct procfs_cgroup_stats *stats, struct json_writer *w)
{
	json_begin_object(w);
	json_add_bool(w, "known", stats->known);
	for (size_t i = 0; i < CTPROF_N_CGROUP_ROWS;)
		i = write_group(snapshot, stats, i, w);
	json_key(w, "psi");
	ctprof_pressure_write(&stats->pressure, w);
	json_open_array(w, "absent");
	for (size_t i = 0; i < CTPROF_N_CGROUP_ROWS; i++) {
		if (ctprof_cgroup_rows[i].always && !is_known(stats, &ctprof_cgroup_rows[i]))
			json_write_string(w, ctprof_cgroup_rows[i].path);
	}
	json_end_array(w);
	json_end_object(w);
}

static struct error *load_reading(const struct ctprof_value *value, enum procfs_cgroup_form form,
				  bool marked, struct ctprof_snapshot *snapshot,
				  struct procfs_reading *ret)
{
	struct procfs_reading reading = { .known = ctprof_value_is_there(value) };
	struct error *err;

	if (form == PROCFS_CGROUP_FORM_TEXT) {
		uint32_t string = 0;

		err = ctprof_value_string(value, &snapshot->strings, &string);
		reading = (struct procfs_reading){ string != 0, false, string };
	} else if (form == PROCFS_CGROUP_FORM_NICE) {
		int64_t nice = 0;

		err = ctprof_value_i64(value, INT32_MIN, INT32_MAX, &nice);
		reading.value = (uint64_t)nice;
	} else {
		err = ctprof_value_reading(value, &reading);
	}
	if (err)
		return err;
	/* A file that marks what is absent means by null that there is no limit. */
	if ((form == PROCFS_CGROUP_FORM_FLOOR && reading.known && reading.value == UINT64_MAX) ||
	    ((form == PROCFS_CGROUP_FORM_LIMIT || form == PROCFS_CGROUP_FORM_QUOTA) &&
	     !reading.known && marked))
		reading = (struct procfs_reading){ .known = true, .unlimited = true };
	*ret = reading;
	return NULL;
}

static struct error *load_row(const struct ctprof_value *value, const struct ctprof_cgroup_row *row,
			      struct ctprof_snapshot *snapshot, struct procfs_cgroup_stats *stats)
{
	struct ctprof_value group = ctprof_value_find(value, row->group);
	struct ctprof_value member = ctprof_value_find(&group, row->key);
	bool marked = json_find(value->json, "absent") != NULL;
	bool absent = marked && ctprof_absent_lists(value, row->path);
	struct error *err = ctprof_value_expect(&group, JSON_OBJECT);
	void *at = ctprof_cgroup_row_at(row, stats);

	if (err)
		return err;
	if (row->is_table) {
		err = ctprof_value_named(&member, &snapshot->strings, at);
		if (!err && absent)
			procfs_named_readings_deinit(at);
		return err;
	}
	err = load_reading(&member, row->form, marked, snapshot, at);
	if (absent)
		*(struct procfs_reading *)at = (struct procfs_reading){ 0 };
	return err;
}

struct error *ctprof_cgroup_stats_load(const struct ctprof_value *value,
				       struct ctprof_snapshot *snapshot,
				       struct procfs_cgroup_stats *ret)
{
	struct ctprof_value known = ctprof_value_find(value, "known");
	struct ctprof_value psi = ctprof_value_find(value, "psi");
	struct procfs_cgroup_stats stats = { .known = true };
	struct error *err;

	if (!ctprof_value_is_there(value))
		return ctprof_value_error(value, "expected an object");
	err = ctprof_value_expect(value, JSON_OBJECT);
	if (!err)
		err = ctprof_value_bool(&known, &stats.known);
	if (!err)
		err = ctprof_pressure_load(&psi, &stats.pressure);
	for (size_t i = 0; i < CTPROF_N_CGROUP_ROWS && !err; i++)
		err = load_row(value, &ctprof_cgroup_rows[i], snapshot, &stats);
	if (err)
		procfs_cgroup_stats_deinit(&stats);
	else
		*ret = stats;
	return err;
}
