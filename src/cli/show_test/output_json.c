// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "cli/show_test/show_test.h"
#include "result/outcome.h"

/* Deeper than any valid listing. */
enum { COPY_DEPTH_LIMIT = 16 };

static struct error *copy_value(const struct json_value *value, unsigned int depth,
				struct json_writer *w);

static struct error *copy_members(const struct json_value *value, unsigned int depth,
				  struct json_writer *w)
{
	struct json_iter it = json_iter_over(value);
	struct error *err = NULL;

	if (depth >= COPY_DEPTH_LIMIT)
		return base_error(BASE_LIMIT, 0, "the listing is nested deeper than %d",
				  COPY_DEPTH_LIMIT);
	while (!err && json_iter_next(&it)) {
		if (it.key.at)
			json_key_n(w, it.key.at, it.key.n);
		/* Also when it fails there is a value, if only an empty one. */
		err = copy_value(it.value, depth + 1, w);
	}
	return err;
}

static struct error *copy_value(const struct json_value *value, unsigned int depth,
				struct json_writer *w)
{
	struct error *err = NULL;
	struct json_text text;
	bool yes = false;

	switch (json_type_of(value)) {
	case JSON_NULL:
		json_write_null(w);
		break;
	case JSON_BOOL:
		json_write_bool(w, json_get_bool(value, &yes) && yes);
		break;
	case JSON_NUMBER:
		json_write_number_text(w, json_number_text(value));
		break;
	case JSON_STRING:
		text = json_string(value);
		json_write_string_n(w, text.at, text.n);
		break;
	case JSON_ARRAY:
		json_begin_array(w);
		err = copy_members(value, depth, w);
		json_end_array(w);
		break;
	case JSON_OBJECT:
		json_begin_object(w);
		err = copy_members(value, depth, w);
		json_end_object(w);
		break;
	}
	return err;
}

static void add_cpus(struct json_writer *w, const struct shown_cgroup *cgroup)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!cgroup->exists)
		return;
	topo_cpuset_format(&cgroup->cpus, &text);
	json_add_string(w, "cpus", strbuf_str(&text));
}

static void add_machine(struct json_writer *w, const struct shown_test *shown)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	topo_format(&shown->topology, &text);
	json_add_string(w, "topology", strbuf_str(&text));
	json_add_u64(w, "cpus", topo_cpus(&shown->topology));
	json_add_u64(w, "memory_bytes", shown->memory_bytes);
	json_open_array(w, "cgroups");
	for (size_t i = 0; i < shown->cgroups.n; i++) {
		json_begin_object(w);
		json_add_string(w, "name", shown->cgroups.at[i].declared->name);
		add_cpus(w, &shown->cgroups.at[i]);
		json_end_object(w);
	}
	json_end_array(w);
}

static void add_files(struct json_writer *w, const struct shown_test *shown)
{
	json_open_array(w, "files");
	for (size_t i = 0; i < shown->files.n; i++) {
		json_begin_object(w);
		json_add_string(w, "name", shown->files.at[i].name);
		json_add_string(w, "path", shown->files.at[i].path);
		json_add_u64(w, "bytes", shown->files.at[i].bytes);
		json_add_string(w, "build_id", shown->files.at[i].build_id);
		json_end_object(w);
	}
	json_end_array(w);
	json_add_string(w, "files_missing", shown->missing.n ? strbuf_str(&shown->missing) : NULL);
}

static void add_needs(struct json_writer *w, const struct shown_test *shown)
{
	const struct kernel *kernel = shown->host->kernel;

	json_add_string(w, "kernel", kernel ? kernel->release : NULL);
	if (kernel)
		json_add_bool(w, "needs_met", shown->met);
	if (kernel && !shown->met)
		json_add_string(w, "needs_reason", result_reason_name(shown->unmet_reason));
	if (!shown->met)
		json_add_string(w, "needs_why", shown->unmet);
}

struct error *shown_test_write(const struct shown_test *shown, const struct json_value *listed,
			       struct json_writer *w)
{
	struct error *err = copy_members(listed, 0, w);

	if (err)
		return err;
	json_open_object(w, "resolved");
	add_machine(w, shown);
	add_files(w, shown);
	add_needs(w, shown);
	json_add_string(w, "accel", shown->host->accel);
	json_add_string(w, "accel_reason", shown->host->accel_reason);
	json_add_string(w, "clock", vm_clock_name(shown->host->clock));
	if (shown->host->clock == VM_CLOCK_VIRTUAL) {
		json_add_double(w, "cpu_mips", shown->speed.cpu_mips);
		json_add_double(w, "total_mips", shown->speed.total_mips);
	}
	json_add_u64(w, "time_limit_ms", shown->limit_ns / NS_PER_MS);
	json_add_string(w, "time_limit_sum", strbuf_str(&shown->limit_sum));
	json_end_object(w);
	return NULL;
}
