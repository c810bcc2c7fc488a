// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/member_search.h"

#include <dwarf.h>

#include "base/alloc.h"

/*
 * One pass over the entries in the order they are stored. Going by
 * dwarf_siblingof() over entries with children would be shorter, but libdw follows
 * DW_AT_sibling there without a look at the direction, and foreign bytes can lead it in a circle.
 */
struct walk {
	struct elf_member_search *search;
	Dwarf_CU *cu;
	const uint8_t *end;
	size_t depth;
	struct elf_member_frame *frames; /* [depth]: the entry whose children stand at depth + 1 */
};

struct elf_member_frame {
	struct elf_member_set set;
	bool is_struct;
};

void elf_member_search_deinit(struct elf_member_search *search)
{
	free(search->frames);
	search->frames = NULL;
}

static const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	/* Not dwarf_diename(): that follows references into other units, ours never need it. */
	return dwarf_attr(die, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
}

/* DWARF 2 writes the offset as an expression: DW_OP_plus_uconst and a number. */
static bool plus_uconst(Dwarf_Attribute *attr, uint64_t *ret)
{
	Dwarf_Block block;
	struct cursor c;
	uint64_t value;

	if (dwarf_formblock(attr, &block) != 0)
		return false;
	c = cursor_over((struct bytes){ block.data, block.length });
	if (cursor_u8(&c) != DW_OP_plus_uconst)
		return false;
	value = cursor_uleb128(&c);
	if (c.failed || cursor_left(&c))
		return false;
	*ret = value;
	return true;
}

static bool constant(Dwarf_Attribute *attr, uint64_t *ret)
{
	Dwarf_Sword value;
	Dwarf_Word unsigned_value;

	switch (dwarf_whatform(attr)) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if (dwarf_formsdata(attr, &value) != 0 || value < 0)
			return false;
		*ret = (uint64_t)value;
		return true;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
		if (dwarf_formudata(attr, &unsigned_value) != 0)
			return false;
		*ret = unsigned_value;
		return true;
	default:
		return false;
	}
}

static int wanted_member(const struct elf_member_query *query, const char *name)
{
	for (size_t i = 0; name && i < query->n_members; i++) {
		if (strcmp(query->members[i], name) == 0)
			return (int)i;
	}
	return -1;
}

static uint64_t all_members(const struct elf_member_query *query)
{
	return query->n_members == 64 ? UINT64_MAX : (UINT64_C(1) << query->n_members) - 1;
}

/* Keeps the best match: the named struct first, then the more complete one. */
static void keep_if_better(struct elf_member_search *search, const struct elf_member_set *set)
{
	const struct elf_member_set *best = &search->result;

	if (!set->found)
		return;
	if (!best->found || (set->named && !best->named) ||
	    (set->named == best->named &&
	     __builtin_popcountll(set->found) > __builtin_popcountll(best->found)))
		search->result = *set;
}

static void close_frame(struct walk *walk, size_t depth)
{
	keep_if_better(walk->search, &walk->frames[depth].set);
	walk->frames[depth].set.found = 0;
}

static struct error *take_member(struct walk *walk, Dwarf_Die *die)
{
	struct elf_member_search *search = walk->search;
	struct elf_member_set *set = &walk->frames[walk->depth - 1].set;
	Dwarf_Attribute attr;
	uint64_t offset;
	int i;

	if (!walk->frames[walk->depth - 1].is_struct)
		return NULL;
	i = wanted_member(search->query, die_name(die));
	if (i < 0 || set->found & UINT64_C(1) << i ||
	    !dwarf_attr(die, DW_AT_data_member_location, &attr))
		return NULL;
	if (!constant(&attr, &offset) && !plus_uconst(&attr, &offset))
		return elf_error(ELF_MEMBER_LOCATION, 0,
				 "the location of member %s is not a constant (form %#x)",
				 search->query->members[i], dwarf_whatform(&attr));
	set->found |= UINT64_C(1) << i;
	set->offsets[i] = offset;
	if (set->found == all_members(search->query)) {
		keep_if_better(search, set);
		search->found = set->named;
	}
	return NULL;
}

static void enter_struct(struct walk *walk, Dwarf_Die *die)
{
	const char *name = die_name(die);

	walk->frames[walk->depth].set.named = name &&
					      strcmp(name, walk->search->query->type_name) == 0;
}

static struct error *visit(struct walk *walk, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	close_frame(walk, walk->depth);
	walk->frames[walk->depth].is_struct = tag == DW_TAG_structure_type ||
					      tag == DW_TAG_class_type;
	if (walk->frames[walk->depth].is_struct)
		enter_struct(walk, die);
	return tag == DW_TAG_member ? take_member(walk, die) : NULL;
}

/* The next entry in storage order; false at the end of the unit. */
static struct error *step(struct walk *walk, Dwarf_Die *die, bool *ret_more)
{
	Dwarf_Die next = { 0 };
	const uint8_t *at;
	int rc;

