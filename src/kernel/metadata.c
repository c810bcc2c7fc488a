// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/metadata.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "kernel/limits.h"
#include "kernel/version.h"

#define FILE_ROW_(id, name) [id] = (name),
static const char *const file_names[] = { KERNEL_FILES(FILE_ROW_) };

const char *kernel_file_name(enum kernel_file_kind kind)
{
	return file_names[kind];
}

static void write_files(const struct kernel *kernel, struct json_writer *w)
{
	json_key(w, "files");
	json_begin_object(w);
	for (int i = 0; i < KERNEL_N_FILES; i++) {
		char hash[17];

		if (!kernel->files[i].present)
			continue;
		snprintf(hash, sizeof(hash), "%016" PRIx64, kernel->files[i].hash);
		json_key(w, file_names[i]);
		json_begin_object(w);
		json_add_u64(w, "bytes", kernel->files[i].bytes);
		json_add_string(w, "hash", hash);
		json_end_object(w);
	}
	json_end_object(w);
}

void kernel_metadata_write(const struct kernel *kernel, struct json_writer *w)
{
	json_add_u64(w, "format", KERNEL_METADATA_FORMAT);
	json_add_string(w, "id", kernel->id);
	json_add_string(w, "release", kernel->release);
	json_add_string(w, "version", kernel->version);
	json_add_string(w, "flavour", kernel->flavour);
	json_add_string(w, "build_id", kernel->build_id);
	json_add_string(w, "sched_ext", kernel_scx_word(kernel->scx));
	json_add_string(w, "sched_ext_reason", kernel->scx_reason);
	json_add_string(w, "source", kernel->source);
	json_add_string(w, "suite", kernel->suite);
	if (kernel->origin_path) {
		json_key(w, "origin");
		json_begin_object(w);
		json_add_string(w, "path", kernel->origin_path);
		json_add_u64(w, "bytes", kernel->origin_bytes);
		json_add_u64(w, "mtime_ns", kernel->origin_mtime_ns);
		json_end_object(w);
	}
	json_add_u64(w, "added_unix_sec", kernel->added_unix_sec);
	if (kernel->modules_dir)
		json_add_u64(w, "modules_bytes", kernel->modules_bytes);
	write_files(kernel, w);
}

static char *take_string(const struct json_value *object, const char *name)
{
	struct json_text text = json_string(json_find(object, name));

	/* A NUL inside would make the text mean two things. */
	if (!text.at || memchr(text.at, 0, text.n))
		return NULL;
	return xstrndup(text.at, text.n);
}

static uint64_t take_u64(const struct json_value *object, const char *name)
{
	const struct json_value *value = json_find(object, name);
	uint64_t number = 0;

	return value && json_get_u64(value, &number) ? number : 0;
}

static bool parse_hash(const struct json_value *object, uint64_t *ret)
{
	_cleanup_free_ char *text = take_string(object, "hash");

	if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return false;
	*ret = strtoull(text, NULL, 16);
	return true;
}

static bool parse_files(struct kernel *kernel, const struct json_value *files)
{
	for (int i = 0; i < KERNEL_N_FILES; i++) {
		const struct json_value *row = json_find(files, file_names[i]);
		struct kernel_file *file = &kernel->files[i];

		if (!row)
			continue;
		file->present = true;
		if (!json_find(row, "bytes") ||
		    !json_get_u64(json_find(row, "bytes"), &file->bytes) ||
		    !parse_hash(row, &file->hash))
			return false;
	}
	return kernel->files[KERNEL_VMLINUX].present;
}

static char *path_of(const struct kernel *kernel, enum kernel_file_kind kind)
{
	return kernel->files[kind].present ? xasprintf("%s/%s", kernel->dir, file_names[kind])
					   : NULL;
}

static const char *fill(struct kernel *kernel, const struct json_value *root)
{
	const char *folder = strrchr(kernel->dir, '/');
	const struct json_value *origin = json_find(root, "origin");
	struct json_text scx = json_string(json_find(root, "sched_ext"));
	struct kernel_version version;

	kernel->id = take_string(root, "id");
	kernel->release = take_string(root, "release");
	kernel->version = take_string(root, "version");
	kernel->flavour = take_string(root, "flavour");
	kernel->build_id = take_string(root, "build_id");
	kernel->scx_reason = take_string(root, "sched_ext_reason");
	kernel->source = take_string(root, "source");
	kernel->suite = take_string(root, "suite");
	kernel->origin_path = take_string(origin, "path");
	kernel->origin_bytes = take_u64(origin, "bytes");
	kernel->origin_mtime_ns = take_u64(origin, "mtime_ns");
	kernel->added_unix_sec = take_u64(root, "added_unix_sec");
	kernel->modules_bytes = take_u64(root, "modules_bytes");
	if (take_u64(root, "format") != KERNEL_METADATA_FORMAT)
		return "it has another format than this program writes";
	if (!kernel->id || !kernel->release || !kernel->version || !kernel->source)
		return "a member is missing";
	if (!kernel_name_is_safe(kernel->release) ||
	    !kernel_version_parse(kernel->version, &version, NULL))
		return "its release is not that of a kernel";
	if (!folder || strcmp(folder + 1, kernel->id) != 0)
		return "it belongs to another folder";
	if (!scx.at || !kernel_scx_parse(scx.at, scx.n, &kernel->scx))
		return "it does not say whether sched_ext is usable";
	if (!parse_files(kernel, json_find(root, "files")))
		return "its list of files is not complete";
	kernel->bzimage_path = path_of(kernel, KERNEL_BZIMAGE);
	kernel->vmlinux_path = path_of(kernel, KERNEL_VMLINUX);
	kernel->config_path = path_of(kernel, KERNEL_CONFIG);
	kernel->btf_path = path_of(kernel, KERNEL_BTF);
	if (json_find(root, "modules_bytes"))
		kernel->modules_dir = xasprintf("%s/" KERNEL_MODULES_FOLDER, kernel->dir);
	return NULL;
}

struct error *kernel_metadata_parse(const char *text, size_t n, const char *dir,
				    struct kernel **ret)
{
	_cleanup_kernel_ struct kernel *kernel = xnew(struct kernel);
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct error *err = json_doc_parse(text, n, KERNEL_METADATA_FILE, &doc);
	const char *wrong;

	if (err)
		return error_recast(err, &kernel_error_domain, KERNEL_CORRUPT);
	kernel->dir = xstrdup(dir);
	wrong = fill(kernel, json_doc_root(doc));
	if (wrong)
		return kernel_error(KERNEL_CORRUPT, 0, "%s: %s", KERNEL_METADATA_FILE, wrong);
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
