// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/run_info.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "json/writer.h"

void run_info_deinit(struct run_info *info)
{
	free(info->id);
	free(info->kernel_id);
	free(info->kernel_release);
	free(info->kernel_build_id);
	free(info->topology);
	free(info->accel);
	free(info->accel_reason);
	free(info->template);
	free(info->qmp_socket);
	free(info->console_log);
	for (size_t i = 0; i < info->ram.n; i++)
		free(info->ram.at[i].file);
	vec_deinit(&info->ram);
}

void run_info_free(struct run_info *info)
{
	if (!info)
		return;
	run_info_deinit(info);
	free(info);
}

void run_info_add_ram(struct run_info *info, const struct run_ram *ram)
{
	struct run_ram copy = *ram;

	copy.file = ram->file ? xstrdup(ram->file) : NULL;
	vec_push(&info->ram, copy);
}

static void write_process(struct json_writer *w, const char *key, const struct run_process *process)
{
	if (process->pid <= 0)
		return;
	json_key(w, key);
	json_begin_object(w);
	json_add_i64(w, "pid", process->pid);
	json_add_u64(w, "start_time_jiffies", process->start_time_jiffies);
	json_end_object(w);
}

static void write_ram(struct json_writer *w, const struct run_ram *ram)
{
	json_begin_object(w);
	json_add_u64(w, "guest_address", ram->guest_address);
	json_add_u64(w, "size_bytes", ram->size_bytes);
	if (ram->file) {
		json_add_string(w, "file", ram->file);
		json_add_u64(w, "offset_bytes", ram->offset_bytes);
	}
	json_add_bool(w, "private", ram->is_private);
	if (ram->pid > 0) {
		json_add_i64(w, "pid", ram->pid);
		json_add_u64(w, "address", ram->address);
	}
	json_end_object(w);
}

void run_info_write_members(const struct run_info *info, struct json_writer *w)
{
	json_add_string(w, "id", info->id);
	write_process(w, "owner", &info->owner);
	write_process(w, "qemu", &info->qemu);
	json_add_u64(w, "started_at_sec", info->started_at_sec);
	json_key(w, "kernel");
	json_begin_object(w);
	json_add_string(w, "id", info->kernel_id);
	json_add_string(w, "release", info->kernel_release);
	json_add_string(w, "build_id", info->kernel_build_id);
	json_end_object(w);
	json_add_string(w, "topology", info->topology);
	if (info->memory_bytes)
		json_add_u64(w, "memory_bytes", info->memory_bytes);
	json_add_string(w, "accel", info->accel);
	json_add_string(w, "accel_reason", info->accel_reason);
	json_add_bool(w, "deterministic", info->deterministic);
	json_add_string(w, "template", info->template);
	json_key(w, "ram");
	json_begin_array(w);
	for (size_t i = 0; i < info->ram.n; i++)
		write_ram(w, &info->ram.at[i]);
	json_end_array(w);
	json_add_string(w, "qmp_socket", info->qmp_socket);
	json_add_string(w, "console_log", info->console_log);
}

void run_info_format(const struct run_info *info, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_begin_object(&w);
	json_add_u64(&w, "schema", RUN_INFO_SCHEMA);
	run_info_write_members(info, &w);
	json_end_object(&w);
	strbuf_append_char(into, '\n');
}

static struct error *wrong(const char *label, const char *member)
{
	return base_error(BASE_PARSE, 0, "%s: %s is not what it should be", label, member);
}

/* Absent stays as it is; another type, a NUL byte or too much of it is an error. */
static struct error *get_string(const struct json_value *object, const char *name,
				const char *label, char **ret)
{
	const struct json_value *value = json_find(object, name);
	struct json_text text = json_string(value);

	if (!value)
		return NULL;
	if (!text.at || text.n > RUN_INFO_STRING_LIMIT || memchr(text.at, 0, text.n))
		return wrong(label, name);
	*ret = xstrndup(text.at, text.n);
	return NULL;
}

static struct error *get_u64(const struct json_value *object, const char *name, const char *label,
			     uint64_t *ret)
{
	const struct json_value *value = json_find(object, name);

	if (value && !json_get_u64(value, ret))
		return wrong(label, name);
	return NULL;
}

static struct error *get_bool(const struct json_value *object, const char *name, const char *label,
			      bool *ret)
{
	const struct json_value *value = json_find(object, name);

	if (value && !json_get_bool(value, ret))
		return wrong(label, name);
	return NULL;
}

static struct error *get_pid(const struct json_value *object, const char *name, const char *label,
			     pid_t *ret)
{
	uint64_t pid = 0;
	struct error *err = get_u64(object, name, label, &pid);

	if (err)
		return err;
	if (pid > INT_MAX)
		return wrong(label, name);
	*ret = (pid_t)pid;
	return NULL;
}

static struct error *get_process(const struct json_value *root, const char *name, const char *label,
				 struct run_process *ret)
{
	const struct json_value *value = json_find(root, name);
	struct error *err;

