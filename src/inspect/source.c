// SPDX-License-Identifier: LGPL-2.1-or-later
#include "inspect/source.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/paths.h"
#include "base/str.h"
#include "physmap/physmap.h"
#include "vm/qemu/qmp.h"
#include "vm/run/run.h"
#include "vm/template/template.h"

#define VM_PREFIX     "vm:"
#define TEMPLATE_FILE "template.json"

enum { ANSWER_WAIT_SEC = 30, PAGE_BYTES = 4096 };
#define ANSWER_WAIT_NS (ANSWER_WAIT_SEC * NS_PER_SEC)

static struct error *stop(struct inspect_freeze *f, const char *dir)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	bool running;
	struct error *err = vm_run_control_is_running(f->qmp, ANSWER_WAIT_NS, &running);

	if (!err && running) {
		/* The mark comes first: if we are killed after it, others resume the guest. */
		err = vm_run_freeze_begin(dir, &f->mark);
		if (!err)
			err = vm_qmp_execute(f->qmp, "stop", NULL, ANSWER_WAIT_NS, NULL);
		f->stopped = !err;
	} else if (!err) {
		f->stopped = vm_run_freeze_adopt(dir, &f->mark);
	}
	if (!err)
		err = vm_qmp_human(f->qmp, "info registers -a", ANSWER_WAIT_NS, &text);
	return err ? err : vm_registers_parse(strbuf_str(&text), text.n, &f->registers);
}

static void freeze_end(struct inspect_freeze *f)
{
	if (f->stopped)
		error_free(vm_qmp_execute(f->qmp, "cont", NULL, ANSWER_WAIT_NS, NULL));
	vm_run_freeze_end(&f->mark);
	vm_qmp_free(f->qmp);
	vm_register_list_deinit(&f->registers);
	*f = INSPECT_FREEZE_NONE;
}

/*
 * Whoever freezes a guest has to reach inspect_close(), whatever signals come: see
 * cli/frame/interrupts.h. A guest that is already stopped stays stopped.
 */
static struct error *freeze_begin(const struct vm_run_entry *entry, struct inspect_freeze *ret)
{
	_cleanup_free_ char *dir = vm_run_control_dir(entry);
	struct inspect_freeze f = INSPECT_FREEZE_NONE;
	struct error *err = vm_run_control_connect(entry, ANSWER_WAIT_NS, &f.qmp);

	if (!err)
		err = stop(&f, dir);
	if (err) {
		freeze_end(&f);
		return error_wrap(err, "freezing the guest");
	}
	*ret = f;
	return NULL;
}

/* A range is read where its bytes are: a clone's in its QEMU, all others in their file. */
static struct error *map_ranges(const struct vm_run_info *info, struct inspect_source *s)
{
	struct error *err = NULL;

	if (info->ram.n == 0)
		return base_error(BASE_ABSENT, 0, "VM %s does not publish where its RAM is",
				  info->id);
	s->map = physmap_new();
	for (size_t i = 0; !err && i < info->ram.n; i++) {
		const struct vm_run_ram *ram = &info->ram.at[i];

		if (!ram->is_private && ram->file) {
			err = physmap_add_file(s->map, ram->guest_address, ram->size_bytes,
					       ram->file, ram->offset_bytes);
			continue;
		}
		if (ram->pid == 0)
			return base_error(BASE_ABSENT, 0, "VM %s does not publish where its RAM is",
					  info->id);
		err = physmap_add_process(s->map, ram->guest_address, ram->size_bytes, ram->pid,
					  ram->address);
		if (err || !ram->file)
			continue;
		if (!s->files)
			s->files = physmap_new();
		err = physmap_add_file(s->files, ram->guest_address, ram->size_bytes, ram->file,
				       ram->offset_bytes);
	}
	if (!err)
		s->reader = s->files ? kmem_reader_of_clone(s->map, s->files)
				     : kmem_reader_of_physmap(s->map);
	return err;
}

static struct error *open_vm(const char *id, bool freeze, struct inspect_source *s)
{
	_cleanup_vm_run_list_ struct vm_run_list list = { 0 };
	const struct vm_run_entry *entry;
	struct error *err = vm_run_list_read(&list);

	if (!err)
		err = vm_run_list_get(&list, id, &entry);
	if (err)
		return err;
	if (entry->state != VM_RUN_RUNNING || !entry->info)
		return base_error(BASE_ABSENT, 0, "VM %s is %s%s%s", entry->id,
				  vm_run_state_name(entry->state), entry->problem ? ": " : "",
				  entry->problem ? entry->problem : "");
	if (freeze)
		err = freeze_begin(entry, &s->freeze);
	return err ? err : map_ranges(entry->info, s);
}

/* As QEMU lays out its backends: DIR/ram.0, DIR/ram.1 …, or all in one file. */
static struct error *map_layout(const struct physmap_layout *layout, const char *dir,
				const char *file, struct inspect_source *s)
{
	struct error *err = NULL;

	s->map = physmap_new();
	for (size_t i = 0; !err && i < layout->ranges.n; i++) {
		const struct physmap_range *range = &layout->ranges.at[i];
		_cleanup_free_ char *path = file ? xstrdup(file)
						 : xasprintf("%s/ram.%u", dir, range->backend);

		err = physmap_add_file(s->map, range->start, range->length, path, range->offset);
	}
	s->reader = kmem_reader_of_physmap(s->map);
	return err;
}

static struct error *open_template(const char *dir, const char *json, struct inspect_source *s)
{
	_cleanup_vm_template_description_ struct vm_template_description d = { 0 };
	_cleanup_physmap_layout_ struct physmap_layout layout = { 0 };
	struct error *err = vm_template_description_read(json, &d);

