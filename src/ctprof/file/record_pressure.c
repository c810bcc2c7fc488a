// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#include "base/alloc.h"

#define CTPROF_MEMBER_US CTPROF_MEMBER_U64
#define ROW_(member, key, unit, what) \
	{ CTPROF_MEMBER(struct procfs_pressure_half, member, #member, unit) },
static const struct ctprof_member half_rows[] = { PROCFS_PRESSURE_VALUES(ROW_) };
#undef ROW_
static const struct ctprof_members half_members = { half_rows, ARRAY_SIZE(half_rows),
						    sizeof(struct procfs_pressure_half) };

void ctprof_pressure_write(const struct procfs_pressure *pressure, struct json_writer *w)
{
	json_begin_object(w);
	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES; i++) {
		json_open_object(w, procfs_pressure_resource_names[i]);
		for (int h = 0; h < PROCFS_N_PRESSURE_HALVES; h++) {
			json_key(w, procfs_pressure_half_names[h]);
			ctprof_members_write(&half_members, NULL, &pressure->resources[i].half[h],
					     w);
		}
		json_end_object(w);
	}
	json_open_array(w, "absent");
	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES; i++) {
		const char *name = procfs_pressure_resource_names[i];

		if (!pressure->resources[i].known)
			json_write_string(w, name);
		for (int h = 0; h < PROCFS_N_PRESSURE_HALVES; h++) {
			_cleanup_free_ char *half = xasprintf("%s.%s", name,
							      procfs_pressure_half_names[h]);

			if (!pressure->resources[i].half[h].known)
				json_write_string(w, half);
		}
	}
	json_end_array(w);
	json_end_object(w);
}

bool ctprof_absent_lists(const struct ctprof_value *object, const char *name)
{
	struct json_iter it = json_iter_over(json_find(object->json, "absent"));

	while (json_iter_next(&it)) {
		if (json_text_is(json_string(it.value), name))
			return true;
	}
	return false;
}

static struct error *load_file(const struct ctprof_value *value, int resource,
			       struct procfs_pressure_file *file)
{
	const char *name = procfs_pressure_resource_names[resource];
	struct ctprof_value object = ctprof_value_find(value, name);
	struct error *err = ctprof_value_expect(&object, JSON_OBJECT);

	file->known = ctprof_value_is_there(&object) && !ctprof_absent_lists(value, name);
	for (int h = 0; h < PROCFS_N_PRESSURE_HALVES && !err; h++) {
		struct ctprof_value half = ctprof_value_find(&object,
							     procfs_pressure_half_names[h]);
		_cleanup_free_ char *path = xasprintf("%s.%s", name, half.key);

		err = ctprof_members_load(&half_members, &half, NULL, &file->half[h]);
		if (ctprof_absent_lists(value, path))
			file->half[h] = (struct procfs_pressure_half){ 0 };
	}
	return err;
}

struct error *ctprof_pressure_load(const struct ctprof_value *value, struct procfs_pressure *ret)
{
	struct error *err = ctprof_value_expect(value, JSON_OBJECT);
	struct procfs_pressure pressure = { 0 };

	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES && !err; i++)
		err = load_file(value, i, &pressure.resources[i]);
	if (!err)
		*ret = pressure;
	return err;
}
