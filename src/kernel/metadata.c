// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "json/rows.h"
#include "kernel/limits.h"

#define FILE_ROW_(id, name) [id] = (name),
static const char *const file_names[] = { KERNEL_FILES(FILE_ROW_) };

const char *kernel_file_name(enum kernel_file_kind kind)
{
	return file_names[kind];
}

static struct error *read_hash(const struct json_value *value, void *member)
{
	struct json_text text = json_string(value);

	if (!text.at || text.n != 16 || strspn(text.at, "0123456789abcdef") != 16)
		return base_error(BASE_PARSE, 0, "not 16 hexadecimal digits");
	*(uint64_t *)member = strtoull(text.at, NULL, 16);
	return NULL;
}

static void write_hash(const void *member, struct json_writer *w)
{
	char hash[17];

	snprintf(hash, sizeof(hash), "%016" PRIx64, *(const uint64_t *)member);
	json_write_string(w, hash);
}

static const struct json_codec hash_codec = {
	.type = "string",
	.read = read_hash,
	.write = write_hash,
};

static const struct json_row file_rows[] = {
	{ JSON_SCALAR(struct kernel_file, bytes), .presence = JSON_REQUIRED, .means = "its size" },
	{ JSON_CUSTOM(struct kernel_file, hash, &hash_codec), .presence = JSON_REQUIRED,
	  .means = "hash of its content" },
};

static const struct json_rows file_table = { JSON_TABLE(file_rows) };

#define FILE_MEMBER_(id, name_)                                               \
	{ .name = (name_),                                                    \
	  .type = JSON_ROW_OBJECT,                                            \
	  .offset = offsetof(struct kernel, files[id]),                       \
	  .rows = &file_table,                                                \
	  .presence = (id) == KERNEL_VMLINUX ? JSON_REQUIRED : JSON_OPTIONAL, \
	  JSON_HAS(struct kernel, files[id].present),                         \
	  .means = "the file of this name" },
static const struct json_row files_rows[] = { KERNEL_FILES(FILE_MEMBER_) };

static const struct json_rows files_table = { JSON_TABLE(files_rows) };

#define ROW(member)	     JSON_SCALAR(struct kernel, member)
#define ROW_AS(member, name) JSON_SCALAR_AS(struct kernel, member, name)

static const struct json_row origin_rows[] = {
	{ ROW_AS(origin_path, "path"), .means = "where it was" },
	{ ROW_AS(origin_bytes, "bytes"), .with = "path", .means = "its size" },
	{ ROW_AS(origin_mtime_ns, "mtime_ns"), .with = "path", .means = "when it was changed" },
};

static const struct json_rows origin_table = { JSON_TABLE(origin_rows) };

static const char *check_release(const void *member)
{
	return kernel_name_is_safe(*(char *const *)member) ? NULL
							   : "is not the release of a kernel";
}

static const char *check_version(const void *member)
{
	struct kernel_version version;

	return kernel_version_parse(*(char *const *)member, &version, NULL)
		       ? NULL
		       : "is not the version of a kernel";
}

static const struct json_row kernel_rows[] = {
	{ ROW(id), .presence = JSON_REQUIRED, .means = "the name of its directory" },
	{ ROW(release), .presence = JSON_REQUIRED, .check = check_release,
	  .means = "what uname -r says" },
	{ ROW(version), .presence = JSON_REQUIRED, .check = check_version,
	  .means = "the release without what the distribution added" },
	{ ROW(flavour), .means = "cloud, generic, rt" },
	{ ROW(build_id), .means = "the build ID of the image" },
	{ JSON_WORD_AS(struct kernel, scx, "sched_ext", kernel_scx_words),
	  .presence = JSON_REQUIRED, .means = "whether programs for sched_ext can be loaded" },
	{ ROW_AS(scx_reason, "sched_ext_reason"), .means = "why not" },
	{ ROW(source), .presence = JSON_REQUIRED, .means = "package and version, or path" },
	{ ROW(suite), .means = "the suite of the archive" },
	{ JSON_GROUP("origin", &origin_table), .absent_zero = true,
	  .means = "the file that it was before it came into the cache" },
	{ ROW(added_unix_sec), .means = "when it came into the cache, in Unix time" },
	{ ROW(modules_bytes), JSON_HAS(struct kernel, has_modules),
	  .means = "size of its modules, if it has any" },
	{ JSON_GROUP("files", &files_table), .presence = JSON_REQUIRED, .means = "its files" },
};

