// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#include "ctprof/cgroup_rows.h"

static void write_half(const char *key, const struct procfs_pressure_half *half,
		       struct json_writer *w)
{
	json_key(w, key);
	json_begin_object(w);
	for (size_t i = 0; i < CTPROF_N_PRESSURE_ROWS; i++)
		json_add_u64(w, ctprof_pressure_rows[i].name,
			     *ctprof_pressure_row_at(&ctprof_pressure_rows[i], half));
	json_end_object(w);
}

/* "cpu", or "cpu.some" of one half. */
static void write_absent(int resource, int half, struct json_writer *w)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	strbuf_append(&name, procfs_pressure_resource_names[resource]);
	if (half >= 0)
		strbuf_appendf(&name, ".%s", procfs_pressure_half_names[half]);
	json_write_string(w, strbuf_str(&name));
}

void ctprof_pressure_write(const struct procfs_pressure *pressure, struct json_writer *w)
{
	json_begin_object(w);
	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES; i++) {
		json_key(w, procfs_pressure_resource_names[i]);
		json_begin_object(w);
		for (int h = 0; h < PROCFS_N_PRESSURE_HALVES; h++)
			write_half(procfs_pressure_half_names[h], &pressure->resources[i].half[h],
				   w);
		json_end_object(w);
	}
	json_key(w, "absent");
	json_begin_array(w);
	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES; i++) {
		if (!pressure->resources[i].known)
			write_absent(i, -1, w);
		for (int h = 0; h < PROCFS_N_PRESSURE_HALVES; h++)
			if (!pressure->resources[i].half[h].known)
				write_absent(i, h, w);
	}
	json_end_array(w);
	json_end_object(w);
}

bool ctprof_absent_lists(const struct json_value *object, const char *name)
{
	struct json_iter it = json_iter_over(json_find(object, "absent"));

	while (json_iter_next(&it)) {
		if (json_text_is(json_string(it.value), name))
			return true;
	}
	return false;
}

static struct error *load_half(const struct json_value *value, const struct ctprof_place *place,
			       struct procfs_pressure_half *half)
{
	struct error *err = ctprof_value_expect(value, place, JSON_OBJECT);

	for (size_t i = 0; i < CTPROF_N_PRESSURE_ROWS && !err; i++) {
		const struct ctprof_pressure_row *row = &ctprof_pressure_rows[i];
		const struct json_value *member = json_find(value, row->name);
		struct ctprof_place at = { .outer = place, .key = row->name };
		int64_t percent = 0;

		if (!row->is_percent) {
			err = ctprof_value_u64(member, &at, ctprof_pressure_row_at(row, half),
					       NULL);
			continue;
		}
		err = ctprof_value_i64(member, &at, 0, PROCFS_LIMIT_PRESSURE_PERCENT, &percent,
				       NULL);
		*ctprof_pressure_row_at(row, half) = (uint64_t)percent;
	}
	half->known = ctprof_value_is_there(value);
	return err;
}

static struct error *load_file(const struct json_value *value, const struct ctprof_place *place,
			       int resource, struct procfs_pressure_file *file)
{
	const char *name = procfs_pressure_resource_names[resource];
	const struct json_value *object = json_find(value, name);
	struct ctprof_place at = { .outer = place, .key = name };
	struct error *err = ctprof_value_expect(object, &at, JSON_OBJECT);

	file->known = ctprof_value_is_there(object) && !ctprof_absent_lists(value, name);
	for (int h = 0; h < PROCFS_N_PRESSURE_HALVES && !err; h++) {
		struct ctprof_place here = { .outer = &at, .key = procfs_pressure_half_names[h] };
		_cleanup_free_ char *path = xasprintf("%s.%s", name, procfs_pressure_half_names[h]);

		err = load_half(json_find(object, procfs_pressure_half_names[h]), &here,
				&file->half[h]);
		if (ctprof_absent_lists(value, path))
			file->half[h] = (struct procfs_pressure_half){ 0 };
	}
	return err;
}

struct error *ctprof_pressure_load(const struct json_value *value, const struct ctprof_place *place,
				   struct procfs_pressure *ret)
{
	struct error *err = ctprof_value_expect(value, place, JSON_OBJECT);
	struct procfs_pressure pressure = { 0 };

	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES && !err; i++)
		err = load_file(value, place, i, &pressure.resources[i]);
	if (!err)
		*ret = pressure;
	return err;
}
