// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/member_search.h"

#include <dwarf.h>
#include <elf.h>

#include "base/alloc.h"
#include "base/error.h"
#include "elf/symbol.h"

/* Looks into the unit alone, without showing libdw the others. */
static struct error *search_hit(struct elf_member_search *search, struct elf_dwarf_view *view,
				uint64_t offset)
{
	Dwarf_CU *cu = NULL;
	struct error *err = elf_dwarf_view_load_unit(view, offset);

	if (err)
		return err;
	if (dwarf_get_units(elf_dwarf_view_dwarf(view), NULL, &cu, NULL, NULL, NULL, NULL) != 0)
		return elf_error(ELF_BAD_DWARF, 0, "%s: %s", elf_dwarf_view_label(view),
				 dwarf_errmsg(-1));
	return elf_member_search_unit(search, view, cu);
}

struct both {
	elf_member_admit_fn admits;
	const void *arg;
	const struct elf_name_filter *filter;
};

static bool admits_both(const void *arg, Dwarf_CU *cu)
{
	const struct both *both = arg;

	return (!both->admits || both->admits(both->arg, cu)) &&
	       elf_name_filter_admits(both->filter, cu);
}

static size_t longest_member(const struct elf_member_query *query)
{
	size_t best = 0;

	for (size_t i = 1; i < query->n_members; i++) {
		if (strlen(query->members[i]) > strlen(query->members[best]))
			best = i;
	}
	return best;
}

/* The units of a view that mention the names and that `admits` (may be NULL) lets in. */
static struct error *search_by_name(struct elf_member_search *search, struct elf_dwarf_view *view,
				    elf_member_admit_fn admits, const void *arg,
				    bool *ret_conclusive)
{
	_cleanup_elf_name_filter_ struct elf_name_filter filter = { 0 };
	struct both both = { admits, arg, &filter };
	struct error *err;
	bool hopeless;

	err = cancel_error(search->query->cancel, "searching debug information");
	if (err)
		return err;
	elf_name_filter_init(&filter, view);
	elf_name_filter_add(&filter, search->query->members[longest_member(search->query)]);
	hopeless = elf_name_filter_is_empty(&filter);
	if (hopeless) {
		/* Only to be able to say what is missing. */
		for (size_t i = 0; i < search->query->n_members; i++)
			elf_name_filter_add(&filter, search->query->members[i]);
	}
	err = elf_name_filter_is_empty(&filter)
		      ? NULL
		      : elf_member_search_view(search, view, admits_both, &both);
	if (!err)
		*ret_conclusive = search->found || (hopeless && !filter.overflowed);
	return err;
}

struct error *elf_image_search_quick(struct elf_member_search *search, struct elf_image *img,
				     bool *ret_conclusive)
{
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	struct elf_unit_hits hits = { .n = 0 };
	struct error *err = elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view);

	if (err)
		return err;
	if (search->query->anchor_symbol)
		elf_anchor_find_units(img, search->query->anchor_symbol, &hits);
	for (size_t i = 0; i < hits.n; i++) {
		err = search_hit(search, view, hits.offsets[i]);
		if (error_is(err, &base_error_domain, BASE_CANCELLED))
			return err;
		/* The search through all units will meet the same trouble and say so. */
		error_free(err);
		if (search->found) {
			*ret_conclusive = true;
			return NULL;
		}
	}
	err = cancel_error(search->query->cancel, "reading debug information");
	if (!err)
		err = elf_dwarf_view_load_all(view);
	if (err)
		return err;
	return search_by_name(search, view, NULL, NULL, ret_conclusive);
}

struct error *elf_image_search_walk(struct elf_member_search *search, struct elf_image *img)
{
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	struct error *err = elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view);

	if (!err)
		err = elf_dwarf_view_load_all(view);
	return err ? err : elf_member_search_view(search, view, NULL, NULL);
}

struct addresses {
	uint64_t at[ELF_LIMIT_UNIT_HITS];
	size_t n;
};

struct neighbours {
	const char *symbol;
	size_t stem_n;
	struct addresses by_stem;
	struct addresses in_file;
	struct addresses current_file;
	bool is_current;
};

static void add(struct addresses *list, uint64_t address)
{
	if (list->n < ARRAY_SIZE(list->at))
		list->at[list->n++] = address;
}

static void end_of_file_group(struct neighbours *search)
{
	if (search->is_current && !search->in_file.n)
		search->in_file = search->current_file;
	search->current_file.n = 0;
	search->is_current = false;
}

