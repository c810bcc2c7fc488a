// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/member_lookup.h"

#include "elf/member_search.h"

struct error *member_lookup_in_image(struct elf_image *img, const struct member_query *query,
				     uint64_t *ret_offsets)
{
	_cleanup_member_search_ struct member_search search = { 0 };
	_cleanup_dwarf_view_ struct dwarf_view *view = NULL;
	struct error *err = member_search_init(&search, query);

	if (err)
		return err;
	err = dwarf_view_new(img, DWARF_VIEW_MAIN, &view);
	if (err)
		return err;
	err = dwarf_view_load_all(view);
	if (!err)
		err = member_search_view(&search, view);
	if (err)
		return error_wrap(err, "%s", elf_image_label(img));
	return member_search_result(&search, elf_image_label(img), ret_offsets);
}

struct error *member_lookup(const struct debug_place *place, const struct member_query *query,
			    uint64_t *ret_offsets, struct strbuf *source)
{
	struct error *err = member_lookup_in_image(place->image, query, ret_offsets);

	if (!err && source)
		strbuf_append(source, place->path);
	return err;
}
