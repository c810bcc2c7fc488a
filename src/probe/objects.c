// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/objects.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "elf/symbol.h"
#include "probe/tracer.h"
#include "probe/probe.h"
#include "procfs/task.h"

static struct error *exe_error(const char *proc_root, pid_t pid, struct error *cause)
{
	if (!procfs_pid_exists(proc_root, pid)) {
		error_free(cause);
		return probe_attach_error(PROBE_ATTACH_PID_MISSING, 0, "process %d ended meanwhile",
					  (int)pid);
	}
	return error_recast(cause, &probe_attach_error_domain, PROBE_ATTACH_READLINK_FAILURE);
}

static struct probe_object *find_path(struct probe_objects *objects, const char *path)
{
	for (size_t i = 0; i < objects->rows.n; i++)
		if (strcmp(objects->rows.at[i].path, path) == 0)
			return &objects->rows.at[i];
	return NULL;
}

/*
 * The first of the neighbouring mappings of one file that ends with this one.
 * Two segments may share a page of the file, so only the first tells the bias; the same file
 * may also be mapped elsewhere as mere data, which says nothing.
 */
static const struct procfs_map *first_of_object(const struct procfs_maps *maps, size_t i)
{
	while (i > 0 && maps->rows.at[i - 1].end == maps->rows.at[i].start &&
	       strcmp(maps->rows.at[i - 1].path, maps->rows.at[i].path) == 0)
		i--;
	return &maps->rows.at[i];
}

static void set_mapping(struct probe_object *object, const struct procfs_map *map)
{
	object->map_start = map->start;
	object->map_end = map->end;
	object->map_offset = map->file_offset;
	object->deleted = map->deleted;
}

/* The kernel marks a removed program in the exe link as it does in the maps. */
static void cut_deleted(char *path)
{
	static const char deleted[] = " (deleted)";

	if (str_ends_with(path, deleted))
		path[strlen(path) - strlen(deleted)] = '\0';
}

/*
 * The kernel names files from our root, also those of a process in a chroot below it. Files that
 * are not below our root, as those of containers, it names from theirs.
 */
static const char *own_view(const char *path, const char *root)
{
	size_t n = strlen(root);

	return n > 1 && strncmp(path, root, n) == 0 && path[n] == '/' ? path + n : path;
}

/* The process's root directory as we see it; "/" when it cannot be read. */
static void read_root(const char *ns_root, char *ret, size_t size)
{
	ssize_t n = readlink(ns_root, ret, size - 1);

	ret[n > 0 ? n : 0] = '\0';
}

static void collect(const struct procfs_maps *maps, const char *exe_path,
		    struct probe_objects *objects)
{
	char root[PATH_MAX];

	read_root(objects->ns_root, root, sizeof(root));
	/* The program counts even when no mapping bears its name: its file is always at hand. */
	vec_push(&objects->rows, (struct probe_object){ .path = xstrdup(own_view(exe_path, root)),
							.is_executable = true });
	for (size_t i = 0; i < maps->rows.n; i++) {
		const struct procfs_map *map = &maps->rows.at[i];
		const char *path = own_view(map->path, root);
		struct probe_object *object;

		if (!map->executable || map->path[0] != '/')
			continue;
		object = find_path(objects, path);
		if (!object) {
			vec_push(&objects->rows, (struct probe_object){ .path = xstrdup(path) });
			object = &objects->rows.at[objects->rows.n - 1];
		}
		if (object->map_end == 0)
			set_mapping(object, first_of_object(maps, i));
	}
}

struct error *probe_objects_list(const char *proc_root, pid_t pid, struct probe_objects *ret)
{
	struct probe_objects objects = { .pid = pid };
	_cleanup_procfs_proc_maps_ struct procfs_maps maps = { 0 };
	_cleanup_free_ char *exe_path = NULL;
	struct error *err;

