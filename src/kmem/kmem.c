// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/kmem.h"

#include "base/alloc.h"
#include "kmem/cache.h"

/* What Linux gives to physical addresses on x86-64 (MAX_PHYSMEM_BITS with 5 levels). */
#define LIMIT_PFN (UINT64_C(1) << (52 - 12))

void kmem_free(struct kmem *kmem)
{
	if (!kmem)
		return;
	kmem_fields_deinit(&kmem->fields);
	btf_free(kmem->btf);
	free(kmem->btf_bytes);
	error_free(kmem->no_btf);
	error_free(kmem->no_cpus);
	kmem_cpus_deinit(&kmem->cpus);
	error_free(kmem->no_cache);
	kmem_names_deinit(&kmem->names);
	kmem_vmcoreinfo_deinit(&kmem->info);
	kmem_space_deinit(&kmem->space);
	free(kmem);
}

enum kmem_status kmem_get(struct kmem *kmem, enum kmem_field_id id, uint64_t base, uint64_t *ret)
{
	return kmem_field_read(&kmem->fields, &kmem->space, id, base, ret);
}

enum kmem_status kmem_get_text(struct kmem *kmem, enum kmem_field_id id, uint64_t base, char *buf,
			       size_t size)
{
	return kmem_field_read_text(&kmem->fields, &kmem->space, id, base, buf, size);
}

uint64_t kmem_offset(const struct kmem *kmem, enum kmem_field_id id)
{
	return kmem->fields.at[id].place.offset;
}

struct error *kmem_symbol(struct kmem *kmem, const char *name, uint64_t *ret)
{
	return kmem_names_find(&kmem->names, name, ret);
}

struct error *kmem_variable(struct kmem *kmem, const char *name, unsigned int width, uint64_t *ret)
{
	uint64_t address;
	struct error *err = kmem_symbol(kmem, name, &address);
	enum kmem_status status;

	if (err)
		return err;
	status = kmem_read_uint(&kmem->space, address, width, ret);
	return status == KMEM_READ_OK ? NULL : kmem_unread(status, address, name);
}

/* The table that VMCOREINFO names must map itself to where the arithmetic puts it. */
static struct error *check_self_map(struct kmem *kmem)
{
	uint64_t physical;
	enum kmem_status status = kmem_translate(&kmem->space, kmem->info.page_table, &physical,
						 NULL);

	if (status != KMEM_READ_OK)
		return error_wrap(kmem_unread(status, kmem->info.page_table, "swapper_pg_dir"),
				  "the page tables do not map themselves");
	if (physical != kmem->space.paging.root)
		return kmem_error(KMEM_BAD_NOTE, 0,
				  "swapper_pg_dir is mapped to %#llx, not to itself at %#llx",
				  (unsigned long long)physical,
				  (unsigned long long)kmem->space.paging.root);
	return NULL;
}

/*
 * The note that the running kernel points to must say the same as the one that was found. So a
 * copy leads to the original, and a note left by another kernel is rejected.
 */
static struct error *check_alive(struct kmem *kmem, const struct kmem_note *note)
{
	uint64_t pointer, physical;
	struct error *err = kmem_variable(kmem, "vmcoreinfo_note", 8, &pointer);
	uint8_t text[KMEM_LIMIT_NOTE_BYTES];
	enum kmem_status status;

	if (err)
		return err;
	status = kmem_translate(&kmem->space, pointer, &physical, NULL);
	if (status != KMEM_READ_OK)
		return kmem_unread(status, pointer, "*vmcoreinfo_note");
	err = kmem_read_exact(&kmem->space, pointer + KMEM_NOTE_HEADER_BYTES, text, note->n,
			      "*vmcoreinfo_note");
	if (err)
		return err;
	if (memcmp(text, note->text, note->n) != 0)
		return kmem_error(
			KMEM_STALE_NOTE, 0,
			"the kernel's own note, at physical address %#llx, says otherwise",
			(unsigned long long)physical);
	kmem->note_physical = physical;
	return NULL;
}

/* struct new_utsname: six texts of 65 bytes, since Linux 2.6. */
static struct error *read_uname(struct kmem *kmem)
{
	const char *inside = kmem_vmcoreinfo_find(&kmem->info, "OFFSET(uts_namespace.name)");
	struct kmem_uname name;
	uint64_t address;

