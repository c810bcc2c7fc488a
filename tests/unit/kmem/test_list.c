// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/walk.h"

#include "build_space.h"
#include "unit.h"

enum { N = 100, BYTES = 1 << 20 };
#define HEAD	(SPACE_AT + 0x1000)
#define NODE(i) (SPACE_AT + 0x2000 + 64 * (uint64_t)(i))

static int set_up(void **state)
{
	*state = build_space_new(BYTES);
	return 0;
}

static int tear_down(void **state)
{
	build_space_free(*state);
	return 0;
}

static void make_list(struct build_space *s, int n)
{
	build_word(s, HEAD, n ? NODE(0) : HEAD);
	build_word(s, HEAD + 8, n ? NODE(n - 1) : HEAD);
	for (int i = 0; i < n; i++) {
		build_word(s, NODE(i), i + 1 < n ? NODE(i + 1) : HEAD);
		build_word(s, NODE(i) + 8, i ? NODE(i - 1) : HEAD);
	}
}

/* `end` closes it: 0, or an odd value. */
static void make_chain(struct build_space *s, int n, uint64_t end)
{
	build_word(s, HEAD, n ? NODE(0) : end);
	for (int i = 0; i < n; i++) {
		build_word(s, NODE(i), i + 1 < n ? NODE(i + 1) : end);
		build_word(s, NODE(i) + 8, i ? NODE(i - 1) : HEAD);
	}
}

static void check_whole(struct build_space *s, const struct kmem_walk *walk, size_t n)
{
	assert_int_equal(walk->end, KMEM_WALK_WHOLE);
	assert_int_equal(walk->n, n);
	assert_int_equal(walk->n_shown, n);
	assert_int_equal(walk->n_bad_backlinks, 0);
	assert_int_equal(s->seen.n, n);
	for (size_t i = 0; i < n; i++)
		assert_true(s->seen.at[i] == NODE(i));
	vec_clear(&s->seen);
}

static void all_kinds_are_walked_to_their_end(void **state)
{
	struct build_space *s = *state;
	struct kmem_walk walk = { 0 };
	uint64_t end = 0;

	for (int n = 0; n < 5; n++) {
		make_list(s, n);
		kmem_list(&s->space, HEAD, &walk, build_see, s);
		check_whole(s, &walk, (size_t)n);
		make_chain(s, n, 0);
		kmem_hlist(&s->space, HEAD, &walk, build_see, s);
		check_whole(s, &walk, (size_t)n);
		make_chain(s, n, 0x1234 << 1 | 1);
		kmem_hlist_nulls(&s->space, HEAD, &walk, build_see, s, &end);
		check_whole(s, &walk, (size_t)n);
		assert_int_equal(end, 0x2469);
	}
}

static void enough_is_shown_and_the_rest_counted(void **state)
{
	struct build_space *s = *state;
	struct kmem_walk walk = { .wanted = 7 };

	make_list(s, N);
	kmem_list(&s->space, HEAD, &walk, build_see, s);
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(walk.n_shown, 7);
	assert_int_equal(walk.n, N);
	assert_int_equal(s->seen.n, 7);
}

static void callback_may_stop(void **state)
{
	struct build_space *s = *state;
	struct kmem_walk walk = { 0 };

	make_list(s, N);
	s->stop_after = 3;
	kmem_list(&s->space, HEAD, &walk, build_see, s);
	assert_int_equal(walk.end, KMEM_WALK_STOPPED);
	assert_int_equal(s->seen.n, 3);
}

/* Back to any element: itself, the first, one in the middle. */
static void circles_are_found(void **state)
{
	struct build_space *s = *state;

	for (int from = 0; from < 20; from++) {
		for (int to = 0; to <= from; to++) {
			struct kmem_walk walk = { 0 };

			make_list(s, N);
			build_word(s, NODE(from), NODE(to));
			vec_clear(&s->seen);
			kmem_list(&s->space, HEAD, &walk, build_see, s);
			assert_int_equal(walk.end, KMEM_WALK_CYCLE);
			/* Some are seen again before it is noticed, but not for long. */
			assert_in_range(s->seen.n, from + 1, 4 * (from + 2));
		}
	}
}

static void link_that_leads_nowhere_ends_the_walk(void **state)
{
	struct build_space *s = *state;
	struct kmem_walk walk = { 0 };

	make_list(s, N);
	build_word(s, NODE(9), 0xdead000000000122);
	kmem_list(&s->space, HEAD, &walk, build_see, s);
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	assert_int_equal(walk.status, KMEM_READ_UNMAPPED);
	assert_true(walk.failed == 0xdead000000000122);
	assert_int_equal(walk.n, 10);
	kmem_list(&s->space, 0, &walk, build_see, s);
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	assert_int_equal(walk.n, 0);
}

static void links_that_do_not_point_back_are_counted(void **state)
{
	struct build_space *s = *state;
	struct kmem_walk walk = { 0 };

	make_list(s, N);
	build_word(s, NODE(3) + 8, NODE(1));
	build_word(s, NODE(0) + 8, NODE(7));
	kmem_list(&s->space, HEAD, &walk, build_see, s);
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(walk.n, N);
	assert_int_equal(walk.n_bad_backlinks, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_kinds_are_walked_to_their_end, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(enough_is_shown_and_the_rest_counted, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(callback_may_stop, set_up, tear_down),
		cmocka_unit_test_setup_teardown(circles_are_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(link_that_leads_nowhere_ends_the_walk, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(links_that_do_not_point_back_are_counted, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
