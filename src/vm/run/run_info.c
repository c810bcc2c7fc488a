// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/run/run.h"

#include "base/alloc.h"
#include "json/rows.h"

#define RAM(member) JSON_SCALAR(struct vm_run_ram, member)

static const char *check_ram(const void *of)
{
	const struct vm_run_ram *ram = of;
	uint64_t end;

	/* Who maps these ranges adds to them. */
	if (ram->size_bytes && add_fits_u64(ram->guest_address, ram->size_bytes, &end) &&
	    add_fits_u64(ram->offset_bytes, ram->size_bytes, &end) &&
	    add_fits_u64(ram->address, ram->size_bytes, &end))
		return NULL;
	return "is a range that is empty or wraps";
}

static const struct json_row ram_rows[] = {
	{ RAM(guest_address), .means = "where the range begins in the guest's physical memory" },
	{ RAM(size_bytes), .means = "its length" },
	{ RAM(file), .means = "the file that holds it, if others can open it" },
	{ RAM(offset_bytes), .with = "file", .means = "where it begins in the file" },
	{ JSON_SCALAR_AS(struct vm_run_ram, is_private, "private"),
	  .means =
		  "whether the file holds the template, and QEMU's memory what was written since" },
	{ RAM(pid), .absent_zero = true, .means = "QEMU's process, if it is known" },
	{ RAM(address), .with = "pid", .means = "where the range begins in QEMU's address space" },
};

static const struct json_rows ram_table = {
	JSON_TABLE(ram_rows),
	.text_limit = VM_LIMIT_RUN_INFO_STRING,
	.check = check_ram,
};

static const struct json_row process_rows[] = {
	{ JSON_SCALAR(struct vm_run_process, pid), .absent_zero = true, .means = "its number" },
	{ JSON_SCALAR(struct vm_run_process, start_time_jiffies), .with = "pid",
	  .means = "when it started, which tells it from a later one of the same number" },
};

static const struct json_rows process_table = { JSON_TABLE(process_rows) };

#define INFO(member)	      JSON_SCALAR(struct vm_run_info, member)
#define INFO_AS(member, name) JSON_SCALAR_AS(struct vm_run_info, member, name)

static const struct json_row kernel_rows[] = {
	{ INFO_AS(kernel_id, "id"), .means = "its name in the cache" },
	{ INFO_AS(kernel_release, "release"), .means = "what uname -r says" },
	{ INFO_AS(kernel_build_id, "build_id"), .means = "its build ID" },
};

static const struct json_rows kernel_table = {
	JSON_TABLE(kernel_rows),
	.text_limit = VM_LIMIT_RUN_INFO_STRING,
};

static const char *check_owner(const void *member)
{
	return ((const struct vm_run_process *)member)->pid > 0 ? NULL : "has no pid";
}

static const struct json_row info_rows[] = {
	{ INFO(id), .presence = JSON_REQUIRED, .means = "the guest's id" },
	{ JSON_OBJECT_OF(struct vm_run_info, owner, &process_table), .presence = JSON_REQUIRED,
	  .absent_zero = true, .check = check_owner,
	  .means = "the process that started the guest" },
	{ JSON_OBJECT_OF(struct vm_run_info, qemu, &process_table), .absent_zero = true,
	  .means = "QEMU's process, once there is one" },
	{ INFO(started_at_sec), .means = "when it was started, in Unix time" },
	{ JSON_GROUP("kernel", &kernel_table), .means = "the kernel that was booted" },
	{ INFO(topology), .means = "the machine's topology" },
	{ INFO(memory_bytes), .absent_zero = true, .means = "the machine's memory" },
	{ INFO(accel), .means = "kvm or tcg" },
	{ INFO(accel_reason), .means = "why this accelerator was chosen" },
	{ INFO(deterministic), .means = "whether time is counted in instructions" },
	{ INFO(template), .means = "the key of the template it is a clone of" },
	{ JSON_OBJECTS(struct vm_run_info, ram, &ram_table), .limit = VM_LIMIT_RUN_INFO_RAM,
	  .means = "ranges of the guest's physical memory and where their bytes are" },
	{ INFO(qmp_socket), .means = "path of QEMU's monitor" },
	{ INFO(console_log), .means = "path of what the guest wrote to its console" },
};

static const struct json_rows info_table = {
	JSON_TABLE(info_rows),
	.version_name = "schema",
	.version = VM_RUN_INFO_SCHEMA,
	.text_limit = VM_LIMIT_RUN_INFO_STRING,
};

void vm_run_info_deinit(struct vm_run_info *info)
{
	json_rows_deinit(&info_table, info);
}

void vm_run_info_free(struct vm_run_info *info)
{
	if (!info)
		return;
	vm_run_info_deinit(info);
	free(info);
}

void vm_run_info_write_members(const struct vm_run_info *info, struct json_writer *w)
{
	json_rows_write_members(&info_table, info, w);
}

void vm_run_info_format(const struct vm_run_info *info, struct strbuf *into)
{
	json_rows_format(&info_table, info, into);
}

struct error *vm_run_info_parse(const char *text, size_t n, const char *label,
				struct vm_run_info **ret)
{
	_cleanup_vm_run_info_ struct vm_run_info *info = xnew(struct vm_run_info);
	struct error *err;

	if (n > VM_LIMIT_RUN_INFO_BYTES)
		return base_error(BASE_LIMIT, 0, "%s is larger than %d bytes", label,
				  VM_LIMIT_RUN_INFO_BYTES);
	err = json_rows_parse(&info_table, text, n, label, info);
	if (err)
		return err;
	*ret = take_ptr(info);
	return NULL;
}
