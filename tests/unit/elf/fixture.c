// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "unit.h"

static const char *const members[] = { MANGLED("thread_allocated"), MANGLED("thread_deallocated") };

const struct elf_member_query tsd_query = {
	.type_name = "tsd_s",
	.members = members,
	.n_members = ARRAY_SIZE(members),
	.anchor_symbol = "je_tsd_tls",
};

char *fixture_path(const char *variant, const char *file)
{
	const char *root = getenv("ELF_FIXTURES");

	assert_non_null(root);
	return xasprintf("%s/%s/%s", root, variant, file);
}

bool fixture_exists(const char *variant)
{
	_cleanup_free_ char *path = fixture_path(variant, "expected");

	return access(path, R_OK) == 0;
}

struct elf_image *fixture_open(const char *variant, const char *file)
{
	_cleanup_free_ char *path = fixture_path(variant, file);
	struct elf_image *img = NULL;

	assert_success(elf_image_open(path, &img));
	return img;
}

static void read_expected(const char *variant, uint64_t numbers[4])
{
	_cleanup_free_ char *path = fixture_path(variant, "expected");
	_cleanup_file_ FILE *f = fopen(path, "r");

	assert_non_null(f);
	numbers[2] = numbers[3] = 0;
	assert_true(fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &numbers[0],
			   &numbers[1], &numbers[2], &numbers[3]) >= 2);
}

void fixture_expected(const char *variant, uint64_t ret_offsets[2])
{
	uint64_t numbers[4];

	read_expected(variant, numbers);
	ret_offsets[0] = numbers[0];
	ret_offsets[1] = numbers[1];
}

void fixture_expected_size(const char *variant, uint64_t *ret_size, uint64_t *ret_align)
{
	uint64_t numbers[4];

	read_expected(variant, numbers);
	*ret_size = numbers[2];
	*ret_align = numbers[3];
}
