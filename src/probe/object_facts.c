// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/object_facts.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "elf/debug_file.h"
#include "elf/symbol.h"
#include "probe/counters.h"

/* A program with more initialised thread-local data than this has none of jemalloc's found in it.
 */
enum { MAX_TLS_IMAGE_BYTES = 1 << 20 };

static void find_tsd(struct elf_image *image, struct probe_object_facts *facts)
{
	uint64_t n = facts->tls.filesz;
	_cleanup_free_ uint8_t *bytes = n <= MAX_TLS_IMAGE_BYTES ? xcalloc(n + 1, 1) : NULL;
	_cleanup_error_ struct error *unread = NULL;

	if (!bytes)
		return;
	unread = elf_image_read_vaddr(image, facts->tls.vaddr, bytes, (size_t)n);
	if (unread)
		return;
	facts->n_tsd_places = probe_tsd_image_find((struct bytes){ bytes, (size_t)n },
						   facts->tsd_places, PROBE_LIMIT_TSD_PLACES);
	if (facts->n_tsd_places > PROBE_LIMIT_TSD_PLACES)
		facts->n_tsd_places = 0;
}

struct error *probe_object_facts_read(struct elf_image *image, const struct cancel *cancel,
				      struct probe_object_facts *ret)
{
	struct probe_object_facts facts = { .machine = elf_image_machine(image) };
	_cleanup_error_ struct error *no_tls = elf_image_tls(image, &facts.tls);
	struct error *err = probe_jemalloc_recognise(image, cancel, &facts.signs);

	if (err)
		return err;
	facts.n_loads = elf_image_loads(image, facts.loads, PROBE_LIMIT_LOADS);
	facts.has_tls = !no_tls;
	facts.is_jemalloc = facts.signs.any;
	if (facts.signs.symbol_name && strlen(facts.signs.symbol_name) < PROBE_LIMIT_SYMBOL_NAME)
		strcpy(facts.symbol_name, facts.signs.symbol_name);
	facts.signs.symbol_name = NULL;
	if (facts.is_jemalloc && facts.has_tls)
		find_tsd(image, &facts);
	*ret = facts;
	return NULL;
}

void probe_object_facts_complete(struct elf_image *image, struct probe_object_facts *facts)
{
	_cleanup_strbuf_ struct strbuf hex = STRBUF_INIT;
	_cleanup_error_ struct error *no_id = elf_build_id(image, &hex);

	if (!no_id && hex.n < sizeof(facts->build_id))
		memcpy(facts->build_id, hex.at, hex.n + 1);
	probe_glibc_facts_read(image, &facts->glibc);
	facts->is_complete = true;
}

/* A stripped object's variable stands in the symbol table of its debug file. */
static struct error *find_symbol_in(const char *debug_file, const char *ns_root,
				    const struct cancel *cancel, uint64_t *ret)
{
	bool in_target = strncmp(debug_file, ns_root, strlen(ns_root)) == 0;
	_cleanup_(cleanup_elf_image) struct elf_image *image = NULL;
	struct elf_symbol symbol;
	struct error *err;

	err = elf_debug_file_open(in_target ? ns_root : NULL,
				  debug_file + (in_target ? strlen(ns_root) : 0), &image);
	if (!err)
		err = probe_jemalloc_find_tsd_symbol(image, cancel, &symbol);
	if (err)
		return err;
	if (symbol.type != STT_TLS)
		return elf_error(ELF_MALFORMED, 0, "%s: %s is not a thread-local variable",
				 debug_file, symbol.name);
	*ret = symbol.value;
	return NULL;
}

static bool are_in_storage(const struct probe_counter_offsets *offsets, const struct elf_tls *tls)
{
	return probe_counters_are_sane(offsets->allocated, offsets->deallocated) &&
	       tls->memsz >= sizeof(uint64_t) &&
	       offsets->deallocated <= tls->memsz - sizeof(uint64_t);
}

struct error *probe_counter_offsets_read(const struct elf_debug_place *place,
					 const struct probe_object_facts *facts,
					 const struct cancel *cancel,
					 struct probe_counter_offsets *ret,
					 struct strbuf *ret_source)
{
	static const char *const members[] = { PROBE_JEMALLOC_ALLOCATED,
					       PROBE_JEMALLOC_DEALLOCATED };
	const struct elf_member_query query = {
		.type_name = PROBE_JEMALLOC_TSD_TYPE,
		.members = members,
		.n_members = ARRAY_SIZE(members),
		.anchor_symbol = facts->symbol_name[0] ? facts->symbol_name : NULL,
		.cancel = cancel,
	};
	_cleanup_strbuf_ struct strbuf source = STRBUF_INIT;
	uint64_t members_at[ARRAY_SIZE(members)], symbol_offset = facts->signs.symbol_offset;
	struct probe_counter_offsets offsets;
	struct error *err;

