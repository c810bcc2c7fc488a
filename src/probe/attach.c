// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/probe.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "probe/error.h"
#include "probe/known_threads.h"
#include "probe/layout.h"
#include "probe/objects.h"
#include "probe/state.h"
#include "probe/validate.h"

#define WORD_ROW(id, word) [id] = word,

const char *probe_evidence_word(enum probe_evidence evidence)
{
	static const char *const words[] = { PROBE_EVIDENCES(WORD_ROW) };

	return words[evidence];
}

const char *probe_method_word(enum probe_method method)
{
	static const char *const words[] = { PROBE_METHODS(WORD_ROW) };

	return words[method];
}

/* An object that shows signs of jemalloc. */
struct candidate {
	struct object *object;
	const struct object_facts *facts;
};

struct candidates {
	VEC(struct candidate) rows;
};

static void consider(const struct objects *objects, struct object *object, uint16_t machine,
		     struct candidates *candidates)
{
	const struct object_facts *facts = object_facts(objects, object);

	if (facts && facts->machine == machine && facts->is_jemalloc && facts->has_tls)
		vec_push(&candidates->rows, (struct candidate){ object, facts });
}

/* A library's place comes from the loader's own list; the reason when it cannot be had. */
static struct error *place_library(struct probe *probe, const struct objects *objects,
				   const struct candidate *candidate)
{
	struct error *why;
	uint64_t bias;

	if (!probe->has_glibc || !probe->glibc.has_libraries)
		return attach_error(ATTACH_JEMALLOC_IN_DSO, 0,
				    "jemalloc is in %s, and the C library does not say where the "
				    "thread-local storage of libraries is: %s",
				    candidate->object->path,
				    probe->no_glibc ? error_message(probe->no_glibc)
						    : "its descriptors for that are missing");
	why = object_load_bias(objects, candidate->object, &bias);
	if (!why)
		why = link_map_find_tls(&probe->memory.remote, &probe->glibc, bias,
					&probe->place.library);
	return error_recast(error_wrap(why, "jemalloc is in %s", candidate->object->path),
			    &attach_error_domain, ATTACH_JEMALLOC_IN_DSO);
}

static struct error *offsets_from_dwarf(struct probe *probe, const struct objects *objects,
					const struct candidate *candidate)
{
	struct counter_offsets offsets;
	struct error *err = object_counters(objects, candidate->object, probe->cancel, &offsets);

	if (err)
		return err;
	probe->place.allocated = offsets.allocated;
	probe->place.deallocated = offsets.deallocated;
	probe->evidence = PROBE_EVIDENCE_DWARF;
	return NULL;
}

static struct error *offsets_from_table(struct probe *probe, const struct candidate *candidate)
{
	const struct jemalloc_signs *signs = &candidate->facts->signs;
	const struct layout *layout = layout_find(signs, candidate->facts->tls.memsz);
	uint64_t shift;

	if (!layout)
		return attach_error(ATTACH_DWARF_PARSE_FAILURE, 0,
				    "no layout is known for jemalloc %s with %#" PRIx64
				    " bytes of thread-local storage",
				    signs->version[0] ? signs->version : "of unknown version",
				    candidate->facts->tls.memsz);
	shift = (uint64_t)layout_shift(layout, signs);
	probe->place.allocated = layout->allocated + shift;
	probe->place.deallocated = layout->deallocated + shift;
	probe->evidence = PROBE_EVIDENCE_LAYOUT_TABLE;
	return validate_layout(probe, layout, (int64_t)shift);
}

static struct error *resolve(struct probe *probe, const struct objects *objects,
			     struct candidate *candidate)
{
	_cleanup_error_ struct error *no_dwarf = NULL;
	struct error *err;

	probe->place = (struct counter_place){
		.in_executable = candidate->object->is_executable,
		.tls = candidate->facts->tls,
	};
	if (!probe->place.in_executable) {
		err = place_library(probe, objects, candidate);
		if (err)
			return err;
	}
	no_dwarf = offsets_from_dwarf(probe, objects, candidate);
	if (!no_dwarf)
		return NULL;
	if (error_is(no_dwarf, &base_error_domain, BASE_CANCELLED))
		return take_ptr(no_dwarf);
	err = offsets_from_table(probe, candidate);
	if (!err || error_is(err, &base_error_domain, BASE_CANCELLED))
		return err;
	{
		_cleanup_error_ struct error *no_table = err;

		return attach_error(
			ATTACH_DWARF_PARSE_FAILURE, 0,
			"jemalloc is in %s, but where it keeps its counters is unknown: "
			"%s; %s. Install the package's debug symbols or build with -g",
			candidate->object->path, error_message(no_table), error_message(no_dwarf));
	}
}

