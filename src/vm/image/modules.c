// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/image/image.h"

#include <string.h>
#include <sys/wait.h>

#include <zstd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/spawn.h"
#include "base/str.h"
#include "elf/image.h"

DEFINE_ERROR_DOMAIN(vm_modules, VM_MODULES, VM_MODULES_ERRORS);

void vm_module_list_deinit(struct vm_module_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->paths[i]);
	free(list->paths);
	*list = (struct vm_module_list){ 0 };
}

static char folded(char c)
{
	return c == '-' ? '_' : c;
}

/* Does this path end in the module's file? */
static bool is_module(struct slice path, const char *name)
{
	size_t length = strlen(name);
	struct slice file;

	while (memchr(path.at, '/', path.n))
		slice_take_until(&path, '/', &file);
	file = path;
	if (file.n < length + 3 || memcmp(file.at + length, ".ko", 3) != 0)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (folded(file.at[i]) != folded(name[i]))
			return false;
	}
	return file.n == length + 3 || file.at[length + 3] == '.';
}

static struct error *push(struct vm_module_list *list, struct slice path)
{
	if (list->n == VM_LIMIT_MODULES_FILES)
		return vm_modules_error(VM_MODULES_LIMIT, 0,
					"a module that needs more than %d others",
					VM_LIMIT_MODULES_FILES);
	/* The directory belongs to a package, but the file may be foreign. */
	if (path.at[0] == '/' || memmem(path.at, path.n, "..", 2) || memchr(path.at, 0, path.n))
		return vm_modules_error(VM_MODULES_ABSENT, 0,
					"modules.dep names a path outside its directory: %.*s",
					(int)path.n, path.at);
	list->paths = xreallocarray(list->paths, list->n + 1, sizeof(*list->paths));
	list->paths[list->n++] = xstrndup(path.at, path.n);
	return NULL;
}

/* "a.ko: b.ko c.ko": c needs nothing, b may need c. Loaded from the right. */
static struct error *parse_line(struct slice path, struct slice needs, struct vm_module_list *ret)
{
	struct error *err = push(ret, path);
	struct slice needed;

	while (!err && slice_take_word(&needs, &needed))
		err = push(ret, needed);
	for (size_t i = 0; i < ret->n / 2; i++) {
		char *left = ret->paths[i];

		ret->paths[i] = ret->paths[ret->n - 1 - i];
		ret->paths[ret->n - 1 - i] = left;
	}
	return err;
}

struct error *vm_modules_parse_dep(struct bytes dep, const char *name, struct vm_module_list *ret)
{
	struct slice rest = { (const char *)dep.at, dep.n }, line, path;

	while (slice_take_line(&rest, &line)) {
		_cleanup_vm_module_list_ struct vm_module_list list = { 0 };
		struct slice needs = line;
		struct error *err;

		if (!slice_take_until(&needs, ':', &path) || path.n == line.n ||
		    !is_module(path, name))
			continue;
		err = parse_line(path, needs, &list);
		if (err)
			return err;
		*ret = list;
		list = (struct vm_module_list){ 0 };
		return NULL;
	}
	return vm_modules_error(VM_MODULES_ABSENT, 0, "no module '%s' in modules.dep", name);
}

bool vm_modules_parse_builtin(struct bytes builtin, const char *name)
{
	struct slice rest = { (const char *)builtin.at, builtin.n }, line;

	while (slice_take_line(&rest, &line)) {
		if (is_module(line, name))
			return true;
	}
	return false;
}

static struct bytes over(const struct strbuf *s)
{
	return (struct bytes){ (const uint8_t *)strbuf_str(s), s->n };
}

void vm_modules_parse_modinfo(struct bytes modinfo, struct strbuf *into)
{
	static const char key[] = "depends=";
	struct cursor c = cursor_over(modinfo);
	struct slice rest, name;
	const char *line;

	while (cursor_left(&c) && (line = cursor_string(&c))) {
		if (strncmp(line, key, sizeof(key) - 1) != 0)
			continue;
		rest = slice_of(line + sizeof(key) - 1);
		while (slice_take_until(&rest, ',', &name))
			if (name.n)
				strbuf_appendf(into, "%.*s\n", (int)name.n, name.at);
	}
}

/* Without modules.dep: the files by name, and those that need no file. */
struct dir {
	const char *path;
	struct strbuf order, builtin;
};

/* modules.order knows nothing of the suffix that packing adds. */
static char *find_file(const struct dir *dir, const char *name)
{
	static const char *const suffixes[] = { "", ".xz", ".zst", ".gz" };
	struct slice rest = slice_of(strbuf_str(&dir->order)), line;

	while (slice_take_line(&rest, &line)) {
		for (size_t i = 0; is_module(line, name) && i < ARRAY_SIZE(suffixes); i++) {
			_cleanup_free_ char *path = xasprintf("%.*s%s", (int)line.n, line.at,
							      suffixes[i]);
			_cleanup_free_ char *full = xasprintf("%s/%s", dir->path, path);

			if (access(full, R_OK) == 0)
				return take_ptr(path);
		}
	}
	return NULL;
}

static struct error *read_depends(const struct dir *dir, const char *path, struct strbuf *ret)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_elf_image_ struct elf_image *img = NULL;
	struct bytes modinfo;
	struct error *err;

	err = vm_module_read_bytes(dir->path, path, &bytes);
	if (!err)
		err = elf_image_from_bytes(strbuf_str(&bytes), bytes.n, path, &img);
	if (!err)
		err = elf_image_section(img, ".modinfo", &modinfo);
	if (!err)
		vm_modules_parse_modinfo(modinfo, ret);
	return err;
}