	err = elf_member_lookup(place, &query, members_at, &source);
	if (!err && !facts->signs.has_symbol)
		err = find_symbol_in(strbuf_str(&source), place->ns_root, cancel, &symbol_offset);
	if (err)
		return err;
	if (!add_fits_u64(symbol_offset, members_at[0], &offsets.allocated) ||
	    !add_fits_u64(symbol_offset, members_at[1], &offsets.deallocated) ||
	    !are_in_storage(&offsets, &facts->tls))
		return elf_error(ELF_BAD_DWARF, 0,
				 "%s: thread_allocated at %#" PRIx64
				 " and thread_deallocated at %#" PRIx64
				 " are not in jemalloc's order, or not in its storage",
				 strbuf_str(&source), members_at[0], members_at[1]);
	*ret = offsets;
	if (ret_source)
		strbuf_append(ret_source, strbuf_str(&source));
	return NULL;
}

#define DESCRIPTOR_NAME(id, name, need) "_thread_db_" name,
const char *const probe_glibc_descriptor_names[] = { PROBE_GLIBC_DESCRIPTORS(DESCRIPTOR_NAME) };

#define DESCRIPTOR_NEED(id, name, need) need,
const enum probe_glibc_need probe_glibc_descriptor_needs[] = { PROBE_GLIBC_DESCRIPTORS(
	DESCRIPTOR_NEED) };

#define SYMBOL_NAME(id, name) name,
const char *const probe_glibc_symbol_names[] = { PROBE_GLIBC_SYMBOLS(SYMBOL_NAME) };

static void read_descriptor(struct elf_image *image, uint64_t address,
			    struct probe_glibc_descriptor *ret)
{
	uint8_t raw[12];
	struct cursor c = cursor_over((struct bytes){ raw, sizeof(raw) });
	_cleanup_error_ struct error *err = elf_image_read_vaddr(image, address, raw, sizeof(raw));

	if (err)
		return;
	ret->bits = cursor_u32(&c);
	cursor_u32(&c); /* how many: always one, or unknown */
	ret->offset = cursor_u32(&c);
	ret->found = ret->offset <= PROBE_LIMIT_GLIBC_FIELD_OFFSET;
}

void probe_glibc_facts_read(struct elf_image *image, struct probe_glibc_facts *ret)
{
	const char *names[PROBE_N_GLIBC_DESCRIPTORS + PROBE_N_GLIBC_SYMBOLS];
	struct elf_symbol symbols[ARRAY_SIZE(names)];
	bool found[ARRAY_SIZE(names)];
	_cleanup_error_ struct error *no_symbols = NULL;

	*ret = (struct probe_glibc_facts){ 0 };
	memcpy(names, probe_glibc_descriptor_names, sizeof(probe_glibc_descriptor_names));
	memcpy(names + PROBE_N_GLIBC_DESCRIPTORS, probe_glibc_symbol_names,
	       sizeof(probe_glibc_symbol_names));
	no_symbols = elf_symbol_find_all_named(image, names, ARRAY_SIZE(names), symbols, found);
	if (no_symbols)
		return;
	for (size_t i = 0; i < PROBE_N_GLIBC_DESCRIPTORS; i++)
		if (found[i])
			read_descriptor(image, symbols[i].value, &ret->descriptors[i]);
	for (size_t i = 0; i < PROBE_N_GLIBC_SYMBOLS; i++) {
		ret->symbols[i].found = found[PROBE_N_GLIBC_DESCRIPTORS + i];
		if (found[PROBE_N_GLIBC_DESCRIPTORS + i])
			ret->symbols[i].value = symbols[PROBE_N_GLIBC_DESCRIPTORS + i].value;
	}
}

bool probe_glibc_facts_define(const struct probe_glibc_facts *facts, const char *name)
{
	for (size_t i = 0; i < PROBE_N_GLIBC_DESCRIPTORS; i++)
		if (strcmp(probe_glibc_descriptor_names[i], name) == 0)
			return facts->descriptors[i].found;
	for (size_t i = 0; i < PROBE_N_GLIBC_SYMBOLS; i++)
		if (strcmp(probe_glibc_symbol_names[i], name) == 0)
			return facts->symbols[i].found;
	return false;
}
