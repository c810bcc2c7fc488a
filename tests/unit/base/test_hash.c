// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/hash.h"

#include "unit.h"

/* The published vectors of FNV-1a, 64 bits. */
static void hash_agrees_with_the_published_vectors(void **state UNUSED)
{
	assert_int_equal(hash_bytes(HASH_INIT, "", 0), UINT64_C(0xcbf29ce484222325));
	assert_int_equal(hash_bytes(HASH_INIT, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
	assert_int_equal(hash_bytes(HASH_INIT, "foobar", 6), UINT64_C(0x85944171f73967e8));
}

static void pieces_hash_like_the_whole(void **state UNUSED)
{
	uint64_t half = hash_bytes(HASH_INIT, "foo", 3);

	assert_int_equal(hash_bytes(half, "bar", 3), hash_bytes(HASH_INIT, "foobar", 6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_agrees_with_the_published_vectors),
		cmocka_unit_test(pieces_hash_like_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