	if (!kmem_vmcoreinfo_symbol(&kmem->info, "init_uts_ns", &address) || !inside)
		return kmem_error(KMEM_BAD_NOTE, 0, "no SYMBOL(init_uts_ns)");
	address += strtoull(inside, NULL, 10);
	_Static_assert(sizeof(name) == 325, "as the kernel has it, without the domain");

	struct error *err = kmem_read_exact(&kmem->space, address, &name, sizeof(name),
					    "init_uts_ns");

	if (err)
		return err;
	name.sysname[64] = name.nodename[64] = name.release[64] = name.version[64] =
		name.machine[64] = 0;
	if (strcmp(name.release, kmem->info.release) != 0)
		return kmem_error(KMEM_STALE_NOTE, 0, "the kernel's release is not OSRELEASE=%s",
				  kmem->info.release);
	kmem->uname = name;
	return NULL;
}

/* Absent or not as it must be: the page tables alone are used. */
static void find_direct_map(struct kmem *kmem)
{
	uint64_t base = 0, pages = 0, physical = 0;
	struct error *err = kmem_variable(kmem, "page_offset_base", 8, &base);

	if (!err)
		err = kmem_variable(kmem, "max_pfn", 8, &pages);
	if (!err && base >> 63 && base % KMEM_PAGE_BYTES == 0 && pages && pages < LIMIT_PFN &&
	    add_fits_u64(base, pages * KMEM_PAGE_BYTES, &physical) &&
	    kmem_translate(&kmem->space, base + kmem->space.paging.root, &physical, NULL) ==
		    KMEM_READ_OK &&
	    physical == kmem->space.paging.root)
		kmem->space.direct = (struct kmem_window){ base, base + pages * KMEM_PAGE_BYTES,
							   0 };
	kmem->page_offset_base = base;
	error_free(err);
	error_free(kmem_variable(kmem, "vmalloc_base", 8, &kmem->vmalloc_base));
	error_free(kmem_variable(kmem, "vmemmap_base", 8, &kmem->vmemmap_base));
}

/* Where they lie and how long they are. */
static struct error *find_types(struct kmem *kmem, uint64_t *ret_start, uint64_t *ret_n)
{
	uint64_t start, stop;
	struct error *err = kmem_symbol(kmem, "__start_BTF", &start);

	if (!err)
		err = kmem_symbol(kmem, "__stop_BTF", &stop);
	if (err)
		return err;
	if (stop <= start)
		return kmem_error(KMEM_NO_SYMBOL, 0, "__stop_BTF is before __start_BTF");
	if (stop - start > KMEM_LIMIT_BTF_BYTES)
		return base_error(BASE_LIMIT, 0, "the kernel's types have %llu bytes",
				  (unsigned long long)(stop - start));
	*ret_start = start;
	*ret_n = stop - start;
	return NULL;
}

static struct error *read_types(struct kmem *kmem)
{
	uint64_t start, n;
	struct error *err = find_types(kmem, &start, &n);

	if (!err)
		err = alloc_checked(n, 1, KMEM_LIMIT_BTF_BYTES, "the kernel's types",
				    &kmem->btf_bytes);
	if (!err)
		err = kmem_read_exact(&kmem->space, start, kmem->btf_bytes, n,
				      "the kernel's types");
	if (!err)
		err = btf_parse((struct bytes){ kmem->btf_bytes, n }, "the kernel", &kmem->btf);
	return err;
}

static struct error *fingerprint_types(struct kmem *kmem, uint64_t *ret)
{
	uint64_t start, n;
	struct error *err = find_types(kmem, &start, &n);

	return err ? err : kmem_fingerprint(&kmem->space, start, n, "the kernel's types", ret);
}

const struct btf *kmem_types(struct kmem *kmem)
{
	if (!kmem->btf && !kmem->no_btf)
		kmem->no_btf = read_types(kmem);
	return kmem->btf;
}

/* Symbols only: members wait until the types are there. */
static struct error *load_cached(struct kmem *kmem, const char *cache_dir,
				 struct kmem_cached *cached)
{
	uint64_t print;
	struct error *err;

	if (!kmem->info.build_id)
		return kmem_error(KMEM_BAD_CACHE, 0, "the kernel has no build-id");
	err = kmem_cached_read(cache_dir, kmem->info.build_id, cached);
	if (!err)
		err = kmem_symbols_fingerprint(&kmem->space, &kmem->info, &print);
	if (!err && print != cached->names_fingerprint)
		err = kmem_error(KMEM_BAD_CACHE, 0, "this kernel has other symbols");
	if (!err)
		err = kmem_names_import(&kmem->names, cached->mode, cached->known.at,
					cached->known.n);
	return err;
}

