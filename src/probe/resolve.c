// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/state.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

/* An object that shows signs of jemalloc, and what became of reading it. */
struct candidate {
	struct probe_object *object;
	const struct probe_object_facts *facts;
	struct error *error; /* NULL: the fields below hold */
	struct probe_counter_place place;
	enum probe_evidence evidence;
	char *source;
	enum probe_use use;
	uint64_t allocated_bytes; /* by all threads; with PROBE_USE_SOME */
};

struct candidates {
	VEC(struct candidate) rows;
};

static void candidates_deinit(struct candidates *candidates)
{
	for (size_t i = 0; i < candidates->rows.n; i++) {
		error_free(candidates->rows.at[i].error);
		free(candidates->rows.at[i].source);
	}
	vec_deinit(&candidates->rows);
}

static bool is_called(const char *path, const char *wanted)
{
	const char *slash = strrchr(path, '/');

	return !wanted || strcmp(path, wanted) == 0 || (slash && strcmp(slash + 1, wanted) == 0);
}

static void consider(const struct probe_objects *objects, struct probe_object *object,
		     uint16_t machine, struct candidates *candidates)
{
	const struct probe_object_facts *facts = probe_object_facts(objects, object);

	if (facts && facts->machine == machine && facts->is_jemalloc && facts->has_tls)
		vec_push(&candidates->rows, (struct candidate){ .object = object, .facts = facts });
}

/* A library's place comes from the loader's own list; the reason when it cannot be had. */
static struct error *place_library(struct probe *probe, const struct probe_objects *objects,
				   const struct candidate *candidate)
{
	struct error *why;
	uint64_t bias;

	if (!probe->has_glibc || !probe->glibc.has_libraries)
		return probe_attach_error(
			PROBE_ATTACH_JEMALLOC_IN_DSO, 0,
			"jemalloc is in %s, and the C library does not say where the "
			"thread-local storage of libraries is: %s",
			candidate->object->path,
			probe->no_glibc ? error_message(probe->no_glibc)
					: "its descriptors for that are missing");
	why = probe_object_load_bias(objects, candidate->object, &bias);
	if (!why)
		why = probe_link_map_find_tls(&probe->memory.remote, &probe->glibc, bias,
					      &probe->place.library);
	return error_recast(error_wrap(why, "jemalloc is in %s", candidate->object->path),
			    &probe_attach_error_domain, PROBE_ATTACH_JEMALLOC_IN_DSO);
}

static struct error *offsets_from_dwarf(struct probe *probe, const struct probe_objects *objects,
					struct candidate *candidate)
{
	_cleanup_strbuf_ struct strbuf source = STRBUF_INIT;
	struct probe_counter_offsets offsets;
	struct error *err = probe_object_counters(objects, candidate->object, probe->cancel,
						  &offsets, &source);

	if (err)
		return err;
	probe->place.allocated = offsets.allocated;
	probe->place.deallocated = offsets.deallocated;
	candidate->evidence = PROBE_EVIDENCE_DWARF;
	candidate->source = xstrdup(strbuf_str(&source));
	return NULL;
}

static struct error *no_layout(const struct candidate *candidate, const char *why)
{
	const char *version = candidate->facts->signs.version;

	return probe_attach_error(
		PROBE_ATTACH_DWARF_PARSE_FAILURE, 0,
		"%s for jemalloc %s with %#" PRIx64 " bytes of thread-local storage", why,
		version[0] ? version : "of unknown version", candidate->facts->tls.memsz);
}

/* Exactly one of the places must be proven by the live process. */
static struct error *offsets_from_table(struct probe *probe, struct candidate *candidate)
{
	const struct probe_layout *layout = probe_layout_find(candidate->facts->signs.version);
	int64_t shifts[PROBE_LIMIT_TSD_PLACES], proven = 0;
	size_t n = layout ? probe_layout_shifts(layout, candidate->facts, shifts) : 0, n_proven = 0;
	_cleanup_error_ struct error *first = NULL;

