// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/cache.h"

#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/paths.h"
#include "json/rows.h"
#include "kernel/kernel.h"

enum { BUILD_ID_DIGITS_IN_ID = 8 };

struct error *kernel_store_begin(struct kernel_store *ret)
{
	_cleanup_free_ char *cache = kernel_cache_dir();
	struct kernel_store store = {
		.dir = xasprintf("%s/" KERNEL_TEMPORARY_PREFIX "kernel", cache),
		.work = xasprintf("%s/" KERNEL_TEMPORARY_PREFIX "work", cache),
	};
	struct error *err = paths_remove(store.dir);

	/* One fetch may try several kernels; each begins with empty directories. */
	if (!err)
		err = paths_remove(store.work);
	if (!err)
		err = paths_make(store.dir, 0755);
	if (!err)
		err = paths_make(store.work, 0755);
	if (err) {
		kernel_store_deinit(&store);
		return err;
	}
	*ret = store;
	return NULL;
}

void kernel_store_deinit(struct kernel_store *store)
{
	/* What cannot be removed now is removed by the next writer. */
	if (store->dir)
		error_free(paths_remove(store->dir));
	if (store->work)
		error_free(paths_remove(store->work));
	free(store->dir);
	free(store->work);
	*store = (struct kernel_store){ 0 };
}

static struct error *write_file(const char *dir, enum kernel_file_kind kind, struct bytes bytes,
				struct kernel *kernel)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, kernel_file_name(kind));
	_cleanup_close_ int fd = -1;
	struct error *err;

	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return base_error(BASE_IO, errno, "create %s", path);
	err = io_write_all(fd, path, bytes.at, bytes.n);
	if (err)
		return err;
	kernel->files[kind] = (struct kernel_file){
		.present = true,
		.bytes = bytes.n,
		.hash = hash_bytes(HASH_INIT, bytes.at, bytes.n),
	};
	return NULL;
}

static struct error *tree_bytes(char *path, uint64_t *total)
{
	FTS *tree = fts_open((char *const[]){ path, NULL }, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	struct error *err = NULL;
	FTSENT *found;

	while (tree && !err && (found = fts_read(tree)) != NULL) {
		if (found->fts_info == FTS_DNR || found->fts_info == FTS_ERR)
			err = base_error(BASE_IO, found->fts_errno, "cannot open %s",
					 found->fts_path);
		else if (found->fts_level > KERNEL_LIMIT_TREE_DEPTH)
			err = base_error(BASE_LIMIT, 0, "%s is nested too deeply", found->fts_path);
		else if (found->fts_info != FTS_D && found->fts_info != FTS_DP)
			*total += (uint64_t)found->fts_statp->st_size;
	}
	if (!tree)
		return base_error(BASE_IO, errno, "cannot open %s", path);
	fts_close(tree);
	return err;
}

static struct error *take_modules(const char *dir, const char *from, struct kernel *kernel)
{
	_cleanup_free_ char *to = xasprintf("%s/" KERNEL_MODULES_DIR, dir);

	if (rename(from, to) < 0)
		return base_error(BASE_IO, errno, "rename %s to %s", from, to);
	kernel->modules_dir = xstrdup(to);
	kernel->has_modules = true;
	return tree_bytes(to, &kernel->modules_bytes);
}

static struct error *write_files(const struct kernel_store *store, const struct kernel_image *image,
				 const struct kernel_parcel *parcel, struct kernel *kernel)
{
	_cleanup_strbuf_ struct strbuf config = STRBUF_INIT;
	struct error *err = NULL;

	if (image->is_bzimage)
		err = write_file(store->dir, KERNEL_BZIMAGE, parcel->file, kernel);
	if (!err)
		err = write_file(store->dir, KERNEL_VMLINUX, image->vmlinux, kernel);
	if (!err && image->btf.n)
		err = write_file(store->dir, KERNEL_BTF, image->btf, kernel);
	if (!err && parcel->config_path) {
		err = io_read_file(parcel->config_path, KERNEL_LIMIT_CONFIG_BYTES, &config);
		if (!err)
			err = write_file(
				store->dir, KERNEL_CONFIG,
				(struct bytes){ (const uint8_t *)strbuf_str(&config), config.n },
				kernel);
	}
	if (!err && parcel->modules_dir)
		err = take_modules(store->dir, parcel->modules_dir, kernel);
	return err;
}

static struct error *write_metadata(const struct kernel_store *store, const struct kernel *kernel)
{
	_cleanup_free_ char *path = xasprintf("%s/" KERNEL_METADATA_FILE, store->dir);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_PRETTY);