	rc = dwarf_child(die, &next);
	if (rc < 0)
		return elf_error(ELF_BAD_DWARF, 0, "%s", dwarf_errmsg(-1));
	if (rc == 0) {
		if (walk->depth + 1 >= ELF_LIMIT_DIE_DEPTH)
			return base_error(BASE_LIMIT, 0, "entries nested more than %d deep",
					  ELF_LIMIT_DIE_DEPTH);
		close_frame(walk, ++walk->depth);
	} else {
		next = (Dwarf_Die){ 0 };
		rc = dwarf_siblingof(die, &next);
		if (rc < 0)
			return elf_error(ELF_BAD_DWARF, 0, "%s", dwarf_errmsg(-1));
	}
	at = next.addr;
	if (rc == 1) {
		/* libdw leaves the address of the zero that ends the siblings. */
		while (at && at < walk->end && *at == 0 && walk->depth > 0) {
			walk->depth--;
			at++;
		}
		if (!at || at >= walk->end || walk->depth == 0) {
			*ret_more = false;
			return NULL;
		}
		next = (Dwarf_Die){ .addr = (void *)(uintptr_t)at, .cu = walk->cu };
	}
	if (at <= (const uint8_t *)die->addr)
		return elf_error(ELF_BAD_DWARF, 0, "an entry's sibling does not follow it");
	*die = next;
	*ret_more = true;
	return NULL;
}

static struct error *walk_entries(struct walk *walk, Dwarf_Die die)
{
	struct elf_member_search *search = walk->search;
	struct error *err;
	bool more;

	for (;;) {
		if (++search->n_dies > ELF_LIMIT_DIES)
			return base_error(BASE_LIMIT, 0, "more than %lu entries",
					  (unsigned long)ELF_LIMIT_DIES);
		if (search->n_dies % ELF_CANCEL_STRIDE == 0) {
			err = cancel_error(search->query->cancel, "searching debug information");
			if (err)
				return err;
		}
		err = visit(walk, &die);
		if (err || search->found)
			return err;
		err = step(walk, &die, &more);
		if (err || !more)
			return err;
	}
}

struct error *elf_member_search_unit(struct elf_member_search *search,
				     const struct elf_dwarf_view *view, Dwarf_CU *cu)
{
	struct walk walk = { .search = search, .cu = cu, .depth = 1 };
	struct error *err = cancel_error(search->query->cancel, "searching debug information");
	Dwarf_Die unit_die, first;
	struct bytes bytes;

	if (err || search->found)
		return err;
	if (!search->frames)
		search->frames = xcalloc(ELF_LIMIT_DIE_DEPTH, sizeof(*search->frames));
	walk.frames = search->frames;
	if (++search->n_units > ELF_LIMIT_UNITS)
		return base_error(BASE_LIMIT, 0, "more than %lu units",
				  (unsigned long)ELF_LIMIT_UNITS);
	if (dwarf_cu_info(cu, NULL, NULL, &unit_die, NULL, NULL, NULL, NULL) != 0)
		return elf_error(ELF_BAD_DWARF, 0, "%s: %s", elf_dwarf_view_label(view),
				 dwarf_errmsg(-1));
	if (dwarf_child(&unit_die, &first) != 0)
		return NULL;
	bytes = elf_dwarf_view_unit(view, &unit_die);
	walk.end = bytes.at + bytes.n;
	err = walk_entries(&walk, first);
	for (size_t i = 0; i < ELF_LIMIT_DIE_DEPTH; i++)
		close_frame(&walk, i);
	if (err)
		return error_wrap(err, "%s", elf_dwarf_view_label(view));
	search->found = search->result.found == all_members(search->query);
	return NULL;
}

struct error *elf_member_search_view(struct elf_member_search *search,
				     const struct elf_dwarf_view *view, elf_member_admit_fn admits,
				     const void *arg)
{
	Dwarf_CU *cu = NULL;
	uint64_t n_units = 0;
	int rc;

	while ((rc = dwarf_get_units(elf_dwarf_view_dwarf(view), cu, &cu, NULL, NULL, NULL,
				     NULL)) == 0) {
		struct error *err = NULL;

		/* Hundreds of thousands of units that are not asked for take their time as well. */
		if (n_units++ % ELF_CANCEL_STRIDE == 0)
			err = cancel_error(search->query->cancel, "listing units");
		if (err)
			return err;
		if (admits && !admits(arg, cu))
			continue;
		err = elf_member_search_unit(search, view, cu);
		if (err || search->found)
			return err;
	}
	return rc < 0 ? elf_error(ELF_BAD_DWARF, 0, "%s: %s", elf_dwarf_view_label(view),
				  dwarf_errmsg(-1))
		      : NULL;
}

struct error *elf_member_search_result(const struct elf_member_search *search, const char *label,
				       uint64_t *ret_offsets)
{
	const struct elf_member_query *query = search->query;
	const struct elf_member_set *set = &search->result;

	if (search->found) {
		memcpy(ret_offsets, set->offsets, query->n_members * sizeof(*ret_offsets));
		return NULL;
	}
	for (size_t i = 0; set->found && i < query->n_members; i++) {
		if (!(set->found & UINT64_C(1) << i))
			return elf_error(ELF_MEMBER_MISSING, 0, "%s: struct %s has no member %s",
					 label, query->type_name, query->members[i]);
	}
	return elf_error(ELF_TYPE_MISSING, 0, "%s: its debug information has no struct %s", label,
			 query->type_name);
}
