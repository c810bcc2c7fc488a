// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/link/exec.h"

#include <string.h>

#include "base/alloc.h"
#include "vm/image/image.h"

enum { WORDS_LIMIT = 4096 };

static struct error *collect(void *context, enum vm_stream stream UNUSED, const void *bytes,
			     size_t n)
{
	struct strbuf *words = context;

	if (words->n < WORDS_LIMIT)
		strbuf_append_bytes(words, bytes, n);
	return NULL;
}

static struct error *insert(struct vm *vm, const char *path, const struct cancel *cancel)
{
	const char *const argv[] = { "insmod", path, NULL };
	_cleanup_strbuf_ struct strbuf words = STRBUF_INIT;
	struct vm_end end;
	struct error *err;

	err = vm_exec(
		vm,
		&(struct vm_command){
			.argv = argv, .stdin_fd = -1, .on_output = collect, .context = &words },
		cancel, &end);
	if (err || (end.how == WIRE_END_EXITED && end.value == 0) ||
	    strstr(strbuf_str(&words), "File exists"))
		return err;
	return vm_error(VM_AGENT, 0, "%.*s", (int)strcspn(strbuf_str(&words), "\n"),
			strbuf_str(&words));
}

/* Each file goes in under its place in the list: names of modules may hold anything. */
static struct error *send(struct vm *vm, const char *dir, const struct vm_module_list *list,
			  const struct cancel *cancel)
{
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	struct wire_cpio_writer w;
	struct error *err = NULL;

	wire_cpio_writer_init(&w, wire_cpio_strbuf_sink, &archive);
	for (size_t i = 0; !err && i < list->n; i++) {
		_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
		_cleanup_free_ char *name = xasprintf("%zu.ko", i);

		err = vm_module_read_bytes(dir, list->paths[i], &bytes);
		if (!err)
			err = wire_cpio_write(
				&w,
				&(struct wire_cpio_entry){ .name = name, .mode = S_IFREG | 0600 },
				bytes.at, bytes.n);
	}
	if (!err)
		err = wire_cpio_write_trailer(&w);
	return err ? err
		   : vm_put_bytes(vm, "/run/ktstr-modules", archive.at, archive.n, cancel, NULL);
}

struct error *vm_load_module(struct vm *vm, const char *modules_dir, const char *name,
			     const struct cancel *cancel)
{
	_cleanup_vm_module_list_ struct vm_module_list list = { 0 };
	struct error *err;

	if (!modules_dir)
		return vm_modules_error(VM_MODULES_ABSENT, 0,
					"module %s: the kernel came without modules", name);
	err = vm_modules_read(modules_dir, name, &list);
	if (!err && list.n)
		err = send(vm, modules_dir, &list, cancel);
	for (size_t i = 0; !err && i < list.n; i++) {
		_cleanup_free_ char *path = xasprintf("/run/ktstr-modules/%zu.ko", i);

		err = error_wrap(insert(vm, path, cancel), "%s", list.paths[i]);
	}
	return error_wrap(err, "loading module %s", name);
}
