// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/elf/dwarf_view.c src/elf/member_search.c src/elf/image_search.c
 * src/elf/name_filter.c */
#include "elf/member_lookup.h"
#include "elf/member_search.h"
#include "fuzz.h"
#include "fuzz_elf.h"

#define MANGLED(name) "cant_access_tsd_items_directly_use_a_getter_or_setter_" name

static const char *const members[] = { MANGLED("thread_allocated"), MANGLED("thread_deallocated") };
static const struct elf_member_query query = {
	.type_name = "tsd_s",
	.members = members,
	.n_members = 2,
	.anchor_symbol = "je_tsd_tls",
};

static void search_as_package(struct elf_image *img, uint64_t id)
{
	struct elf_skeleton one = { .id = id };
	struct elf_skeletons only = { .at = &one, .n = 1 };
	struct elf_member_search search = { .query = &query };
	uint64_t offsets[2];
	struct error *err = elf_split_dwarf_search(&search, img, &only);

	if (!err)
		err = elf_member_search_result(&search, "package", offsets);
	error_free(err);
	elf_member_search_deinit(&search);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed)
{
	return fuzz_mutate_elf(data, n, limit, seed);
}

/* An ELF object, and in its last 8 bytes the id under which a package's unit is asked for. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct elf_image *img = NULL;
	struct elf_skeletons skeletons = { 0 };
	static const char *const sections[] = { ".debug_info", ".debug_info.dwo" };
	struct bytes bytes;
	uint64_t offsets[2];
	uint64_t id;
	struct error *err;

	if (n < sizeof(id))
		return 0;
	memcpy(&id, data + n - sizeof(id), sizeof(id));
	err = elf_image_from_bytes(data, n - sizeof(id), "fuzz", &img);
	if (err) {
		error_free(err);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		err = elf_image_section(img, sections[i], &bytes);
		if (!err)
			fuzz_mark_deep();
		error_free(err);
	}
	error_free(elf_member_lookup_in_image(img, &query, offsets));
	error_free(elf_skeletons_read(img, NULL, &skeletons));
	elf_skeletons_deinit(&skeletons);
	search_as_package(img, id);
	elf_image_free(img);
	return 0;
}
