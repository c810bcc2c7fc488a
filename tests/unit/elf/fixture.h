/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compiled fixtures (tests/data/elf/make-fixtures), and what to ask of them. */
#ifndef KTSTR_TESTS_ELF_FIXTURE_H
#define KTSTR_TESTS_ELF_FIXTURE_H

#include "elf/member_lookup.h"

#define MANGLED(name) "cant_access_tsd_items_directly_use_a_getter_or_setter_" name

extern const struct elf_member_query tsd_query;

/* "<fixtures>/<variant>/<file>"; the caller frees it. */
char *fixture_path(const char *variant, const char *file);
/* False when the tools to make it were missing. */
bool fixture_exists(const char *variant);
/* Skips the test with a reason unless the variant could be made. */
#define need_fixture(variant) skip_unless(fixture_exists(variant), "no tool to make %s", variant)
/* Fails the test when it cannot be opened. */
struct elf_image *fixture_open(const char *variant, const char *file);
/* What the compiler said, printed by the program itself. */
void fixture_expected(const char *variant, uint64_t ret_offsets[2]);
/* The size and alignment of the struct, by the same authority. */
void fixture_expected_size(const char *variant, uint64_t *ret_size, uint64_t *ret_align);

#endif