static bool is_listed(const struct vm_module_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++) {
		if (is_module(slice_of(list->paths[i]), name))
			return true;
	}
	return false;
}

static struct error *ask_modules(const struct dir *dir, const char *name, int depth,
				 struct vm_module_list *list)
{
	_cleanup_strbuf_ struct strbuf depends = STRBUF_INIT;
	_cleanup_free_ char *path = NULL;
	struct slice rest, line;
	struct error *err;

	if (is_listed(list, name) || vm_modules_parse_builtin(over(&dir->builtin), name))
		return NULL;
	if (depth > VM_LIMIT_MODULES_DEPTH)
		return vm_modules_error(VM_MODULES_LIMIT, 0, "'%s' is needed %d levels deep", name,
					depth);
	path = find_file(dir, name);
	if (!path)
		return vm_modules_error(VM_MODULES_ABSENT, 0, "no module '%s' in modules.order",
					name);
	err = read_depends(dir, path, &depends);
	rest = slice_of(strbuf_str(&depends));
	while (!err && slice_take_line(&rest, &line)) {
		_cleanup_free_ char *needed = xstrndup(line.at, line.n);

		err = error_wrap(ask_modules(dir, needed, depth + 1, list), "%s", name);
	}
	return err ? err : push(list, slice_of(path));
}

static struct error *read_list(const char *dir, const char *name, struct strbuf *into)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);

	return io_read_file(path, VM_LIMIT_MODULES_DEP_BYTES, into);
}

static struct error *read_without_dep(struct dir *dir, const char *name, struct vm_module_list *ret)
{
	_cleanup_vm_module_list_ struct vm_module_list list = { 0 };
	struct error *err = read_list(dir->path, "modules.order", &dir->order);

	if (!err)
		err = ask_modules(dir, name, 0, &list);
	if (!err) {
		*ret = list;
		list = (struct vm_module_list){ 0 };
	}
	return err;
}

struct error *vm_modules_read(const char *dir, const char *name, struct vm_module_list *ret)
{
	struct dir f = { .path = dir };
	_cleanup_strbuf_ struct strbuf dep = STRBUF_INIT;
	struct error *err;

	/* Not every package ships the list of what is built in. */
	error_free(read_list(dir, "modules.builtin", &f.builtin));
	err = read_list(dir, "modules.dep", &dep);
	if (vm_modules_parse_builtin(over(&f.builtin), name)) {
		*ret = (struct vm_module_list){ 0 };
		error_free(err);
		err = NULL;
	} else if (!err) {
		err = vm_modules_parse_dep(over(&dep), name, ret);
	} else if (error_errno(err) == ENOENT) {
		error_free(err);
		err = read_without_dep(&f, name, ret);
	}
	strbuf_deinit(&f.order);
	strbuf_deinit(&f.builtin);
	return error_wrap(err, "%s", dir);
}

static struct error *unpack_zstd(const char *path, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;
	ZSTD_DStream *stream = ZSTD_createDStream();
	struct error *err = io_read_file(path, VM_LIMIT_MODULES_MODULE_BYTES, &packed);
	ZSTD_inBuffer in = { strbuf_str(&packed), packed.n, 0 };
	size_t before = into->n, rest = 1;
	char chunk[65536];

	while (!err && rest) {
		ZSTD_outBuffer out = { chunk, sizeof(chunk), 0 };
		size_t seen = in.pos;

		rest = ZSTD_decompressStream(stream, &out, &in);
		if (ZSTD_isError(rest))
			err = vm_modules_error(VM_MODULES_UNPACK, 0, "%s: %s", path,
					       ZSTD_getErrorName(rest));
		else if (rest && out.pos == 0 && in.pos == seen)
			err = vm_modules_error(VM_MODULES_UNPACK, 0, "%s is cut short", path);
		else if (into->n - before + out.pos > VM_LIMIT_MODULES_MODULE_BYTES)
			err = vm_modules_error(VM_MODULES_LIMIT, 0,
					       "%s unpacks to more than %d bytes", path,
					       VM_LIMIT_MODULES_MODULE_BYTES);
		else
			strbuf_append_bytes(into, chunk, out.pos);
	}
	ZSTD_freeDStream(stream);
	return err;
}

/* liblzma is not among our libraries; xz is wherever such packages are unpacked. */
static struct error *unpack_with(const char *program, const char *path, struct strbuf *into)
{
	const char *const argv[] = { program, "-dc", "-q", "-q", path, NULL };
	struct error *err;
	int status;

	err = spawn_capture(argv, VM_LIMIT_MODULES_MODULE_BYTES, into, &status);
	if (err)
		return error_wrap(err, "unpacking %s with %s", path, program);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return vm_modules_error(VM_MODULES_UNPACK, 0, "%s cannot unpack %s", program, path);
	return NULL;
}

struct error *vm_module_read_bytes(const char *dir, const char *path, struct strbuf *into)
{
	_cleanup_free_ char *full = xasprintf("%s/%s", dir, path);

	if (str_ends_with(path, ".ko"))
		return io_read_file(full, VM_LIMIT_MODULES_MODULE_BYTES, into);
	if (str_ends_with(path, ".ko.zst"))
		return unpack_zstd(full, into);
	if (str_ends_with(path, ".ko.xz"))
		return unpack_with("xz", full, into);
	if (str_ends_with(path, ".ko.gz"))
		return unpack_with("gzip", full, into);
	return vm_modules_error(VM_MODULES_UNPACK, 0, "%s is packed in an unknown way", path);
}