	if (!procfs_pid_exists(proc_root, pid))
		return probe_attach_error(PROBE_ATTACH_PID_MISSING, 0, "there is no process %d",
					  (int)pid);
	err = procfs_exe_path_read(proc_root, pid, &exe_path);
	if (err)
		return exe_error(proc_root, pid, err);
	cut_deleted(exe_path);
	err = procfs_maps_read(proc_root, pid, &maps);
	if (err)
		return error_recast(err, &probe_attach_error_domain,
				    PROBE_ATTACH_MAPS_READ_FAILURE);
	objects.proc_root = xstrdup(proc_root);
	objects.ns_root = xasprintf("%s/%d/root", proc_root, (int)pid);
	collect(&maps, exe_path, &objects);
	*ret = objects;
	return NULL;
}

bool probe_object_error_leaves_open(const struct error *err)
{
	if (!err || error_is(err, &elf_error_domain, ELF_NOT_ELF) ||
	    error_is(err, &elf_error_domain, ELF_ARCH))
		return false;
	if (!error_is(err, &base_error_domain, BASE_IO))
		return true;
	switch (error_errno(err)) {
	case ENOENT:
	case ESRCH:
	case EACCES:
	case EPERM:
		return false;
	default:
		return true;
	}
}

/* The program must be one that this probe can read. */
static struct error *check_program(struct probe_objects *objects)
{
	struct probe_object *program = &objects->rows.at[0];
	const struct probe_object_facts *facts = probe_object_facts(objects, program);
	struct error *why;

	if (facts && facts->machine == PROBE_ARCH_MACHINE)
		return NULL;
	if (facts)
		return probe_attach_error(PROBE_ATTACH_ARCH_MISMATCH, 0,
					  "this probe reads %s, but %s is for ELF machine %#x",
					  PROBE_ARCH_NAME, program->path, facts->machine);
	why = take_ptr(program->error);
	if (error_is(why, &base_error_domain, BASE_CANCELLED))
		return why;
	if (probe_object_error_leaves_open(why))
		return error_recast(why, &probe_attach_error_domain,
				    PROBE_ATTACH_DWARF_PARSE_FAILURE);
	if (error_is(why, &elf_error_domain, ELF_ARCH))
		return error_recast(error_wrap(why, "this probe reads %s", PROBE_ARCH_NAME),
				    &probe_attach_error_domain, PROBE_ATTACH_ARCH_MISMATCH);
	return exe_error(objects->proc_root, objects->pid, why);
}

struct error *probe_objects_read(const char *proc_root, pid_t pid,
				 const struct probe_object_source *source,
				 const struct cancel *cancel, struct probe_objects *ret)
{
	struct probe_objects objects;
	struct error *err = probe_objects_list(proc_root, pid, &objects);

	if (err)
		return err;
	objects.source = source;
	objects.cancel = cancel;
	err = check_program(&objects);
	if (err)
		probe_objects_deinit(&objects);
	else
		*ret = objects;
	return err;
}

void probe_objects_deinit(struct probe_objects *objects)
{
	for (size_t i = 0; i < objects->rows.n; i++) {
		struct probe_object *object = &objects->rows.at[i];

		free(object->path);
		free(object->own_facts);
		elf_image_free(object->image);
		error_free(object->error);
	}
	vec_deinit(&objects->rows);
	free(objects->proc_root);
	free(objects->ns_root);
	objects->proc_root = objects->ns_root = NULL;
}

int probe_object_open(const struct probe_objects *objects, const struct probe_object *object)
{
	_cleanup_free_ char *exact = NULL;
	int fd;

	if (object->is_executable) {
		exact = xasprintf("%s/%d/exe", objects->proc_root, (int)objects->pid);
		return open(exact, O_RDONLY | O_CLOEXEC);
	}
	exact = xasprintf("%s/%d/map_files/%" PRIx64 "-%" PRIx64, objects->proc_root,
			  (int)objects->pid, object->map_start, object->map_end);
	fd = open(exact, O_RDONLY | O_CLOEXEC);
	/* The file at that path now is not the mapped one. */
	if (fd >= 0 || object->deleted)
		return fd;
	return io_open_below(objects->ns_root, object->path);
}

struct elf_image *probe_object_image(const struct probe_objects *objects,
				     struct probe_object *object)
{
	_cleanup_close_ int fd = -1;

	if (object->tried)
		return object->image;
	object->tried = true;
	fd = probe_object_open(objects, object);
	if (fd < 0)
		object->error = base_error(BASE_IO, errno, "cannot open %s", object->path);
	else
		object->error = elf_image_open_fd(fd, object->path, &object->image);
	return object->image;
}