/* Local symbols follow the STT_FILE symbol of their source file. */
static bool look_at(const struct elf_symbol *symbol, void *arg)
{
	struct neighbours *search = arg;

	if (symbol->type == STT_FILE) {
		end_of_file_group(search);
		return true;
	}
	if (symbol->shndx == SHN_UNDEF || symbol->shndx >= SHN_LORESERVE)
		return true;
	if (symbol->bind == STB_LOCAL && strcmp(symbol->name, search->symbol) == 0)
		search->is_current = true;
	if (symbol->type != STT_FUNC || !symbol->value)
		return true;
	if (symbol->bind == STB_LOCAL)
		add(&search->current_file, symbol->value);
	if (search->stem_n && strncmp(symbol->name, search->symbol, search->stem_n) == 0)
		add(&search->by_stem, symbol->value);
	return true;
}

void elf_anchor_find_units(struct elf_image *img, const char *symbol, struct elf_unit_hits *into)
{
	const char *last = strrchr(symbol, '_');
	struct neighbours search = {
		.symbol = symbol,
		.stem_n = last ? (size_t)(last - symbol) + 1 : 0,
	};
	struct bytes aranges;
	struct error *err = elf_image_section(img, ".debug_aranges", &aranges);

	if (!err)
		err = elf_symbol_visit(img, look_at, &search);
	if (err) {
		/* The anchor is only a hint: without it the search goes on. */
		error_free(err);
		return;
	}
	end_of_file_group(&search);
	elf_aranges_find(aranges, search.by_stem.at, search.by_stem.n, into);
	elf_aranges_find(aranges, search.in_file.at, search.in_file.n, into);
}

#define TUPLE_BYTES	16 /* address and length, 8 bytes each */
#define ARANGES_VERSION 2
#define MAX_ADDRESSES	(2 * ELF_LIMIT_UNIT_HITS)
#define DWARF64_ESCAPE	UINT32_MAX

static void unit_hits_add(struct elf_unit_hits *hits, uint64_t offset)
{
	for (size_t i = 0; i < hits->n; i++) {
		if (hits->offsets[i] == offset)
			return;
	}
	if (hits->n < ARRAY_SIZE(hits->offsets))
		hits->offsets[hits->n++] = offset;
}

/* Takes one length-prefixed set off the cursor. A set that claims more than there is fails it. */
static struct cursor take_set(struct cursor *c, unsigned int *ret_offset_bytes)
{
	uint64_t n = cursor_u32(c);
	const uint8_t *at;

	*ret_offset_bytes = n == DWARF64_ESCAPE ? 8 : 4;
	if (n == DWARF64_ESCAPE)
		n = cursor_u64(c);
	at = cursor_take(c, n);
	return cursor_over((struct bytes){ at, at ? (size_t)n : 0 });
}

/* Writes the set's unit for every address that one of its ranges holds. */
static void search_set(struct cursor *set, unsigned int offset_bytes, const uint64_t *addresses,
		       size_t n, uint64_t *units, bool *found)
{
	uint16_t version = cursor_u16(set);
	uint64_t unit = cursor_uint(set, offset_bytes);
	uint8_t address_bytes = cursor_u8(set);
	uint8_t segment_bytes = cursor_u8(set);
	size_t header = (offset_bytes == 8 ? 12 : 4) + set->offset;

	if (set->failed || version != ARANGES_VERSION || address_bytes != 8 || segment_bytes)
		return;
	/* Tuples are aligned to their size, counted from the start of the set. */
	cursor_take(set, (TUPLE_BYTES - header % TUPLE_BYTES) % TUPLE_BYTES);
	while (cursor_left(set) >= TUPLE_BYTES) {
		uint64_t start = cursor_u64(set);
		uint64_t length = cursor_u64(set);

		if (!start && !length)
			return;
		for (size_t i = 0; i < n; i++) {
			if (!found[i] && addresses[i] >= start && addresses[i] - start < length) {
				units[i] = unit;
				found[i] = true;
			}
		}
	}
}

void elf_aranges_find(struct bytes section, const uint64_t *addresses, size_t n,
		      struct elf_unit_hits *into)
{
	struct cursor c = cursor_over(section);
	uint64_t units[MAX_ADDRESSES];
	bool found[MAX_ADDRESSES] = { false };