static struct error *load_cached_fields(struct kmem *kmem, struct kmem_cached *cached)
{
	uint64_t print;
	struct error *err = fingerprint_types(kmem, &print);

	if (err)
		return err;
	if (print != cached->types_fingerprint)
		return kmem_error(KMEM_BAD_CACHE, 0, "this kernel has other types");
	kmem->fields = cached->fields;
	cached->fields = (struct kmem_fields){ 0 };
	return NULL;
}

static void find_fields(struct kmem *kmem, struct kmem_cached *cached)
{
	const struct btf *btf;

	if (kmem->from_cache)
		kmem->no_cache = load_cached_fields(kmem, cached);
	kmem->from_cache = kmem->from_cache && !kmem->no_cache;
	if (kmem->from_cache)
		return;
	btf = kmem_types(kmem);
	kmem_fields_init(&kmem->fields, btf, kmem->no_btf ? error_message(kmem->no_btf) : NULL);
}

struct error *kmem_save_cache(struct kmem *kmem, const char *cache_dir)
{
	struct kmem_cached cached = { 0 };
	struct kmem_kallsyms *table;
	struct error *err;
	char name[128];

	if (!kmem->info.build_id || strlen(kmem->info.build_id) > KMEM_LIMIT_BUILD_ID ||
	    (kmem->from_cache && kmem->names.known.n <= kmem->n_cached) || !kmem_types(kmem))
		return NULL;
	/* Some by which it will be known again. */
	for (size_t i = 0; i < kmem->info.lines.n; i++) {
		uint64_t told, address;

		if (kmem_symbols_told(&kmem->info, i, name, sizeof(name), &told))
			error_free(kmem_names_find(&kmem->names, name, &address));
	}
	err = kmem_names_table(&kmem->names, &table);
	if (!err)
		err = kmem_symbols_fingerprint(&kmem->space, &kmem->info,
					       &cached.names_fingerprint);
	if (!err)
		err = fingerprint_types(kmem, &cached.types_fingerprint);
	if (err)
		return err;
	cached.mode = kmem_kallsyms_mode(table);
	strcpy(cached.build_id, kmem->info.build_id);
	/* Borrowed for a moment. */
	cached.known.at = kmem->names.known.at;
	cached.known.n = kmem->names.known.n;
	cached.fields = kmem->fields;
	return kmem_cached_write(cache_dir, &cached);
}

/* *ret_likely: the page tables are those that the note says. */
static struct error *try_note(const struct kmem_reader *reader, const struct kmem_note *note,
			      const char *cache_dir, bool *ret_likely, struct kmem **ret)
{
	_cleanup_kmem_ struct kmem *kmem = xnew(struct kmem);
	_cleanup_kmem_cached_ struct kmem_cached cached = { 0 };
	struct kmem_paging paging = { 0 };
	struct error *err;

	kmem->reader = *reader;
	*ret_likely = false;
	err = kmem_vmcoreinfo_parse((struct bytes){ note->text, note->n }, &kmem->info);
	if (err)
		return err;
	paging.root = kmem->info.page_table - KMEM_IMAGE_MAP + kmem->info.phys_base;
	paging.levels = kmem->info.levels;
	paging.encryption_mask = kmem->info.encryption_mask;
	kmem_space_init(&kmem->space, &kmem->reader, &paging);
	kmem_names_init(&kmem->names, &kmem->space, &kmem->info);
	err = check_self_map(kmem);
	*ret_likely = !err;
	if (!err && cache_dir) {
		kmem->no_cache = load_cached(kmem, cache_dir, &cached);
		kmem->from_cache = !kmem->no_cache;
		kmem->n_cached = kmem->names.known.n;
	}
	if (!err)
		err = check_alive(kmem, note);
	if (!err)
		err = read_uname(kmem);
	if (err)
		return err;
	find_direct_map(kmem);
	kmem->no_cpus = kmem_cpus_read(&kmem->space, &kmem->names, &kmem->cpus);
	find_fields(kmem, &cached);
	*ret = take_ptr(kmem);
	return NULL;
}