	if (!err)
		err = physmap_from_backends(PHYSMAP_Q35, d.ram_bytes.at, d.ram_bytes.n, &layout);
	return err ? err : map_layout(&layout, dir, NULL, s);
}

static struct error *open_description(const char *path, struct inspect_source *s)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_vm_run_info_ struct vm_run_info *info = NULL;
	struct error *err = io_read_file(path, VM_LIMIT_RUN_INFO_BYTES, &text);

	if (!err)
		err = vm_run_info_parse(strbuf_str(&text), text.n, path, &info);
	return err ? err : map_ranges(info, s);
}

/* Without a description: what QEMU does with one backend of that size. */
static struct error *open_raw(const char *path, uint64_t size, struct inspect_source *s)
{
	_cleanup_physmap_layout_ struct physmap_layout layout = { 0 };
	struct error *err;

	if (size % PAGE_BYTES)
		return base_error(
			BASE_PARSE, 0,
			"%s is neither an ELF core nor a file of RAM: its size of %llu bytes is not a multiple of %d",
			path, (unsigned long long)size, PAGE_BYTES);
	err = physmap_from_backends(PHYSMAP_Q35, &size, 1, &layout);
	if (err)
		return error_wrap(err, "%s is neither an ELF core nor a file of RAM", path);
	return map_layout(&layout, NULL, path, s);
}

static struct error *open_core(const char *path, struct inspect_source *s)
{
	struct error *err = kmem_core_read(s->fd, path, &s->core);

	if (err)
		return err;
	s->reader = kmem_reader_of_physmap(s->core.map);
	if (s->core.has_note)
		s->note = (struct bytes){ (const uint8_t *)strbuf_str(&s->core.note),
					  s->core.note.n };
	return NULL;
}

/* What makedumpfile writes beside ELF, by how it begins. */
static const struct {
	const char *magic, *what, *hint;
} foreign[] = {
	{ "KDUMP   ", "a kdump-compressed core",
	  "write an ELF core instead, with `makedumpfile -E` or QEMU's dump-guest-memory; drgn and crash read this one" },
	{ "makedumpfile", "a flattened dump of makedumpfile",
	  "`makedumpfile -R OUT <FILE` makes a core of it" },
};

static struct error *refuse_foreign(const char *path, const char *begin, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		size_t m = strlen(foreign[i].magic);

		if (n >= m && memcmp(begin, foreign[i].magic, m) == 0)
			return base_error(BASE_PARSE, 0, "%s is %s, which cannot be read: %s", path,
					  foreign[i].what, foreign[i].hint);
	}
	return NULL;
}

static struct error *check_kind(const char *path, mode_t mode)
{
	const char *what = S_ISFIFO(mode)   ? "a FIFO"
			   : S_ISCHR(mode)  ? "a character device"
			   : S_ISBLK(mode)  ? "a block device"
			   : S_ISSOCK(mode) ? "a socket"
					    : NULL;

	if (!what)
		return NULL;
	return base_error(BASE_PARSE, 0, "%s is %s: memory is read from files, templates and vm:ID",
			  path, what);
}

static struct error *open_file(const char *path, struct inspect_source *s)
{
	_cleanup_free_ char *dir = paths_dirname(path);
	_cleanup_free_ char *beside = xasprintf("%s/" TEMPLATE_FILE, dir);
	char magic[16] = "";
	struct error *err;
	struct stat st;
	ssize_t n;

	if (str_ends_with(path, TEMPLATE_FILE))
		return open_template(dir, path, s);
	if (str_ends_with(path, ".json"))
		return open_description(path, s);
	s->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->fd < 0 || fstat(s->fd, &st) != 0)
		return base_error(BASE_IO, errno, "cannot open %s", path);
	n = pread(s->fd, magic, sizeof(magic), 0);
	if (n >= 4 && memcmp(magic, "\177ELF", 4) == 0)
		return open_core(path, s);
	err = refuse_foreign(path, magic, n < 0 ? 0 : (size_t)n);
	if (err)
		return err;
	if (access(beside, R_OK) == 0)
		return open_template(dir, beside, s);
	if (st.st_size <= 0)
		return base_error(BASE_PARSE, 0, "%s is empty", path);
	return open_raw(path, (uint64_t)st.st_size, s);
}

static struct error *open_dir(const char *dir, struct inspect_source *s)
{
	_cleanup_free_ char *json = xasprintf("%s/" TEMPLATE_FILE, dir);

	if (access(json, F_OK) != 0 && errno == ENOENT)
		return base_error(BASE_ABSENT, 0,
				  "%s is a directory, but not a template: it has no " TEMPLATE_FILE,
				  dir);
	return open_template(dir, json, s);
}

static struct error *open_any(const char *text, bool freeze, struct inspect_source *s)
{
	struct error *err;
	struct stat st;

	if (str_starts_with(text, VM_PREFIX))
		return open_vm(text + strlen(VM_PREFIX), freeze, s);
	if (stat(text, &st) != 0)
		return base_error(BASE_IO, errno, "cannot open %s", text);
	err = check_kind(text, st.st_mode);
	if (err)
		return err;
	return S_ISDIR(st.st_mode) ? open_dir(text, s) : open_file(text, s);
}

struct error *inspect_open(const char *text, bool freeze, struct inspect_source *ret)
{
	struct inspect_source s = INSPECT_SOURCE_NONE;
	struct error *err = open_any(text, freeze, &s);

	if (err) {
		inspect_close(&s);
		return err;
	}
	*ret = s;
	return NULL;
}

void inspect_close(struct inspect_source *s)
{
	freeze_end(&s->freeze);
	physmap_free(s->map);
	physmap_free(s->files);
	kmem_core_deinit(&s->core);
	if (s->fd >= 0)
		close(s->fd);
	*s = INSPECT_SOURCE_NONE;
}
