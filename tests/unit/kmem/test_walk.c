// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/walk.h"

#include "build_space.h"
#include "unit.h"

static const char *words_of(const struct kmem_walk *walk)
{
	static struct strbuf s;

	strbuf_deinit(&s);
	kmem_walk_format(walk, &s);
	return strbuf_str(&s);
}

static void words_say_how_much_was_shown_and_why_not_more(void **state UNUSED)
{
	struct kmem_walk walk = { .n = 12, .n_shown = 12 };

	assert_string_equal(words_of(&walk), "12");
	walk.n_shown = 5;
	assert_string_equal(words_of(&walk), "shown 5 of 12");
	walk.end = KMEM_WALK_STOPPED;
	assert_string_equal(words_of(&walk), "shown 5 of at least 12");
	walk.end = KMEM_WALK_CYCLE;
	assert_string_equal(words_of(&walk), "shown 5 of at least 12: it contains a cycle");
	walk.end = KMEM_WALK_LIMITED;
	walk.n_steps = 1048576;
	assert_string_equal(words_of(&walk),
			    "shown 5 of at least 12: given up after 1048576 steps");
	walk.end = KMEM_WALK_UNREADABLE;
	walk.status = KMEM_READ_OUTSIDE;
	walk.failed = 0xabc;
	walk.n_bad_backlinks = 2;
	assert_string_equal(words_of(&walk),
			    "shown 5 of at least 12: address 0xabc is outside RAM; "
			    "2 links do not point back");
	kmem_walk_begin(&walk);
	words_of(&walk);
	assert_string_equal(words_of(&walk), "0");
	words_of(&(struct kmem_walk){ 0 });
}

static void counting_goes_on_after_enough_was_shown(void **state UNUSED)
{
	struct kmem_walk walk = { .wanted = 2 };

	kmem_walk_begin(&walk);
	assert_true(kmem_walk_shows(&walk));
	assert_true(kmem_walk_shows(&walk));
	assert_false(kmem_walk_shows(&walk));
	assert_int_equal(walk.n, 3);
	assert_int_equal(walk.n_shown, 2);
}

static void steps_have_an_end(void **state UNUSED)
{
	struct kmem_walk walk = { .n_steps = KMEM_LIMIT_WALK - 1 };

	assert_true(kmem_walk_step(&walk));
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_false(kmem_walk_step(&walk));
	assert_int_equal(walk.end, KMEM_WALK_LIMITED);
}

static void circle_is_noticed_without_a_list_of_all(void **state UNUSED)
{
	/* A tail of any length, then a circle of any length. */
	for (uint64_t tail = 0; tail < 40; tail++) {
		for (uint64_t round = 1; round < 40; round++) {
			struct kmem_circle circle = { 0 };
			struct kmem_walk walk = { 0 };
			uint64_t n = 0;

			while (!kmem_walk_circles(&walk, &circle,
						  n < tail ? n : tail + (n - tail) % round))
				n++;
			assert_in_range(n, tail + round, 3 * (tail + round) + 3);
			assert_int_equal(walk.end, KMEM_WALK_CYCLE);
		}
	}
}

static void what_has_no_room_is_counted_and_not_shown(void **state UNUSED)
{
	size_t written = 0;
	struct kmem_walk walk = { .written = &written, .most_written = 250 };

	kmem_walk_begin(&walk);
	for (int i = 0; i < 10; i++) {
		if (kmem_walk_shows(&walk))
			written += 100;
	}
	assert_int_equal(walk.n_shown, 3);
	assert_int_equal(walk.n, 10);
}

/* A list of lists is as long as both together. */
static void steps_may_be_shared(void **state UNUSED)
{
	uint64_t left = 10;
	struct kmem_walk outer = { .steps_left = &left }, inner = { .steps_left = &left };
	unsigned int n = 0;

	kmem_walk_begin(&outer);
	while (kmem_walk_step(&outer)) {
		kmem_walk_begin(&inner);
		for (int i = 0; i < 3 && kmem_walk_step(&inner); i++)
			n++;
	}
	assert_int_equal(n, 7);
	assert_int_equal(outer.end, KMEM_WALK_LIMITED);
	assert_int_equal(outer.n_steps, 3);
	/* Whoever counted steps for another does not step over the limit. */
	outer = (struct kmem_walk){ .n_steps = KMEM_LIMIT_WALK + 1 };
	assert_false(kmem_walk_step(&outer));
}

static void failed_read_ends_a_walk(void **state UNUSED)
{
	struct build_space *s = build_space_new(4096);
	struct kmem_walk walk = { 0 };
	uint64_t value = 0;

	build_word(s, SPACE_AT + 8, 77);
	assert_true(kmem_walk_read(&walk, &s->space, SPACE_AT + 8, &value, 8));
	assert_int_equal(value, 77);
	assert_false(kmem_walk_read(&walk, &s->space, 8, &value, 8));
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	assert_int_equal(walk.status, KMEM_READ_UNMAPPED);
	assert_int_equal(walk.failed, 8);
	build_space_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_say_how_much_was_shown_and_why_not_more),
		cmocka_unit_test(counting_goes_on_after_enough_was_shown),
		cmocka_unit_test(steps_have_an_end),
		cmocka_unit_test(circle_is_noticed_without_a_list_of_all),
		cmocka_unit_test(what_has_no_room_is_counted_and_not_shown),
		cmocka_unit_test(steps_may_be_shared),
		cmocka_unit_test(failed_read_ends_a_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
