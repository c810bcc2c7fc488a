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

static void a_walk_is_described_with_counts_and_reason(void **state UNUSED)
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

static void walk_steps_are_limited(void **state UNUSED)
{
	struct kmem_walk walk = { .n_steps = KMEM_LIMIT_WALK - 1 };

	assert_true(kmem_walk_step(&walk));
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_false(kmem_walk_step(&walk));
	assert_int_equal(walk.end, KMEM_WALK_LIMITED);
}

static void a_cycle_is_noticed_in_constant_memory(void **state UNUSED)
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

static void elements_past_the_output_limit_are_only_counted(void **state UNUSED)
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

static void every_kind_of_list_is_walked_to_its_end(void **state)
{
	struct build_space *s = *state;
	struct kmem_walk walk = { 0 };

	for (int n = 0; n < 5; n++) {
		make_list(s, n);
		kmem_list(&s->space, HEAD, &walk, build_see, s);
		check_whole(s, &walk, (size_t)n);
		make_chain(s, n, 0);
		kmem_links(&s->space, KMEM_HLIST, HEAD, &walk, build_see, s);
		check_whole(s, &walk, (size_t)n);
		make_chain(s, n, 0x1234 << 1 | 1);
		kmem_links(&s->space, KMEM_HLIST_NULLS, HEAD, &walk, build_see, s);
		check_whole(s, &walk, (size_t)n);
	}
}

static void elements_past_the_wanted_number_are_only_counted(void **state)
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
static void cycles_in_a_list_are_found(void **state)
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
		cmocka_unit_test(a_walk_is_described_with_counts_and_reason),
		cmocka_unit_test(counting_goes_on_after_enough_was_shown),
		cmocka_unit_test(walk_steps_are_limited),
		cmocka_unit_test(a_cycle_is_noticed_in_constant_memory),
		cmocka_unit_test(elements_past_the_output_limit_are_only_counted),
		cmocka_unit_test(steps_may_be_shared),
		cmocka_unit_test(failed_read_ends_a_walk),
		cmocka_unit_test_setup_teardown(every_kind_of_list_is_walked_to_its_end, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(elements_past_the_wanted_number_are_only_counted,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(callback_may_stop, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cycles_in_a_list_are_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(link_that_leads_nowhere_ends_the_walk, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(links_that_do_not_point_back_are_counted, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