const struct probe_object_facts *probe_object_facts(const struct probe_objects *objects,
						    struct probe_object *object)
{
	if (object->facts || object->error)
		return object->facts;
	if (objects->source) {
		object->facts = objects->source->look(objects->source, objects, object,
						      &object->error);
	} else if (probe_object_image(objects, object)) {
		object->own_facts = xnew(struct probe_object_facts);
		object->error = probe_object_facts_read(object->image, objects->cancel,
							object->own_facts);
		object->facts = object->error ? NULL : object->own_facts;
	}
	return object->facts;
}

const struct probe_glibc_facts *probe_object_glibc(const struct probe_objects *objects,
						   struct probe_object *object)
{
	static const struct probe_glibc_facts nothing;
	const struct probe_object_facts *facts = probe_object_facts(objects, object);

	if (facts && !facts->is_complete && object->own_facts)
		probe_object_facts_complete(object->image, object->own_facts);
	return facts ? &facts->glibc : &nothing;
}

struct error *probe_object_counters(const struct probe_objects *objects,
				    struct probe_object *object, const struct cancel *cancel,
				    struct probe_counter_offsets *ret, struct strbuf *ret_source)
{
	const struct elf_debug_place place = {
		.image = object->image,
		.path = object->path,
		.ns_root = objects->ns_root,
	};

	if (objects->source)
		return objects->source->counters(objects->source, objects, object, ret);
	return probe_counter_offsets_read(&place, object->facts, cancel, ret, ret_source);
}

struct error *probe_object_load_bias(const struct probe_objects *objects,
				     struct probe_object *object, uint64_t *ret)
{
	const struct probe_object_facts *facts = probe_object_facts(objects, object);

	if (!facts || object->map_end == 0)
		return base_error(BASE_ABSENT, 0, "%s: its place in memory is unknown",
				  object->path);
	if (!elf_load_bias(facts->loads, facts->n_loads, object->map_start, object->map_offset,
			   ret))
		return base_error(BASE_ABSENT, 0, "%s loads nothing from file offset %#" PRIx64,
				  object->path, object->map_offset);
	return NULL;
}

static bool is_named(const struct probe_object *object, const char *prefix)
{
	const char *slash = strrchr(object->path, '/');

	return str_starts_with(slash ? slash + 1 : object->path, prefix);
}

static bool defines(const struct probe_objects *objects, struct probe_object *object,
		    const char *symbol)
{
	_cleanup_error_ struct error *missing = NULL;
	struct elf_symbol found;

	if (objects->source)
		return probe_glibc_facts_define(probe_object_glibc(objects, object), symbol);
	if (!probe_object_image(objects, object))
		return false;
	missing = elf_symbol_find_named(object->image, symbol, &found);
	return !missing;
}

struct probe_object *probe_objects_find_defining(struct probe_objects *objects,
						 const char *name_prefix, const char *symbol)
{
	for (size_t i = 0; i < objects->rows.n; i++) {
		struct probe_object *object = &objects->rows.at[i];

		if (is_named(object, name_prefix) && defines(objects, object, symbol))
			return object;
	}
	return NULL;
}

const struct probe_object *probe_objects_find_named(const struct probe_objects *objects,
						    const char *name_prefix)
{
	for (size_t i = 0; i < objects->rows.n; i++)
		if (is_named(&objects->rows.at[i], name_prefix))
			return &objects->rows.at[i];
	return NULL;
}

const struct error *probe_objects_unreadable(const struct probe_objects *objects,
					     const char *name_prefix)
{
	for (size_t i = 0; i < objects->rows.n; i++)
		if (is_named(&objects->rows.at[i], name_prefix) && objects->rows.at[i].error)
			return objects->rows.at[i].error;
	return NULL;
}

int probe_objects_denied(const struct probe_objects *objects)
{
	for (size_t i = 0; i < objects->rows.n; i++) {
		int errnum = objects->rows.at[i].error ? error_errno(objects->rows.at[i].error) : 0;

		if (errnum == EACCES || errnum == EPERM)
			return errnum;
	}
	return 0;
}
