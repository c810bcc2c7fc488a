// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/suggest.h"

#include "unit.h"

static void distance_counts_slips_of_the_finger(void **state UNUSED)
{
	assert_int_equal(suggest_distance("", ""), 0);
	assert_int_equal(suggest_distance("pid", "pid"), 0);
	assert_int_equal(suggest_distance("pd", "pid"), 1);
	assert_int_equal(suggest_distance("piid", "pid"), 1);
	assert_int_equal(suggest_distance("pod", "pid"), 1);
	assert_int_equal(suggest_distance("pdi", "pid"), 1);
	assert_int_equal(suggest_distance("kitten", "sitting"), 3);
	assert_int_equal(suggest_distance("", "abc"), 3);
}

static void endless_words_are_not_compared(void **state UNUSED)
{
	char word[200];

	memset(word, 'a', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(suggest_distance(word, "a"), SIZE_MAX);
	assert_int_equal(suggest_distance("a", word), SIZE_MAX);
}

static const char *best_of(const char *word)
{
	static const char *const candidates[] = { "json", "pid", "snapshots", "sidecar" };
	struct suggestion near = { .word = word };

	for (size_t i = 0; i < ARRAY_SIZE(candidates); i++)
		suggest_offer(&near, candidates[i]);
	return near.best;
}

static void the_nearest_candidate_wins(void **state UNUSED)
{
	assert_string_equal(best_of("snapshot"), "snapshots");
	assert_string_equal(best_of("sanpshots"), "snapshots");
	assert_string_equal(best_of("jsno"), "json");
	assert_string_equal(best_of("side"), "sidecar");
}

static void nothing_is_suggested_for_a_far_word(void **state UNUSED)
{
	assert_null(best_of("verbose"));
	assert_null(best_of("x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distance_counts_slips_of_the_finger),
		cmocka_unit_test(endless_words_are_not_compared),
		cmocka_unit_test(the_nearest_candidate_wins),
		cmocka_unit_test(nothing_is_suggested_for_a_far_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
