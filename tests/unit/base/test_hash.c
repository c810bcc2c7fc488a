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

static size_t count(const struct hash_index *index, uint64_t hash, uint32_t *ret_last)
{
	size_t at = 0, n = 0;

	while (hash_index_next(index, hash, &at, ret_last))
		n++;
	return n;
}

static void an_empty_index_finds_nothing(void **state UNUSED)
{
	_cleanup_hash_index_ struct hash_index index = { 0 };
	uint32_t number = 7;

	assert_int_equal(count(&index, 0, &number), 0);
	assert_int_equal(number, 7);
}

static void each_number_is_found_after_growing(void **state UNUSED)
{
	_cleanup_hash_index_ struct hash_index index = { 0 };
	uint32_t number = 0;

	for (uint32_t i = 0; i < 1000; i++)
		hash_index_add(&index, hash_u64(4096 * (uint64_t)i), i);
	assert_int_equal(index.n, 1000);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(count(&index, hash_u64(4096 * (uint64_t)i), &number), 1);
		assert_int_equal(number, i);
	}
	assert_int_equal(count(&index, hash_u64(4096 * 1000), &number), 0);
}

static void numbers_with_one_hash_are_all_found(void **state UNUSED)
{
	_cleanup_hash_index_ struct hash_index index = { 0 };
	uint32_t number = 0;

	for (uint32_t i = 0; i < 100; i++)
		hash_index_add(&index, 42, i);
	assert_int_equal(count(&index, 42, &number), 100);
	assert_int_equal(count(&index, 43, &number), 0);
}

static void a_growing_index_keeps_room_for_searches_to_end(void **state UNUSED)
{
	_cleanup_hash_index_ struct hash_index index = { 0 };

	for (uint32_t i = 0; i < 5000; i++) {
		hash_index_add(&index, i, i);
		assert_in_range(2 * index.n, 0, index.n_slots);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_agrees_with_the_published_vectors),
		cmocka_unit_test(pieces_hash_like_the_whole),
		cmocka_unit_test(an_empty_index_finds_nothing),
		cmocka_unit_test(each_number_is_found_after_growing),
		cmocka_unit_test(numbers_with_one_hash_are_all_found),
		cmocka_unit_test(a_growing_index_keeps_room_for_searches_to_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
