// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/rbtree.h"

#include "build_space.h"
#include "unit.h"

enum { BYTES = 1 << 20 };
#define ROOT	(SPACE_AT + 0x1000)
#define NODE(i) (SPACE_AT + 0x2000 + 64 * (uint64_t)(i))
enum { PARENT = 0, RIGHT = 8, LEFT = 16 };

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

/* Numbers from low up to high, balanced; their order is that of the nodes. Colours alternate. */
static uint64_t make_subtree(struct build_space *s, int low, int high, uint64_t parent)
{
	int middle = low + (high - low) / 2;

	if (low >= high)
		return 0;
	build_word(s, NODE(middle) + PARENT, parent | (middle & 1));
	build_word(s, NODE(middle) + LEFT, make_subtree(s, low, middle, NODE(middle)));
	build_word(s, NODE(middle) + RIGHT, make_subtree(s, middle + 1, high, NODE(middle)));
	return NODE(middle);
}

static void make_tree(struct build_space *s, int n)
{
	build_word(s, ROOT, make_subtree(s, 0, n, 0));
}

static void nodes_come_from_left_to_right(void **state)
{
	struct build_space *s = *state;

	for (int n = 0; n < 70; n++) {
		struct kmem_walk walk = { 0 };

		make_tree(s, n);
		vec_clear(&s->seen);
		kmem_rbtree(&s->space, ROOT, &walk, build_see, s);
		assert_int_equal(walk.end, KMEM_WALK_WHOLE);
		assert_int_equal(walk.n_crooked, 0);
		assert_int_equal(s->seen.n, n);
		for (int i = 0; i < n; i++)
			assert_true(s->seen.at[i] == NODE(i));
	}
}

static void enough_is_shown_and_the_rest_counted(void **state)
{
	struct build_space *s = *state;
	struct kmem_walk walk = { .wanted = 5 };

	make_tree(s, 60);
	kmem_rbtree(&s->space, ROOT, &walk, build_see, s);
	assert_int_equal(walk.n, 60);
	assert_int_equal(s->seen.n, 5);
	s->stop_after = 6;
	walk.wanted = 0;
	kmem_rbtree(&s->space, ROOT, &walk, build_see, s);
	assert_int_equal(walk.end, KMEM_WALK_STOPPED);
}

/* A child that leads up again has another parent: the way ends there. */
static void branches_that_lead_back_are_left_out(void **state)
{
	struct build_space *s = *state;
	struct kmem_walk walk = { 0 };

	make_tree(s, 63);
	build_word(s, NODE(0) + LEFT, NODE(31));   /* to the top */
	build_word(s, NODE(62) + RIGHT, NODE(62)); /* to itself */
	build_word(s, NODE(30) + RIGHT, NODE(40)); /* into the other half */
	kmem_rbtree(&s->space, ROOT, &walk, build_see, s);
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(walk.n, 63);
	assert_int_equal(walk.n_crooked, 3);
}

/* Every node calls the one above its parent, but there is no end to it. */
static void tree_deeper_than_any_is_given_up(void **state)
{
	struct build_space *s = *state;
	struct kmem_walk walk = { 0 };

	build_word(s, ROOT, NODE(0));
	for (int i = 0; i <= KMEM_LIMIT_TREE_DEPTH; i++) {
		build_word(s, NODE(i) + PARENT, i ? NODE(i - 1) : 0);
		build_word(s, NODE(i) + LEFT, NODE(i + 1));
	}
	kmem_rbtree(&s->space, ROOT, &walk, build_see, s);
	assert_int_equal(walk.end, KMEM_WALK_LIMIT);
}

static void node_that_cannot_be_read_ends_the_walk(void **state)
{
	struct build_space *s = *state;
	struct kmem_walk walk = { 0 };

	make_tree(s, 7);
	build_word(s, NODE(3) + RIGHT, 0x1000);
	kmem_rbtree(&s->space, ROOT, &walk, build_see, s);
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	assert_int_equal(walk.failed, 0x1000);
	assert_int_equal(walk.n, 4);
	kmem_rbtree(&s->space, 0, &walk, build_see, s);
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nodes_come_from_left_to_right, set_up, tear_down),
		cmocka_unit_test_setup_teardown(enough_is_shown_and_the_rest_counted, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(branches_that_lead_back_are_left_out, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(tree_deeper_than_any_is_given_up, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(node_that_cannot_be_read_ends_the_walk, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
