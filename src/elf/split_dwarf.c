// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/member_search.h"

#include <dwarf.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "elf/limits.h"

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
		err = elf_image_search_by_name(search, view, belongs, skeletons, &conclusive);
	if (!err && !conclusive)
		err = elf_member_search_view(search, view, belongs, skeletons);
	return err;
}