	if (n > MAX_ADDRESSES)
		n = MAX_ADDRESSES;
	while (cursor_left(&c)) {
		unsigned int offset_bytes;
		struct cursor set = take_set(&c, &offset_bytes);

		if (c.failed)
			break;
		search_set(&set, offset_bytes, addresses, n, units, found);
	}
	for (size_t i = 0; i < n; i++) {
		if (found[i])
			unit_hits_add(into, units[i]);
	}
}

void elf_skeletons_deinit(struct elf_skeletons *skeletons)
{
	for (size_t i = 0; i < skeletons->n; i++) {
		free(skeletons->at[i].dwo_name);
		free(skeletons->at[i].comp_dir);
	}
	vec_deinit(skeletons);
}

static char *copy_string(Dwarf_Die *die, unsigned int name, unsigned int gnu_name)
{
	Dwarf_Attribute attr;
	const char *text = NULL;

	if (dwarf_attr(die, name, &attr) || (gnu_name && dwarf_attr(die, gnu_name, &attr)))
		text = dwarf_formstring(&attr);
	return text ? xstrdup(text) : NULL;
}

static int by_id(const void *a, const void *b)
{
	uint64_t left = ((const struct elf_skeleton *)a)->id;
	uint64_t right = ((const struct elf_skeleton *)b)->id;

	return left < right ? -1 : left > right;
}

/* libdw would look for the split unit itself, on the host: never ask it for the sub-entry. */
static struct error *collect(const struct elf_dwarf_view *view, const struct cancel *cancel,
			     struct elf_skeletons *into)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint64_t n_units = 0;
	uint8_t type;
	int rc;

	while ((rc = dwarf_get_units(elf_dwarf_view_dwarf(view), cu, &cu, NULL, &type, &die,
				     NULL)) == 0) {
		struct elf_skeleton skeleton = { 0 };

		if (n_units++ % ELF_CANCEL_STRIDE == 0) {
			struct error *err = cancel_error(cancel, "listing skeleton units");

			if (err)
				return err;
		}
		if (type != DW_UT_skeleton ||
		    dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &skeleton.id, NULL, NULL) != 0)
			continue;
		if (into->n >= ELF_LIMIT_UNITS)
			return base_error(BASE_LIMIT, 0, "%s: more than %lu skeleton units",
					  elf_dwarf_view_label(view),
					  (unsigned long)ELF_LIMIT_UNITS);
		skeleton.unit_offset = dwarf_dieoffset(&die) - dwarf_cuoffset(&die);
		skeleton.dwo_name = copy_string(&die, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
		skeleton.comp_dir = copy_string(&die, DW_AT_comp_dir, 0);
		vec_push(into, skeleton);
	}
	if (into->n)
		qsort(into->at, into->n, sizeof(*into->at), by_id);
	return rc < 0 ? elf_error(ELF_BAD_DWARF, 0, "%s: %s", elf_dwarf_view_label(view),
				  dwarf_errmsg(-1))
		      : NULL;
}

struct error *elf_skeletons_read(struct elf_image *parent, const struct cancel *cancel,
				 struct elf_skeletons *into)
{
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	struct error *err = elf_dwarf_view_new(parent, ELF_DWARF_VIEW_MAIN, &view);

	if (!err)
		err = elf_dwarf_view_load_all(view);
	return err ? err : collect(view, cancel, into);
}

/* Type units of a package count too: they are there because one of its units uses them. */
static bool belongs(const void *arg, Dwarf_CU *cu)
{
	const struct elf_skeletons *skeletons = arg;
	struct elf_skeleton wanted = { 0 };
	uint8_t type;

	if (dwarf_cu_info(cu, NULL, &type, NULL, NULL, &wanted.id, NULL, NULL) != 0)
		return false;
	if (type == DW_UT_split_type || type == DW_UT_type)
		return true;
	return bsearch(&wanted, skeletons->at, skeletons->n, sizeof(wanted), by_id) != NULL;
}

struct error *elf_split_dwarf_search(struct elf_member_search *search, struct elf_image *package,
				     const struct elf_skeletons *skeletons)
{
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	bool conclusive = false;
	struct error *err = elf_dwarf_view_new(package, ELF_DWARF_VIEW_DWO, &view);

	if (!err)
		err = elf_dwarf_view_load_all(view);
	if (!err)
		err = search_by_name(search, view, belongs, skeletons, &conclusive);
	if (!err && !conclusive)
		err = elf_member_search_view(search, view, belongs, skeletons);
	return err;
}