/* Objects that name the variable come before those that only look like jemalloc. */
static struct error *resolve_best(struct probe *probe, const struct objects *objects,
				  struct candidates *candidates)
{
	struct error *first = NULL;

	for (int named = 1; named >= 0; named--) {
		for (size_t i = 0; i < candidates->rows.n; i++) {
			struct candidate *candidate = &candidates->rows.at[i];
			struct error *err;

			if (candidate->facts->signs.has_symbol != (named == 1))
				continue;
			err = resolve(probe, objects, candidate);
			if (!err) {
				error_free(first);
				probe->object_path = xstrdup(candidate->object->path);
				return NULL;
			}
			if (error_is(err, &base_error_domain, BASE_CANCELLED)) {
				error_free(first);
				return err;
			}
			if (first)
				error_free(err);
			else
				first = err;
		}
	}
	return first;
}

static struct error *not_found(const struct objects *objects)
{
	const struct error *undecided = objects_undecided(objects);

	if (undecided)
		return attach_error(ATTACH_DWARF_PARSE_FAILURE, error_errno(undecided),
				    "whether %s uses jemalloc cannot be told: %s",
				    objects->rows.at[0].path, error_message(undecided));
	return attach_error(ATTACH_JEMALLOC_NOT_FOUND, objects_denied(objects),
			    "none of the %zu objects mapped by %s contains jemalloc: no "
			    "*tsd_tls variable, no *mallctl function, no version string",
			    objects->rows.n, objects->rows.at[0].path);
}

static struct error *find_jemalloc(struct probe *probe, struct objects *objects)
{
	uint16_t machine = object_facts(objects, &objects->rows.at[0])->machine;
	struct candidates candidates = { VEC_INIT };
	struct error *err = NULL;

	for (size_t i = 0; i < objects->rows.n && !err; i++) {
		consider(objects, &objects->rows.at[i], machine, &candidates);
		err = cancel_error(probe->cancel, "looking for jemalloc");
	}
	if (!err && candidates.rows.n == 0)
		err = not_found(objects);
	if (!err)
		err = resolve_best(probe, objects, &candidates);
	vec_deinit(&candidates.rows);
	return err;
}

struct error *probe_attach(pid_t pid, const struct probe_options *options, struct probe **ret)
{
	const char *proc_root = options->proc_root ? options->proc_root : "/proc";
	_cleanup_(cleanup_probe) struct probe *probe = xnew(struct probe);
	struct objects objects = { 0 };
	struct error *err;

	probe->pid = pid;
	probe->stop = options->stop;
	probe->cancel = options->cancel;
	remote_process_init(&probe->memory, pid);
	/* Before anything is read: whatever is found must belong to this memory. */
	address_space_open(proc_root, pid, &probe->space);
	err = objects_read_from(proc_root, pid, options->source, options->cancel, &objects);
	if (err)
		return err;
	probe->no_glibc = glibc_layout_read(&objects, &probe->glibc);
	probe->has_glibc = !probe->no_glibc;
	/* A process whose threads cannot be listed says so with its first snapshot. */
	{
		_cleanup_error_ struct error *unlisted = task_dir_open(proc_root, pid,
								       &probe->tasks);

		if (!unlisted)
			known_threads_init(&probe->known, &probe->tasks, pid);
	}
	err = find_jemalloc(probe, &objects);
	objects_deinit(&objects);
	if (err)
		return err;
	*ret = take_ptr(probe);
	return NULL;
}

void probe_free(struct probe *probe)
{
	if (!probe)
		return;
	probe_finish(probe);
	tracer_deinit(&probe->tracer);
	known_threads_deinit(&probe->known);
	task_dir_close(&probe->tasks);
	address_space_close(&probe->space);
	error_free(probe->no_glibc);
	free(probe->object_path);
	free(probe);
}

bool probe_target_was_replaced(const struct probe *probe)
{
	return address_space_is_gone(&probe->space);
}

enum probe_evidence probe_evidence(const struct probe *probe)
{
	return probe->evidence;
}

const char *probe_object_path(const struct probe *probe)
{
	return probe->object_path;
}

uint64_t probe_stopped_threads(const struct probe *probe)
{
	return probe->tracer.stopped_threads;
}

uint64_t probe_stopped_ns(const struct probe *probe)
{
	return probe->tracer.stopped_ns;
}
