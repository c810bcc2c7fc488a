// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/tsd_image.h"

#include "unit.h"

enum { IMAGE_BYTES = 4096, BEFORE = TSD_RTREE_BYTES };

/* Initial values as jemalloc's source has them: 5.3 with the cache in front, 5.2 all zero. */
static void put_tsd(uint8_t *image, size_t state, bool rtree_is_before)
{
	image[state] = 6;
	for (size_t i = 0; rtree_is_before && i < 24; i++)
		image[state - BEFORE + 16 * i] = 1;
}

static size_t find(const uint8_t *image, size_t n, struct tsd_place *ret, size_t max)
{
	return tsd_image_find((struct bytes){ image, n }, ret, max);
}

static void both_shapes_are_found_wherever_they_lie(void **state UNUSED)
{
	for (int before = 0; before < 2; before++) {
		for (size_t at = BEFORE; at < 1024; at += 8) {
			uint8_t image[IMAGE_BYTES] = { 0 };
			struct tsd_place place;

			put_tsd(image, at, before);
			assert_int_equal(find(image, sizeof(image), &place, 1), 1);
			assert_int_equal(place.state, at);
			assert_int_equal(place.rtree_is_before, before);
		}
	}
}

static void two_are_told_and_counted_beyond_the_room(void **state UNUSED)
{
	uint8_t image[IMAGE_BYTES] = { 0 };
	struct tsd_place places[2] = { { 0 } };

	put_tsd(image, 512, true);
	put_tsd(image, 2048, true);
	assert_int_equal(find(image, sizeof(image), places, 2), 2);
	assert_int_equal(places[1].state, 2048);
	places[1].state = 7;
	assert_int_equal(find(image, sizeof(image), places, 1), 2);
	assert_int_equal(places[1].state, 7);
}

static void what_differs_in_a_byte_is_something_else(void **state UNUSED)
{
	static const size_t spoiled[] = { 512 - BEFORE, 512 - 8, 512 - 16, 513, 520, 551 };

	for (size_t i = 0; i < ARRAY_SIZE(spoiled); i++) {
		uint8_t image[640] = { 0 };
		struct tsd_place place;

		put_tsd(image, 512, true);
		image[spoiled[i]] ^= 2;
		assert_int_equal(find(image, sizeof(image), &place, 1), 0);
	}
}

static void an_image_that_ends_early_holds_none(void **state UNUSED)
{
	uint8_t image[IMAGE_BYTES] = { 0 };
	struct tsd_place place;

	put_tsd(image, 512, true);
	assert_int_equal(find(image, 512 + 40, &place, 1), 1);
	for (size_t n = 0; n < 512 + 40; n++)
		assert_int_equal(find(image, n, &place, 1), 0);
	memset(image, 0, sizeof(image));
	put_tsd(image, 0, false);
	assert_int_equal(find(image, 0x30 + BEFORE, &place, 1), 1);
	assert_int_equal(find(image, 0x30 + BEFORE - 1, &place, 1), 0);
}

static void zeroes_hold_none(void **state UNUSED)
{
	uint8_t image[IMAGE_BYTES] = { 0 };
	struct tsd_place place;

	assert_int_equal(find(image, sizeof(image), &place, 1), 0);
	assert_int_equal(find(NULL, 0, &place, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_shapes_are_found_wherever_they_lie),
		cmocka_unit_test(two_are_told_and_counted_beyond_the_room),
		cmocka_unit_test(what_differs_in_a_byte_is_something_else),
		cmocka_unit_test(an_image_that_ends_early_holds_none),
		cmocka_unit_test(zeroes_hold_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
