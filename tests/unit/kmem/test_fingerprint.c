// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/fingerprint.h"

#include "build_space.h"
#include "unit.h"

enum { BYTES = 1 << 18, FILLED = 200001 };

static int set_up(void **state)
{
	struct build_space *s = build_space_new(BYTES);

	for (size_t i = 0; i < BYTES; i++)
		s->memory.at[i] = (uint8_t)(i * i >> 3);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	build_space_free(*state);
	return 0;
}

static uint64_t print(struct build_space *s, uint64_t from, uint64_t n)
{
	uint64_t ret = 0;

	kmem_space_forget(&s->space);
	assert_success(kmem_fingerprint(&s->space, SPACE_AT + from, n, "bytes", &ret));
	return ret;
}

static void every_bit_counts(void **state)
{
	struct build_space *s = *state;
	uint64_t all = print(s, 5, FILLED);

	assert_true(print(s, 5, FILLED) == all);
	for (size_t i = 0; i < FILLED; i += 997) {
		s->memory.at[5 + i] ^= 1 << i % 8;
		assert_true(print(s, 5, FILLED) != all);
		s->memory.at[5 + i] ^= 1 << i % 8;
	}
	s->memory.at[5 + FILLED - 1] ^= 1;
	assert_true(print(s, 5, FILLED) != all);
	s->memory.at[5 + FILLED - 1] ^= 1;
	/* What stands beside does not. */
	s->memory.at[4] ^= 1;
	s->memory.at[5 + FILLED] ^= 1;
	assert_true(print(s, 5, FILLED) == all);
}

static void order_and_length_count(void **state)
{
	struct build_space *s = *state;
	uint64_t before, word;

	memset(s->memory.at, 0, BYTES);
	/* Zeros are not all the same. */
	for (uint64_t n = 0; n < 100; n++)
		assert_true(print(s, 0, n) != print(s, 0, n + 1));
	for (uint64_t i = 0; i < 64; i++)
		build_put_u64(&s->memory, 8 * i, i);
	before = print(s, 0, 512);
	word = build_get_u64(&s->memory, 0);
	build_put_u64(&s->memory, 0, build_get_u64(&s->memory, 256));
	build_put_u64(&s->memory, 256, word);
	assert_true(print(s, 0, 512) != before);
}

static void what_cannot_be_read_is_an_error(void **state)
{
	struct build_space *s = *state;
	uint64_t ret;

	assert_error_tag(kmem_fingerprint(&s->space, SPACE_AT + BYTES - 100, 101, "bytes", &ret),
			 "guest-memory");
	assert_error_tag(kmem_fingerprint(&s->space, 0x1000, 8, "bytes", &ret), "guest-memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_bit_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(order_and_length_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_read_is_an_error, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