	if (!value)
		return NULL;
	if (json_type_of(value) != JSON_OBJECT)
		return wrong(label, name);
	err = get_pid(value, "pid", label, &ret->pid);
	if (err)
		return err;
	return get_u64(value, "start_time_jiffies", label, &ret->start_time_jiffies);
}

static struct error *parse_ram_row(const struct json_value *row, const char *label,
				   struct run_ram *ret)
{
	uint64_t end;
	struct error *err;

	if (json_type_of(row) != JSON_OBJECT)
		return wrong(label, "ram");
	err = get_u64(row, "guest_address", label, &ret->guest_address);
	if (!err)
		err = get_u64(row, "size_bytes", label, &ret->size_bytes);
	if (!err)
		err = get_u64(row, "offset_bytes", label, &ret->offset_bytes);
	if (!err)
		err = get_u64(row, "address", label, &ret->address);
	if (!err)
		err = get_pid(row, "pid", label, &ret->pid);
	if (!err)
		err = get_bool(row, "private", label, &ret->is_private);
	if (err)
		return err;
	/* Who maps these ranges adds to them. */
	if (!ret->size_bytes || !add_fits_u64(ret->guest_address, ret->size_bytes, &end) ||
	    !add_fits_u64(ret->offset_bytes, ret->size_bytes, &end) ||
	    !add_fits_u64(ret->address, ret->size_bytes, &end))
		return wrong(label, "ram");
	return get_string(row, "file", label, &ret->file);
}

static struct error *parse_ram(const struct json_value *root, const char *label,
			       struct run_info *info)
{
	const struct json_value *rows = json_find(root, "ram");
	struct json_iter it;

	if (!rows)
		return NULL;
	if (json_type_of(rows) != JSON_ARRAY)
		return wrong(label, "ram");
	if (json_length(rows) > RUN_INFO_RAM_LIMIT)
		return base_error(BASE_LIMIT, 0, "%s has more than %d ranges of memory", label,
				  RUN_INFO_RAM_LIMIT);
	it = json_iter_over(rows);
	while (json_iter_next(&it)) {
		struct run_ram ram = { 0 };
		struct error *err = parse_ram_row(it.value, label, &ram);

		if (err)
			return err;
		vec_push(&info->ram, ram);
	}
	return NULL;
}

static struct error *parse_strings(const struct json_value *root, const char *label,
				   struct run_info *info)
{
	const struct json_value *kernel = json_find(root, "kernel");
	const struct {
		const struct json_value *object;
		const char *name;
		char **ret;
	} rows[] = {
		{ root, "id", &info->id },
		{ kernel, "id", &info->kernel_id },
		{ kernel, "release", &info->kernel_release },
		{ kernel, "build_id", &info->kernel_build_id },
		{ root, "topology", &info->topology },
		{ root, "accel", &info->accel },
		{ root, "accel_reason", &info->accel_reason },
		{ root, "template", &info->template },
		{ root, "qmp_socket", &info->qmp_socket },
		{ root, "console_log", &info->console_log },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error *err;

		if (!rows[i].object)
			continue;
		err = get_string(rows[i].object, rows[i].name, label, rows[i].ret);
		if (err)
			return err;
	}
	return NULL;
}

struct error *run_info_parse(const char *text, size_t n, const char *label, struct run_info **ret)
{
	_cleanup_run_info_ struct run_info *info = xnew(struct run_info);
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const struct json_value *root;
	uint64_t schema = 0;
	struct error *err;

	if (n > RUN_INFO_BYTES_LIMIT)
		return base_error(BASE_LIMIT, 0, "%s is larger than %d bytes", label,
				  RUN_INFO_BYTES_LIMIT);
	err = json_doc_parse(text, n, label, &doc);
	if (err)
		return err;
	root = json_doc_root(doc);
	if (json_type_of(root) != JSON_OBJECT)
		return wrong(label, "the document");
	err = get_u64(root, "schema", label, &schema);
	if (!err && schema != RUN_INFO_SCHEMA)
		err = base_error(BASE_PARSE, 0, "%s has schema %llu, this program knows %d", label,
				 (unsigned long long)schema, RUN_INFO_SCHEMA);
	if (!err)
		err = parse_strings(root, label, info);
	if (!err)
		err = get_process(root, "owner", label, &info->owner);
	if (!err)
		err = get_process(root, "qemu", label, &info->qemu);
	if (!err)
		err = get_u64(root, "started_at_sec", label, &info->started_at_sec);
	if (!err)
		err = get_u64(root, "memory_bytes", label, &info->memory_bytes);
	if (!err)
		err = get_bool(root, "deterministic", label, &info->deterministic);
	if (!err)
		err = parse_ram(root, label, info);
	if (err)
		return err;
	if (!info->id || info->owner.pid <= 0)
		return wrong(label, info->id ? "owner" : "id");
	*ret = take_ptr(info);
	return NULL;
}
