// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/heap/heap.h"

#include <string.h>
#include <sys/stat.h>

#include "elf/image.h"
#include "probe/tracer.h"

void ctprof_heap_objects_init(struct ctprof_heap_objects *table, const char *proc_root)
{
	*table = (struct ctprof_heap_objects){ .proc_root = proc_root };
	pthread_mutex_init(&table->lock, NULL);
}

void ctprof_heap_objects_deinit(struct ctprof_heap_objects *table)
{
	for (size_t i = 0; i < table->rows.n; i++) {
		for (unsigned int p = 0; p < table->rows.at[i].n_places; p++)
			free(table->rows.at[i].places[p].object.path);
		free(table->rows.at[i].facts);
	}
	vec_deinit(&table->rows);
	hash_index_deinit(&table->index);
	pthread_mutex_destroy(&table->lock);
}

static bool read_key(int fd, struct ctprof_heap_key *ret)
{
	struct stat st;

	/* Bytes between the members would make equal keys differ. */
	memset(ret, 0, sizeof(*ret));
	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	ret->dev = st.st_dev;
	ret->ino = st.st_ino;
	ret->size = (uint64_t)st.st_size;
	ret->mtime_sec = st.st_mtim.tv_sec;
	ret->mtime_nsec = st.st_mtim.tv_nsec;
	return true;
}

static uint64_t hash_of(const struct ctprof_heap_key *key)
{
	return hash_bytes(HASH_INIT, key, sizeof(*key));
}

static uint32_t find_key(const struct ctprof_heap_objects *table, const struct ctprof_heap_key *key)
{
	size_t at = 0;
	uint32_t i;

	while (hash_index_next(&table->index, hash_of(key), &at, &i))
		if (memcmp(&table->rows.at[i].key, key, sizeof(*key)) == 0)
			return i;
	return CTPROF_HEAP_NO_OBJECT;
}

static void add_place(struct ctprof_heap_object *row, const struct probe_objects *objects,
		      const struct probe_object *object)
{
	if (row->n_places == CTPROF_HEAP_PLACES)
		return;
	row->places[row->n_places++] = (struct ctprof_heap_place){
		.pid = objects->pid,
		.object = {
			.path = xstrdup(object->path),
			.is_executable = object->is_executable,
			.deleted = object->deleted,
			.map_start = object->map_start,
			.map_end = object->map_end,
		},
	};
}

static uint32_t add_key(struct ctprof_heap_objects *table, const struct ctprof_heap_key *key,
			const struct probe_objects *objects, const struct probe_object *object)
{
	uint32_t row = find_key(table, key);

	if (row == CTPROF_HEAP_NO_OBJECT) {
		if (table->rows.n == CTPROF_HEAP_OBJECTS) {
			errno = E2BIG;
			return CTPROF_HEAP_NO_OBJECT;
		}
		row = (uint32_t)table->rows.n;
		vec_push(&table->rows, (struct ctprof_heap_object){ .key = *key });
		hash_index_add(&table->index, hash_of(key), row);
	}
	add_place(&table->rows.at[row], objects, object);
	return row;
}

uint32_t ctprof_heap_objects_add(struct ctprof_heap_objects *table,
				 const struct probe_objects *objects,
				 const struct probe_object *object)
{
	_cleanup_close_ int fd = probe_object_open(objects, object);
	struct ctprof_heap_key key;
	uint32_t index;

	if (!read_key(fd, &key))
		return CTPROF_HEAP_NO_OBJECT;
	pthread_mutex_lock(&table->lock);
	index = add_key(table, &key, objects, object);
	pthread_mutex_unlock(&table->lock);
	return index;
}

uint32_t ctprof_heap_objects_find(const struct ctprof_heap_objects *table,
				  const struct probe_objects *objects,
				  const struct probe_object *object)
{
	_cleanup_close_ int fd = probe_object_open(objects, object);
	struct ctprof_heap_key key;
	uint32_t row;

	if (!read_key(fd, &key))
		return CTPROF_HEAP_NO_OBJECT;
	row = find_key(table, &key);
	errno = row == CTPROF_HEAP_NO_OBJECT ? ENOENT : 0;
	return row;
}

bool ctprof_heap_object_is_candidate(const struct ctprof_heap_object *object)
{
	return object->file.state == CTPROF_HEAP_KNOWN && object->facts->is_jemalloc &&
	       object->facts->has_tls && object->facts->machine == PROBE_ARCH_MACHINE;
}

struct error *ctprof_heap_error_make(const struct ctprof_heap_error *error)
{
	if (error->is_elf)
		return elf_error((enum elf_error_kind)error->kind, error->errnum, "%s", error->why);
	return base_error((enum base_error_kind)error->kind, error->errnum, "%s", error->why);
}

/* What a helper sends back. */
struct result {
	struct ctprof_heap_finding found;
	union {
		struct probe_object_facts facts;
		struct probe_counter_offsets counters;
	};
};

_Static_assert(sizeof(struct result) <= CTPROF_HELPER_RESULT_BYTES, "fits a message");

/* Takes the error. */
static void put_finding(struct error *err, struct ctprof_heap_finding *ret)
{
	ret->state = err ? CTPROF_HEAP_FAILED : CTPROF_HEAP_KNOWN;
	if (!err)
		return;
	ret->error.is_elf = error_domain_of(err) == &elf_error_domain;
	ret->error.kind = ret->error.is_elf || error_domain_of(err) == &base_error_domain
				  ? error_kind_of(err)
				  : BASE_PARSE;
	ret->error.errnum = error_errno(err);
	snprintf(ret->error.why, sizeof(ret->error.why), "%s", error_message(err));
	error_free(err);
}