	json_begin_object(&w);
	kernel_metadata_write(kernel, &w);
	json_end_object(&w);
	strbuf_append_char(&text, '\n');
	return io_replace_file(path, text.at, text.n);
}

static bool same_build(const struct kernel *cached, const struct kernel_image *image)
{
	return cached->build_id && image->build_id &&
	       strcmp(cached->build_id, image->build_id) == 0;
}

/* Damaged entries give their name away. */
static struct error *choose_id(const struct kernel_image *image, char **ret)
{
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	struct error *err = kernel_list_read(&list);
	bool taken = false;

	if (err)
		return err;
	for (size_t i = 0; i < list.n; i++) {
		const struct kernel *cached = list.at[i].kernel;

		if (!cached || strcmp(cached->release, image->release) != 0)
			continue;
		if (same_build(cached, image)) {
			*ret = xstrdup(cached->id);
			return NULL;
		}
		taken = taken || strcmp(cached->id, image->release) == 0;
	}
	*ret = taken && image->build_id ? xasprintf("%s.%.*s", image->release,
						    BUILD_ID_DIGITS_IN_ID, image->build_id)
					: xstrdup(image->release);
	return NULL;
}

/*
 * Moves `dir` to `final`. An existing directory there is exchanged with it in one
 * step where the file system can do that: readers see the old or the new one.
 */
static int move_into_place(const char *dir, const char *final)
{
	_cleanup_free_ char *old = NULL;

	if (access(final, F_OK) < 0)
		return rename(dir, final);
	if (renameat2(AT_FDCWD, dir, AT_FDCWD, final, RENAME_EXCHANGE) == 0)
		return 0;
	old = xasprintf("%s-old", dir);
	if (rename(final, old) < 0 || rename(dir, final) < 0)
		return -1;
	return rename(old, dir);
}

/* Everything of the directory is on disk before the name says so. */
static struct error *sync_and_rename(const struct kernel_store *store, const char *final)
{
	_cleanup_close_ int fd = open(store->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || syncfs(fd) < 0)
		return base_error(BASE_IO, errno, "sync %s", store->dir);
	if (move_into_place(store->dir, final) < 0)
		return base_error(BASE_IO, errno, "rename %s to %s", store->dir, final);
	if (syncfs(fd) < 0)
		return base_error(BASE_IO, errno, "sync %s", final);
	return NULL;
}

static char *copy_or_null(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

struct error *kernel_store_commit(struct kernel_store *store, const struct kernel_image *image,
				  const struct kernel_parcel *parcel, struct kernel **ret)
{
	_cleanup_kernel_check_ struct kernel_check check = { 0 };
	_cleanup_kernel_ struct kernel *kernel = xnew(struct kernel);
	_cleanup_free_ char *cache = kernel_cache_dir();
	_cleanup_free_ char *final = NULL;
	struct error *err = kernel_check_btf(image->btf, parcel->label, &check);

	if (!err)
		err = choose_id(image, &kernel->id);
	if (!err)
		err = write_files(store, image, parcel, kernel);
	if (err)
		return err;
	kernel->release = xstrdup(image->release);
	kernel->version = xstrdup(image->version);
	kernel->build_id = copy_or_null(image->build_id);
	kernel->flavour = copy_or_null(parcel->flavour);
	kernel->source = xstrdup(parcel->source);
	kernel->suite = copy_or_null(parcel->suite);
	kernel->origin_path = copy_or_null(parcel->origin_path);
	kernel->origin_bytes = parcel->origin_bytes;
	kernel->origin_mtime_ns = parcel->origin_mtime_ns;
	kernel->added_unix_sec = clock_unix_sec();
	kernel->scx = check.verdict;
	kernel->scx_reason = take_ptr(check.reason);
	err = write_metadata(store, kernel);
	final = xasprintf("%s/%s", cache, kernel->id);
	if (!err)
		err = sync_and_rename(store, final);
	if (err)
		return err;
	return kernel_metadata_read(final, ret);
}

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
		kernel->modules_dir = xasprintf("%s/" KERNEL_MODULES_DIR, dir);
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
