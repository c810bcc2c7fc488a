// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#define NUMBERS(X) X(switch_all) X(nr_rejected) X(hotplug_seq) X(enable_seq)

void ctprof_sched_ext_write(const struct intern *strings, const struct procfs_sched_ext *ext,
			    struct json_writer *w)
{
	if (!ext->known) {
		json_write_null(w);
		return;
	}
	json_begin_object(w);
	json_add_string(w, "state", intern_text(strings, ext->state));
#define WRITE_(name) json_add_u64(w, #name, ext->name.known ? ext->name.value : 0);
	NUMBERS(WRITE_)
#undef WRITE_
	json_add_string(w, "ops", intern_text(strings, ext->ops));
	if (ext->events.known) {
		json_key(w, "events");
		ctprof_named_write(strings, &ext->events, w);
	}
	json_key(w, "absent");
	json_begin_array(w);
#define WRITE_ABSENT_(name)   \
	if (!ext->name.known) \
		json_write_string(w, #name);
	NUMBERS(WRITE_ABSENT_)
#undef WRITE_ABSENT_
	json_end_array(w);
	json_end_object(w);
}

struct error *ctprof_sched_ext_load(const struct ctprof_value *value, struct intern *strings,
				    struct procfs_sched_ext *ret)
{
	struct ctprof_value state = ctprof_value_find(value, "state");
	struct ctprof_value ops = ctprof_value_find(value, "ops");
	struct ctprof_value events = ctprof_value_find(value, "events");
	struct procfs_sched_ext ext = { .known = true };
	const struct {
		const char *name;
		struct procfs_reading *into;
	} numbers[] = {
#define ROW_(name) { #name, &ext.name },
		NUMBERS(ROW_)
#undef ROW_
	};
	struct error *err = ctprof_value_expect(value, JSON_OBJECT);

	if (err || !ctprof_value_is_there(value))
		return err;
	err = ctprof_value_string(&state, strings, &ext.state);
	if (!err)
		err = ctprof_value_string(&ops, strings, &ext.ops);
	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !err; i++) {
		struct ctprof_value at = ctprof_value_find(value, numbers[i].name);

		err = ctprof_value_reading(&at, numbers[i].into);
		if (ctprof_absent_lists(value, numbers[i].name))
			*numbers[i].into = (struct procfs_reading){ 0 };
	}
	if (!err)
		err = ctprof_value_named(&events, strings, &ext.events);
	if (!err)
		*ret = ext;
	return err;
}