	if (!layout)
		return no_layout(candidate, "no layout is known");
	for (size_t i = 0; i < n; i++) {
		struct error *err = probe_validate_layout(probe, layout, shifts[i]);

		if (error_is(err, &base_error_domain, BASE_CANCELLED))
			return err;
		if (!err) {
			proven = shifts[i];
			n_proven++;
		} else if (first) {
			error_free(err);
		} else {
			first = err;
		}
	}
	if (n_proven == 0 && first)
		return take_ptr(first);
	if (n_proven != 1)
		return no_layout(candidate, n_proven ? "two places fit the layout known"
						     : "no place has the initial values known");
	probe->place.allocated = layout->allocated + (uint64_t)proven;
	probe->place.deallocated = layout->deallocated + (uint64_t)proven;
	candidate->evidence = PROBE_EVIDENCE_LAYOUT_TABLE;
	candidate->source = xasprintf("layout table, %s: %s", layout->version, layout->origin);
	return NULL;
}

static void add_detail(const struct probe_options *options, const struct candidate *candidate,
		       const struct error *err)
{
	if (options->details)
		strbuf_appendf(options->details, "%s: %s\n", candidate->object->path,
			       error_message(err));
}

/* Uses probe->place as scratch: it is not valid until a candidate is chosen. */
static struct error *resolve(struct probe *probe, const struct probe_objects *objects,
			     const struct probe_options *options, struct candidate *candidate)
{
	_cleanup_error_ struct error *no_dwarf = NULL, *no_table = NULL;
	struct error *err;

	probe->place = (struct probe_counter_place){
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
	add_detail(options, candidate, no_dwarf);
	no_table = offsets_from_table(probe, candidate);
	if (!no_table || error_is(no_table, &base_error_domain, BASE_CANCELLED))
		return take_ptr(no_table);
	add_detail(options, candidate, no_table);
	return probe_attach_error(
		PROBE_ATTACH_DWARF_PARSE_FAILURE, 0,
		"jemalloc is in %s, but where it keeps its counters is unknown: %s. "
		"Install its debug symbols, or build it with -g",
		candidate->object->path, error_message(no_table));
}

static void measure_use(struct probe *probe, struct candidate *candidate)
{
	if (!probe_attach_threads_allocated(probe, &candidate->allocated_bytes))
		candidate->use = PROBE_USE_UNKNOWN;
	else
		candidate->use = candidate->allocated_bytes ? PROBE_USE_SOME : PROBE_USE_NONE;
}

/* Whether a is to be read rather than b. Objects that name the variable come before others. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (!b || !a->error != !b->error)
		return !b || !a->error;
	if (a->use != b->use)
		return a->use > b->use;
	if (a->allocated_bytes != b->allocated_bytes)
		return a->allocated_bytes > b->allocated_bytes;
	return a->facts->signs.has_symbol && !b->facts->signs.has_symbol;
}

/* An unused jemalloc beside one that cannot be read: the latter may be what is in use. */
static struct candidate *unread_beside(struct candidates *candidates,
				       const struct candidate *chosen)
{
	if (chosen->error || chosen->use != PROBE_USE_NONE)
		return NULL;
	for (size_t i = 0; i < candidates->rows.n; i++)
		if (candidates->rows.at[i].error)
			return &candidates->rows.at[i];
	return NULL;
}

static void keep(struct probe *probe, struct candidates *candidates, const struct candidate *chosen)
{
	probe->place = chosen->place;
	probe->evidence = chosen->evidence;
	probe->object_path = xstrdup(chosen->object->path);
	probe->offsets_source = xstrdup(chosen->source);
	for (size_t i = 0; i < candidates->rows.n; i++) {
		const struct candidate *other = &candidates->rows.at[i];

		if (other == chosen)
			continue;
		vec_push(&probe->others,
			 (struct probe_other){
				 .path = xstrdup(other->object->path),
				 .use = other->use,
				 .unread = other->error ? xstrdup(error_message(other->error))
							: NULL,
			 });
	}
}

static struct error *choose(struct probe *probe, struct candidates *candidates, const char *wanted)
{
	struct candidate *chosen = NULL, *unread;

	for (size_t i = 0; i < candidates->rows.n; i++) {
		struct candidate *candidate = &candidates->rows.at[i];

		if (is_called(candidate->object->path, wanted) && is_better(candidate, chosen))
			chosen = candidate;
	}
	if (!chosen)
		return probe_attach_error(PROBE_ATTACH_JEMALLOC_NOT_FOUND, 0,
					  "no object called %s contains jemalloc; %s does", wanted,
					  candidates->rows.at[0].object->path);
	unread = wanted ? NULL : unread_beside(candidates, chosen);
	if (unread)
		chosen = unread;
	if (chosen->error)
		return take_ptr(chosen->error);
	keep(probe, candidates, chosen);
	return NULL;
}

/*
 * The first error that leaves open whether one of them holds jemalloc, which is not the same as
 * its absence; or NULL.
 */
static const struct error *find_undecided(const struct probe_objects *objects)
{
	for (size_t i = 0; i < objects->rows.n; i++)
		if (probe_object_error_leaves_open(objects->rows.at[i].error))
			return objects->rows.at[i].error;
	return NULL;
}

/* One that was removed or replaced since it was mapped, and not opened by its mapping either. */
static const struct probe_object *find_deleted_unread(const struct probe_objects *objects)
{
	for (size_t i = 0; i < objects->rows.n; i++)
		/* Memory that was made executable bears a deleted name too, but not a library's. */
		if (objects->rows.at[i].deleted && objects->rows.at[i].error &&
		    strstr(objects->rows.at[i].path, ".so"))
			return &objects->rows.at[i];
	return NULL;
}

static struct error *not_found(const struct probe_objects *objects)
{
	const struct error *undecided = find_undecided(objects);
	const struct probe_object *deleted = find_deleted_unread(objects);

	if (undecided)
		return probe_attach_error(PROBE_ATTACH_DWARF_PARSE_FAILURE, error_errno(undecided),
					  "cannot determine whether %s uses jemalloc: %s",
					  objects->rows.at[0].path, error_message(undecided));
	if (deleted)
		return probe_attach_error(
			PROBE_ATTACH_DWARF_PARSE_FAILURE, error_errno(deleted->error),
			"cannot determine whether %s uses jemalloc: %s was removed or "
			"replaced since it was loaded, and only CAP_SYS_ADMIN or "
			"CAP_CHECKPOINT_RESTORE may open what is still mapped. Restart "
			"the program, or run the probe as root",
			objects->rows.at[0].path, deleted->path);
	return probe_attach_error(PROBE_ATTACH_JEMALLOC_NOT_FOUND, probe_objects_denied(objects),
				  "none of the %zu objects mapped by %s contains jemalloc: no "
				  "*tsd_tls variable, no *mallctl function, no version string",
				  objects->rows.n, objects->rows.at[0].path);
}

static struct error *resolve_all(struct probe *probe, const struct probe_objects *objects,
				 const struct probe_options *options, struct candidates *candidates)
{
	for (size_t i = 0; i < candidates->rows.n; i++) {
		struct candidate *candidate = &candidates->rows.at[i];
		struct error *err = resolve(probe, objects, options, candidate);

		if (error_is(err, &base_error_domain, BASE_CANCELLED))
			return err;
		candidate->error = err;
		candidate->place = probe->place;
		/* Of a single one it does not matter, and may cost a stop. */
		if (!err && candidates->rows.n > 1)
			measure_use(probe, candidate);
	}
	return NULL;
}

struct error *probe_resolve_jemalloc(struct probe *probe, struct probe_objects *objects,
				     const struct probe_options *options)
{
	uint16_t machine = probe_object_facts(objects, &objects->rows.at[0])->machine;
	struct candidates candidates = { VEC_INIT };
	struct error *err = NULL;

	for (size_t i = 0; i < objects->rows.n && !err; i++) {
		consider(objects, &objects->rows.at[i], machine, &candidates);
		err = cancel_error(probe->cancel, "looking for jemalloc");
	}
	if (!err && candidates.rows.n == 0)
		err = not_found(objects);
	if (!err)
		err = resolve_all(probe, objects, options, &candidates);
	if (!err)
		err = choose(probe, &candidates, options->object);
	candidates_deinit(&candidates);
	return err;
}
