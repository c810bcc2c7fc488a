// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/member_search.h"

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

struct error *elf_image_search_by_name(struct elf_member_search *search,
				       struct elf_dwarf_view *view, elf_member_admit_fn admits,
				       const void *arg, bool *ret_conclusive)
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
	return elf_image_search_by_name(search, view, NULL, NULL, ret_conclusive);
}

struct error *elf_image_search_walk(struct elf_member_search *search, struct elf_image *img)
{
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	struct error *err = elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view);

	if (!err)
		err = elf_dwarf_view_load_all(view);
	return err ? err : elf_member_search_view(search, view, NULL, NULL);
}