static const struct json_rows kernel_table = {
	JSON_TABLE(kernel_rows),
	.version_name = "format",
	.version = KERNEL_METADATA_FORMAT,
};

void kernel_metadata_write(const struct kernel *kernel, struct json_writer *w)
{
	json_add_u64(w, kernel_table.version_name, kernel_table.version);
	json_rows_write_members(&kernel_table, kernel, w);
}

void kernel_metadata_deinit(struct kernel *kernel)
{
	json_rows_deinit(&kernel_table, kernel);
}

static char *path_of(const struct kernel *kernel, enum kernel_file_kind kind)
{
	return kernel->files[kind].present ? xasprintf("%s/%s", kernel->dir, file_names[kind])
					   : NULL;
}

struct error *kernel_metadata_parse(const char *text, size_t n, const char *dir,
				    struct kernel **ret)
{
	_cleanup_kernel_ struct kernel *kernel = xnew(struct kernel);
	const char *base = strrchr(dir, '/');
	struct error *err = json_rows_parse(&kernel_table, text, n, KERNEL_METADATA_FILE, kernel);

	if (err)
		return error_recast(err, &kernel_error_domain, KERNEL_CORRUPT);
	if (!base || strcmp(base + 1, kernel->id) != 0)
		return kernel_error(KERNEL_CORRUPT, 0, "%s: the file describes another directory",
				    KERNEL_METADATA_FILE);
	kernel->dir = xstrdup(dir);
	kernel->bzimage_path = path_of(kernel, KERNEL_BZIMAGE);
	kernel->vmlinux_path = path_of(kernel, KERNEL_VMLINUX);
	kernel->config_path = path_of(kernel, KERNEL_CONFIG);
	kernel->btf_path = path_of(kernel, KERNEL_BTF);
	if (kernel->has_modules)
		kernel->modules_dir = xasprintf("%s/" KERNEL_MODULES_FOLDER, dir);
	*ret = take_ptr(kernel);
	return NULL;
}

static struct error *check_file(const struct kernel *kernel, enum kernel_file_kind kind)
{
	_cleanup_free_ char *path = path_of(kernel, kind);
	struct stat st;

	if (!path)
		return NULL;
	if (stat(path, &st) < 0)
		return kernel_error(KERNEL_CORRUPT, errno, "%s", file_names[kind]);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != kernel->files[kind].bytes)
		return kernel_error(KERNEL_CORRUPT, 0, "%s has %lld bytes instead of %" PRIu64,
				    file_names[kind], (long long)st.st_size,
				    kernel->files[kind].bytes);
	return NULL;
}

struct error *kernel_metadata_read(const char *dir, struct kernel **ret)
{
	_cleanup_free_ char *path = xasprintf("%s/" KERNEL_METADATA_FILE, dir);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct error *err = io_read_file(path, KERNEL_LIMIT_METADATA_BYTES, &text);

	if (err)
		return error_recast(err, &kernel_error_domain, KERNEL_CORRUPT);
	err = kernel_metadata_parse(strbuf_str(&text), text.n, dir, &kernel);
	for (int i = 0; !err && i < KERNEL_N_FILES; i++)
		err = check_file(kernel, (enum kernel_file_kind)i);
	if (err)
		return err;
	*ret = take_ptr(kernel);
	return NULL;
}
