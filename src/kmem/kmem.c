// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/kmem.h"

#include "base/alloc.h"

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
	kmem_symbols_free(kmem->symbols);
	kmem_vmcoreinfo_deinit(&kmem->info);
	kmem_space_deinit(&kmem->space);
	free(kmem);
}

struct error *kmem_symbol(struct kmem *kmem, const char *name, uint64_t *ret)
{
	struct kmem_kallsyms *table = kmem->symbols->table;
	struct kmem_symbol symbol, other;

	if (!kmem_kallsyms_find(table, name, 0, &symbol))
		return kmem_error(KMEM_NO_SYMBOL, 0, "%s", name);
	for (uint32_t nth = 1; kmem_kallsyms_find(table, name, nth, &other); nth++) {
		if (other.address != symbol.address)
			return kmem_error(KMEM_NO_SYMBOL, 0,
					  "%s is the name of several, at %#llx and %#llx", name,
					  (unsigned long long)symbol.address,
					  (unsigned long long)other.address);
	}
	*ret = symbol.address;
	return NULL;
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
 * copy leads to the original, and what another kernel left behind leads nowhere.
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

static struct error *read_btf(struct kmem *kmem)
{
	uint64_t start, stop;
	struct error *err = kmem_symbol(kmem, "__start_BTF", &start);

	if (!err)
		err = kmem_symbol(kmem, "__stop_BTF", &stop);
	if (err)
		return err;
	if (stop <= start)
		return kmem_error(KMEM_NO_SYMBOL, 0, "__stop_BTF stands before __start_BTF");
	err = alloc_checked(stop - start, 1, KMEM_LIMIT_BTF_BYTES, "the kernel's types",
			    &kmem->btf_bytes);
	if (!err)
		err = kmem_read_exact(&kmem->space, start, kmem->btf_bytes, stop - start,
				      "the kernel's types");
	if (!err)
		err = btf_parse((struct bytes){ kmem->btf_bytes, stop - start },
				"the kernel's types", &kmem->btf);
	return err;
}

/* *ret_likely: the page tables are those that the note says. */
static struct error *try_note(const struct kmem_reader *reader, const struct kmem_note *note,
			      bool *ret_likely, struct kmem **ret)
{
	_cleanup_kmem_ struct kmem *kmem = xnew(struct kmem);
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
	err = check_self_map(kmem);
	*ret_likely = !err;
	if (!err)
		err = kmem_symbols_load(&kmem->space, &kmem->info, &kmem->symbols);
	if (!err)
		err = check_alive(kmem, note);
	if (!err)
		err = read_uname(kmem);
	if (err)
		return err;
	find_direct_map(kmem);
	kmem->no_cpus = kmem_cpus_read(&kmem->space, kmem->symbols->table, &kmem->cpus);
	kmem->no_btf = read_btf(kmem);
	kmem_fields_init(&kmem->fields, kmem->btf,
			 kmem->no_btf ? error_message(kmem->no_btf) : NULL);
	*ret = take_ptr(kmem);
	return NULL;
}

static struct error *search(const struct kmem_reader *reader, struct kmem_note *note,
			    struct kmem **ret)
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
		last = try_note(reader, note, &likely, ret);
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
	return kmem_error(KMEM_NO_NOTE, 0, "no VMCOREINFO, hence no kernel, in %llu bytes of memory",
			  (unsigned long long)scan.looked_bytes);
}

struct error *kmem_attach(const struct kmem_reader *reader, struct bytes text, struct kmem **ret)
{
	_cleanup_free_ struct kmem_note *note = xnew(struct kmem_note);
	bool likely;

	if (text.n == 0)
		return search(reader, note, ret);
	if (text.n > sizeof(note->text))
		return base_error(BASE_LIMIT, 0, "VMCOREINFO of %zu bytes", text.n);
	note->n = text.n;
	memcpy(note->text, text.at, text.n);
	return try_note(reader, note, &likely, ret);
}