static struct error *search(const struct kmem_reader *reader, struct kmem_note *note,
			    const char *cache_dir, struct kmem **ret)
{
	_cleanup_kmem_note_scan_ struct kmem_note_scan scan = { 0 };
	_cleanup_error_ struct error *last = NULL;
	unsigned int n = 0, n_likely = 0;

	kmem_note_scan_init(&scan, reader);
	while (n < KMEM_LIMIT_CANDIDATES && n_likely < KMEM_LIMIT_LIKELY_CANDIDATES) {
		bool found = false, likely = false;
		struct error *err = kmem_note_scan_next(&scan, note, &found);

		if (err)
			return err;
		if (!found)
			break;
		error_free(last);
		last = try_note(reader, note, cache_dir, &likely, ret);
		if (!last) {
			(*ret)->n_stale_notes = n;
			(*ret)->scanned_bytes = scan.looked_bytes;
			return NULL;
		}
		n++;
		n_likely += likely;
	}
	if (last)
		return error_wrap(take_ptr(last), "VMCOREINFO found %u times, the last at %#llx", n,
				  (unsigned long long)note->physical);
	return kmem_error(KMEM_NO_NOTE, 0,
			  "no VMCOREINFO, hence no kernel, in %llu bytes of memory",
			  (unsigned long long)scan.looked_bytes);
}

struct error *kmem_attach(const struct kmem_reader *reader, struct bytes text,
			  const char *cache_dir, struct kmem **ret)
{
	_cleanup_free_ struct kmem_note *note = xnew(struct kmem_note);
	bool likely;

	if (text.n == 0)
		return search(reader, note, cache_dir, ret);
	if (text.n > sizeof(note->text))
		return base_error(BASE_LIMIT, 0, "VMCOREINFO of %zu bytes", text.n);
	note->n = text.n;
	memcpy(note->text, text.at, text.n);
	return try_note(reader, note, cache_dir, &likely, ret);
}

void kmem_cpus_deinit(struct kmem_cpus *cpus)
{
	free(cpus->offsets);
	free(cpus->possible);
	free(cpus->online);
	*cpus = (struct kmem_cpus){ 0 };
}

static struct error *read_array(struct kmem_space *space, struct kmem_names *names,
				const char *name, uint32_t n_words, uint64_t **ret)
{
	_cleanup_free_ uint64_t *words = xcalloc(n_words, sizeof(*words));
	uint64_t address;
	struct error *err = kmem_names_find(names, name, &address);

	if (!err)
		err = kmem_read_exact(space, address, words, n_words * sizeof(*words), name);
	if (err)
		return err;
	*ret = take_ptr(words);
	return NULL;
}

struct error *kmem_cpus_read(struct kmem_space *space, struct kmem_names *names,
			     struct kmem_cpus *ret)
{
	struct kmem_cpus cpus = { 0 };
	uint64_t address;
	struct error *err = kmem_names_find(names, "nr_cpu_ids", &address);

	if (!err)
		err = kmem_read_exact(space, address, &cpus.n, sizeof(cpus.n), "nr_cpu_ids");
	if (err)
		return err;
	if (cpus.n == 0 || cpus.n > KMEM_LIMIT_CPUS)
		return base_error(BASE_LIMIT, 0, "the guest claims %u CPUs", cpus.n);
	err = read_array(space, names, "__per_cpu_offset", cpus.n, &cpus.offsets);
	if (!err)
		err = read_array(space, names, "__cpu_possible_mask", (cpus.n + 63) / 64,
				 &cpus.possible);
	if (!err)
		err = read_array(space, names, "__cpu_online_mask", (cpus.n + 63) / 64,
				 &cpus.online);
	if (err) {
		kmem_cpus_deinit(&cpus);
		return err;
	}
	*ret = cpus;
	return NULL;
}

static bool is_set(const struct kmem_cpus *cpus, const uint64_t *mask, uint32_t cpu)
{
	return cpu < cpus->n && (mask[cpu / 64] >> cpu % 64 & 1);
}

bool kmem_cpus_is_possible(const struct kmem_cpus *cpus, uint32_t cpu)
{
	return is_set(cpus, cpus->possible, cpu);
}

bool kmem_cpus_is_online(const struct kmem_cpus *cpus, uint32_t cpu)
{
	return is_set(cpus, cpus->online, cpu);
}

bool kmem_cpus_address(const struct kmem_cpus *cpus, uint32_t cpu, uint64_t address, uint64_t *ret)
{
	if (!kmem_cpus_is_possible(cpus, cpu))
		return false;
	*ret = address + cpus->offsets[cpu];
	return true;
}