static struct ctprof_heap_finding finding_of(const struct result *got)
{
	return got ? got->found : (struct ctprof_heap_finding){ .state = CTPROF_HEAP_PANIC };
}

/* Through whichever process still has it; its file must still be what it was. */
static struct error *open_row(const struct ctprof_heap_objects *table,
			      const struct ctprof_heap_object *row, struct elf_image **ret,
			      const struct ctprof_heap_place **ret_place)
{
	int errnum = ESRCH;

	for (unsigned int i = 0; i < row->n_places; i++) {
		const struct ctprof_heap_place *place = &row->places[i];
		_cleanup_free_ char *ns_root = xasprintf("%s/%d/root", table->proc_root,
							 (int)place->pid);
		const struct probe_objects objects = {
			.proc_root = (char *)table->proc_root,
			.ns_root = ns_root,
			.pid = place->pid,
		};
		_cleanup_close_ int fd = probe_object_open(&objects, &place->object);
		struct ctprof_heap_key key;

		if (fd < 0) {
			errnum = errno;
			continue;
		}
		if (!read_key(fd, &key) || memcmp(&key, &row->key, sizeof(key)) != 0)
			continue;
		*ret_place = place;
		return elf_image_open_fd(fd, place->object.path, ret);
	}
	return base_error(BASE_IO, errnum, "cannot open %s",
			  row->n_places ? row->places[0].object.path : "it");
}

static void look(void *arg, size_t item, void *result)
{
	const struct ctprof_heap_objects *table = arg;
	struct result *ret = result;
	_cleanup_elf_image_ struct elf_image *image = NULL;
	const struct ctprof_heap_place *place;
	struct error *err = open_row(table, &table->rows.at[item], &image, &place);

	if (!err)
		err = probe_object_facts_read(image, NULL, &ret->facts);
	if (!err)
		probe_object_facts_complete(image, &ret->facts);
	put_finding(err, &ret->found);
}

static void take_look(void *arg, size_t item, const void *result)
{
	struct ctprof_heap_object *row = &((struct ctprof_heap_objects *)arg)->rows.at[item];
	const struct result *got = result;

	row->file = finding_of(got);
	if (row->file.state == CTPROF_HEAP_KNOWN) {
		row->facts = xnew(struct probe_object_facts);
		*row->facts = got->facts;
	}
}

/* The items are candidates that ask for themselves. */
struct counters_work {
	struct ctprof_heap_objects *table;
	VEC(uint32_t) items;
};

static void find_counters(void *arg, size_t item, void *result)
{
	struct counters_work *work = arg;
	const struct ctprof_heap_object *row = &work->table->rows.at[work->items.at[item]];
	struct result *ret = result;
	_cleanup_elf_image_ struct elf_image *image = NULL;
	_cleanup_free_ char *ns_root = NULL;
	const struct ctprof_heap_place *from;
	struct elf_debug_place place;
	struct error *err = open_row(work->table, row, &image, &from);

	if (!err) {
		ns_root = xasprintf("%s/%d/root", work->table->proc_root, (int)from->pid);
		place = (struct elf_debug_place){
			.image = image,
			.path = from->object.path,
			.ns_root = ns_root,
		};
		err = probe_counter_offsets_read(&place, row->facts, NULL, &ret->counters, NULL);
	}
	put_finding(err, &ret->found);
}

static void take_counters(void *arg, size_t item, const void *result)
{
	struct counters_work *work = arg;
	struct ctprof_heap_object *row = &work->table->rows.at[work->items.at[item]];
	const struct result *got = result;

	row->debug_info = finding_of(got);
	if (row->debug_info.state == CTPROF_HEAP_KNOWN)
		row->counters = got->counters;
}

/* A build-id alone is only a claim; two files of one build agree in all of this. */
static bool are_twins(const struct probe_object_facts *a, const struct probe_object_facts *b)
{
	return a->build_id[0] && strcmp(a->build_id, b->build_id) == 0 &&
	       a->tls.memsz == b->tls.memsz && a->tls.align == b->tls.align &&
	       a->signs.has_symbol == b->signs.has_symbol &&
	       a->signs.symbol_offset == b->signs.symbol_offset &&
	       a->signs.symbol_bytes == b->signs.symbol_bytes &&
	       strcmp(a->signs.version, b->signs.version) == 0;
}

static void pair_twins(struct counters_work *work)
{
	struct ctprof_heap_objects *table = work->table;

	for (uint32_t i = 0; i < table->rows.n; i++) {
		struct ctprof_heap_object *row = &table->rows.at[i];

		row->twin = i;
		if (!ctprof_heap_object_is_candidate(row))
			continue;
		for (size_t k = 0; k < work->items.n && row->twin == i; k++)
			if (are_twins(row->facts, table->rows.at[work->items.at[k]].facts))
				row->twin = work->items.at[k];
		if (row->twin == i)
			vec_push(&work->items, i);
	}
}

void ctprof_heap_objects_resolve(struct ctprof_heap_objects *table, unsigned int jobs,
				 const struct ctprof_helper_limits *limits,
				 const struct cancel *cancel)
{
	const struct ctprof_helper_work looking = {
		.n = table->rows.n,
		.result_bytes = sizeof(struct result),
		.run = look,
		.done = take_look,
		.arg = table,
	};
	struct counters_work counters = { .table = table };
	struct ctprof_helper_work finding = {
		.result_bytes = sizeof(struct result),
		.run = find_counters,
		.done = take_counters,
		.arg = &counters,
	};

	ctprof_helper_run(&looking, jobs, limits, cancel);
	pair_twins(&counters);
	finding.n = counters.items.n;
	ctprof_helper_run(&finding, jobs, limits, cancel);
	vec_deinit(&counters.items);
}
